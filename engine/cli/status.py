"""The exit status of the evaluation's commands."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cli.main import DONE, PARTLY
from eval.left_out import LeftOut


def status(notices: Sequence[str]) -> int:
    """Return the exit status of a command that tells these notices: whether it left something out."""
    return PARTLY if any(isinstance(notice, LeftOut) for notice in notices) else DONE
