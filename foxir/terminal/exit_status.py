"""The exit statuses of foxir."""

from __future__ import annotations

from collections.abc import Sequence

from engine.notices import Message, Notice

DONE = 0
PARTLY = 1  # done, but part of the input was excluded, which a notice names
REFUSED = 2  # nothing was done; one line says why
INTERRUPTED = 130


def status(notices: Sequence[Message]) -> int:
    """Return PARTLY if one of an evaluation's notices reports excluded input, else DONE."""
    return PARTLY if any(isinstance(notice, Notice) and notice.kind == "exclusion" for notice in notices) else DONE
