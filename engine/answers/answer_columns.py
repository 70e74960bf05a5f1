"""The answers of a search as columns, without the index."""

from __future__ import annotations

from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray
from engine.images.similarity import WeightedGroup
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.query.query import Query
from engine.ranking.articles import RankedArticles
from engine.ranking.facets import Facet
from engine.ranking.selection.repetitions import AlsoIn
from engine.records import dataclass, with_values
from engine.settings import Settings


def status_values(n_answers: int, max_answers: int) -> FloatArray:
    """Return values that fall evenly with the rank, from 1 to 1 / `max_answers`; float64, shape (n_answers,)."""
    return (max_answers - np.arange(n_answers, dtype=np.float64)) / max_answers


@dataclass(frozen=True, eq=False, repr=False)
class AnswerColumns(ArrayRecord):
    """Ranked answers as columns of shape (n,), without the index; position i has rank i + 1.

    documents: document numbers; elements: rows; article: the place of each article among `ranked`.
    rsv: retrieval status values, float64, strictly falling; the similarity of whole articles that are ranked by it.
    scores: of scored elements and passages, else None.
    sentences: of passages, first and last sentence of the element, WHOLE for all of it, shape (n, 2), else None.
    siblings: of runs of siblings, the rows of the first and the last one around the element, shape (n, 2), else None.
    images: where the query has example images, the best image in each answer, -1 for none; image_scores: their scores,
        0 for none; image_groups: the weighted features of each example.
    facets: of each field that was asked for, the numbers of documents of its values.
    article_order: of answers in the order of a field, the place of each ranked article in it.
    also_in: texts that were found to repeat an answer, or nearly so, by the place of this.
    seconds: how long the search took; shards: of a search on a cluster, how many answered, and how many there are. The
        last three are not compared by `==`.
    """

    plan: Plan
    ranked: RankedArticles
    documents: NDArray[np.int64]
    elements: NDArray[np.int64]
    article: NDArray[np.int64]
    rsv: FloatArray
    scores: FloatArray | None = None
    sentences: NDArray[np.int64] | None = None
    siblings: NDArray[np.int64] | None = None
    images: NDArray[np.int64] | None = None
    image_scores: FloatArray | None = None
    facets: tuple[Facet, ...] = ()
    article_order: NDArray[np.int64] | None = None
    image_groups: tuple[tuple[WeightedGroup, ...], ...] = ()
    also_in: tuple[AlsoIn, ...] = field(default=(), compare=False)
    seconds: float = field(default=0.0, compare=False)
    shards: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def query(self) -> Query:
        """The parsed query."""
        return self.plan.query

    @property
    def settings(self) -> Settings:
        """The settings, with `reading` and `answers` resolved."""
        return self.plan.settings

    @property
    def interpretation(self) -> str:
        """How the query was read: CO, SS, SV, VS or VV."""
        return self.plan.query.reading

    @property
    def shown_scores(self) -> FloatArray:
        """The scores of elements or passages, or, of answers that have none, the retrieval status values."""
        return self.rsv if self.scores is None else self.scores

    def as_first_of(self, max_answers: int) -> AnswerColumns:
        """Return these answers as the first ones of a longer list, with its settings and the status values in it."""
        plan = with_values(self.plan, settings=self.plan.settings.with_max_answers(max_answers))
        return with_values(self, plan=plan, rsv=self.rsv if plan.ranks_whole else status_values(len(self), max_answers))

    def with_notices(self, *notices: Notice) -> AnswerColumns:
        """Return these answers with more notices."""
        return with_values(self, plan=with_values(self.plan, notices=(*self.plan.notices, *notices)))

    def first(self, n_answers: int) -> AnswerColumns:
        """Return the first answers."""
        columns = ("documents", "elements", "article", "rsv", "scores", "sentences", "siblings")
        values = {name: getattr(self, name) for name in (*columns, "images", "image_scores")}
        also_in = tuple(each for each in self.also_in if each.place < n_answers)
        chosen = {name: value[:n_answers] for name, value in values.items() if value is not None}
        return with_values(self, also_in=also_in, **chosen)

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"AnswerColumns({len(self)}, articles={len(np.unique(self.article))})"
