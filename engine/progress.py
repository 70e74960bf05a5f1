"""Callbacks that report the progress of long work."""

from __future__ import annotations

from collections.abc import Callable

# stage, done, total
Progress = Callable[[str, int, int], None]


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """Report nothing."""
