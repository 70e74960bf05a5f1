"""The codes of notices, by which tests know what is said, whatever the sentence."""

from __future__ import annotations

from collections.abc import Iterable

from engine.notices import Message, Notice


def codes(notices: Iterable[Message]) -> list[str]:
    """Return the code of each notice; of one about a file or a run, the code of what is said of it."""
    return [code(notice) for notice in notices]


def code(notice: Message) -> str:
    """Return the code of a notice."""
    assert isinstance(notice, Notice)
    inner = notice.fields.get("notice")
    return code(inner) if notice.code == "of" and inner is not None else notice.code
