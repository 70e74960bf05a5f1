"""How does each front end say what a user should know?

`engine` and `eval` make notices and errors with a code and fields (`engine/notices.py`); here are their sentences, by
what they are about: a sentence stands once, with words in braces that a front end replaces. `command_line`, `python`
and `service` are the front ends: their words, and sentences of their own where words do not suffice. A new notice is a
code and a sentence.
"""
