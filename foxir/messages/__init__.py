"""How does each front end say what a user should know?

`engine` and `eval` make notices and errors with a code and fields (`engine/notices.py`); `sentences.toml` has a
sentence for each code, with words in braces that a front end replaces: `command_line`, `python` and `service` have
these. A new notice is a code and a sentence.
"""

from __future__ import annotations

from engine.notices import Notice, sentences_by


@sentences_by
def sentence(notice: Notice) -> str:
    """Return the sentence of a notice in Python: its `str`; the sentences are read with the first."""
    from foxir.messages import python  # noqa: PLC0415

    return python.sentence(notice)
