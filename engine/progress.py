"""Callbacks that report the progress of long work."""

from __future__ import annotations

from collections.abc import Callable

# stage, done, total
Progress = Callable[[str, int, int], None]


def counting(progress: Progress, stage: str, total: int) -> Callable[[int], None]:
    """Return a function that reports the given number of further units of a stage as done."""
    done = 0

    def advance(units: int) -> None:
        nonlocal done
        done += units
        progress(stage, done, total)

    return advance


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """Report nothing."""
