"""Makes `str` of a notice its sentence in Python; the sentences are read with the first."""

from __future__ import annotations

from engine.notices import Notice, sentences_by


@sentences_by
def sentence(notice: Notice) -> str:
    """Return the sentence of a notice in Python."""
    from foxir.messages import python  # noqa: PLC0415

    return python.sentence(notice)
