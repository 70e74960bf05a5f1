"""Messages for Python: keywords in place of the options of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from engine.errors import FoxirError

if TYPE_CHECKING:
    from eval.scoring.score_table import ScoreTable
    from eval.statistics.measure_correlation import Correlations
    from eval.statistics.reliability import Reliability
    from eval.statistics.run_comparison import RunComparison

Result = TypeVar("Result", "ScoreTable", "RunComparison", "Correlations", "Reliability")

# An option as messages write it, and what it is called in Python; the first that fits counts.
FORMS = tuple(
    (re.compile(option), keyword)
    for option, keyword in (
        (r"^--limit ", "limits: "),
        (r"^--split ", "split: "),
        (r"^--attributes: ", ""),
        (r"foxir eval JUDGEMENTS RUN --measures (\w+)", r'foxir.score(..., measures="\1")'),
        (r"--measure-option (\w+)=(\w+)", r'options={"\1": "\2"}'),
        (r"--measures hixeval with --alpha 1", 'measures="hixeval" with options={"alpha": 1}'),
        (r"--quant (\w+)", r'options={"quant": "\1"}'),
        (r"--measures ([\w,]+)", r'measures="\1"'),
        (r"--topics ([\w,-]+) leaves", r'only="\1" leaves'),
        (r"--missing-topics skip", 'missing_topics="skip"'),
        (r"--index \(in Python index=\)", "index="),
        (r"--(index|jobs) (\d+)", r"\1=\2"),
        (r"--(index|jobs)\b", r"\1="),
    )
)


def with_keywords(message: str) -> str:
    """Return a message with keywords for the options of the command.

    >>> with_keywords("score with --measure-option overlapping=union (each character counts once).")
    'score with options={"overlapping": "union"} (each character counts once).'
    """
    for option, keyword in FORMS:
        message = option.sub(keyword, message)
    return message


@contextmanager
def errors_with_keywords() -> Iterator[None]:
    """Raise errors on options of the command with the names of the keywords; a decorator, too."""
    try:
        yield
    except FoxirError as error:
        error.args = (with_keywords(str(error)), *error.args[1:])
        raise


def notices_with_keywords(result: Result) -> Result:
    """Return a result whose notices name keywords; they stay of their kind."""
    return replace(result, notices=tuple(type(notice)(with_keywords(notice)) for notice in result.notices))
