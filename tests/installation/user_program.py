"""A program of a user's, with types that mypy knows only from an installed foxir; it is checked, not run."""

from __future__ import annotations

from typing import assert_type

from foxir.engine.runs import Run
from foxir.eval.measures import MeasureOptions

import foxir


def paths(folder: str, options: MeasureOptions) -> list[str]:
    """Return the paths of answers."""
    with foxir.open_index(folder) as index:
        answers = index.search("fog signal", max_answers=5)
        assert_type(answers, foxir.Answers)
        assert_type(index.run("topics"), Run)
        return [f"{answer.path} {options}" for answer in answers]
