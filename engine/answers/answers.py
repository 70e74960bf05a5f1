"""Ranked answers as a sequence: what a search returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

import numpy as np

from engine.answers.answer import RankedAnswer
from engine.answers.joined_answers import JoinedAnswers

# Answers whose texts are read together.
TOGETHER = 64


class RankedAnswers(JoinedAnswers):
    """Ranked answers, best first, joined with the index; each is read as a `RankedAnswer`."""

    def __repr__(self) -> str:
        return f"RankedAnswers({len(self)} to {self.query.text!r})"

    @overload
    def __getitem__(self, place: int) -> RankedAnswer: ...
    @overload
    def __getitem__(self, place: slice) -> list[RankedAnswer]: ...
    def __getitem__(self, place: int | slice) -> RankedAnswer | list[RankedAnswer]:
        if isinstance(place, slice):
            return [RankedAnswer(self, each) for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(f"answer {place} of {len(self)}")
        return RankedAnswer(self, place % len(self))

    def __iter__(self) -> Iterator[RankedAnswer]:
        return (RankedAnswer(self, place) for place in range(len(self)))

    def page(self, first: int, end: int) -> list[RankedAnswer]:
        """Return some answers whose snippets and breadcrumbs are known: computed together, faster than one by one."""
        answers = self[first:end]
        for begin in range(0, len(answers), TOGETHER):
            some = answers[begin : begin + TOGETHER]
            places = np.array([answer.place for answer in some])
            texts = zip(self.snippets_at(places), self.breadcrumbs_at(places), strict=True)
            for answer, (snippet, breadcrumb) in zip(some, texts, strict=True):
                answer.snippet, answer.breadcrumb = snippet, breadcrumb
        return answers
