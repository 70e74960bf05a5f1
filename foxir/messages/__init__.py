"""How does each front end say what a user should know?

`engine` and `eval` make notices and errors with a code and fields (`engine/notices.py`); `sentences.toml` has a
sentence for each code, with words in braces that a front end replaces: `command_line`, `python` and `service` have
these. A new notice is a code and a sentence.
"""
