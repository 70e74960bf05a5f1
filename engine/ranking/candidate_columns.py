"""The candidates for answers as columns: whole articles, elements with structural counts, or with scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray, Rows
from engine.ranking.matches import Matches
from engine.ranking.parts.part import ScoredUnits
from engine.records import dataclass
from engine.thesis.heuristics import CountedElements


@dataclass(frozen=True, eq=False, repr=False)
class ArticleCandidates(ArrayRecord):
    """Whole articles: the rows of their roots, and the place of each in the ranking."""

    rows: Rows
    articles: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"ArticleCandidates({len(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class CountedCandidates(ArrayRecord):
    """Elements with structural counts, for a heuristic; `articles`: the place of each article in the ranking."""

    elements: CountedElements
    articles: Rows

    def __len__(self) -> int:
        return len(self.articles)

    def __repr__(self) -> str:
        return f"CountedCandidates({len(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class ScoredCandidates(ArrayRecord):
    """Elements, or passages, with their scores inside the article, in no order; columns of shape (n,).

    rows: elements; of windows of sentences, those around them. articles: the place of each article in the ranking.
    begins, ends: the intervals that tell overlap: of rows, of passages of words.
    words: length. context_scores: the scores without the article's.
    sentences: of passages, the first and the last sentence in that element, WHOLE for all of it, shape (n, 2).
    scored_elements: the candidates with their context. matches: those from which the candidates were built.
    """

    rows: Rows
    articles: Rows
    begins: Rows
    ends: Rows
    words: Rows
    context_scores: FloatArray
    sentences: Rows | None
    scored_elements: ScoredUnits
    matches: Matches

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, places: Rows) -> ScoredCandidates:
        """Return the candidates at some places."""
        return self._with(lambda name: getattr(self, name)[places])

    def joined(self, other: ScoredCandidates) -> ScoredCandidates:
        """Return these candidates and others of the same matches."""
        return self._with(lambda name: np.concatenate([getattr(self, name), getattr(other, name)]))

    def _with(self, column: Callable[[str], NDArray[Any]]) -> ScoredCandidates:
        names = ("rows", "articles", "begins", "ends", "words", "context_scores")
        sentences = None if self.sentences is None else column("sentences")
        return replace(self, **{name: column(name) for name in names}, sentences=sentences)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        kind = "elements" if self.sentences is None else "passages"
        return f"ScoredCandidates({kind}={len(self)}, scored elements={len(self.scored_elements.rows)})"


Candidates = ArticleCandidates | CountedCandidates | ScoredCandidates
