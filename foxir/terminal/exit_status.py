"""The exit statuses of foxir."""

from __future__ import annotations

from collections.abc import Sequence

DONE = 0
PARTLY = 1  # done, but part of the input was excluded, which a notice names
REFUSED = 2  # nothing was done; one line says why
INTERRUPTED = 130


def status(notices: Sequence[str]) -> int:
    """Return PARTLY if one of an evaluation's notices reports excluded input, else DONE."""
    from eval.notice_kinds import ExclusionNotice  # noqa: PLC0415  (commands that do not evaluate need not load eval)

    return PARTLY if any(isinstance(notice, ExclusionNotice) for notice in notices) else DONE
