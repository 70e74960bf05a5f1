"""The stages of one search with their values, counts and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.answers.answer_columns import AnswerColumns
from engine.index.reader import IndexReader
from engine.planning.plan import ExampleImage
from engine.ranking.search import search
from engine.settings import Settings


@dataclass(frozen=True)
class Stage:
    """One stage of a search.

    name: plan, articles, bounds, matches, candidates, selected or answers; for some questions also rows; with example
        images also images, fused.
    first, last: its value on one line, for the first and the last batch of articles; the same where there is one batch.
    count: its items, None for the plan; over all batches, of bounds only the first, which are of all articles.
    n_batches: how often the stage ran.
    milliseconds: its time, over all batches.
    """

    name: str
    first: str
    last: str
    count: int | None
    n_batches: int
    milliseconds: float

    def followed_by(self, value: str, count: int | None, milliseconds: float) -> Stage:
        """Return the stage with one more batch."""
        total = None if self.count is None or count is None else self.count + count
        return Stage(self.name, self.first, value, total, self.n_batches + 1, self.milliseconds + milliseconds)

    @property
    def value(self) -> str:
        """The first value; of several batches, the first and the last."""
        return self.first if self.n_batches == 1 else f"{self.first} ... {self.last}"

    def to_dict(self) -> dict[str, Any]:
        """Return the stage as `foxir explain --stages --json` prints it."""
        return {
            "name": self.name,
            "value": self.value,
            "count": self.count,
            "n_batches": self.n_batches,
            "milliseconds": round(self.milliseconds, 3),
        }


class StageRecorder:
    """An observer of a search that records its stages, in their order."""

    def __init__(self) -> None:
        self._stages: dict[str, Stage] = {}

    def __call__(self, name: str, value: Any, seconds: float) -> None:
        """Record one run of a stage."""
        count = len(value) if hasattr(value, "__len__") else None
        known = self._stages.get(name)
        if known is None:
            self._stages[name] = Stage(name, repr(value), repr(value), count, 1, seconds * 1000)
        else:
            self._stages[name] = known.followed_by(repr(value), count, seconds * 1000)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self._stages.values())


def search_stages(
    index: IndexReader, text: str, settings: Settings, images: Sequence[ExampleImage] = ()
) -> tuple[AnswerColumns, list[Stage]]:
    """Return the answers to a query, with example images beside those that it names, and the stages that led to them.

    Raises: QueryError, SettingsError, as `engine.ranking.search.search` does.
    """
    recorder = StageRecorder()
    answers = search(index, text, settings, recorder, images=images)
    return answers, list(recorder)
