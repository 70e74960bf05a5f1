"""A part of the score of an element: a weight times a column, with a bound, an explanation, formula and source.

An explanation is a value, what it is, and what it is computed from, as a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Rows
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.expressions.term_units import TermUnits
from engine.ranking.parts.coverage import times_coverage
from engine.ranking.scoring.context import Context
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.records import NamedTuple, dataclass
from engine.threads import cached_property


@dataclass(frozen=True)
class Explanation:
    """A value and the values that it is computed from.

    name: what kind of value it is, for programs: "score", "article", "term", "context" ...
    value: the number, as the search computed it; None where there is none.
    description: the same in words, with how the details are combined.
    details: what the value is computed from. Where `sums` is true, their values, added from left to right, are the
        value: bit for bit, but for propagated leaves, articles and images, which add up to within 1e-12 of it.
    facts: further properties by name, such as tf, df, path or words. Where `factor` is among them, the value is exactly
        this factor times that of the only detail, if there is one.
    """

    name: str
    value: float | None
    description: str
    details: tuple[Explanation, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    sums: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as `--json` prints it."""
        return {
            "name": self.name,
            "value": self.value,
            "description": self.description,
            **self.facts,
            "details": [detail.to_dict() for detail in self.details],
        }

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the tree as indented lines."""
        value = " " * 10 if self.value is None else f"{self.value:10.6f}"
        yield f"{'  ' * depth}{value}  {self.description}"
        for detail in self.details:
            yield from detail.lines(depth + 1)

    def walk(self) -> Iterator[Explanation]:
        """Yield the tree itself and all its parts, from top to bottom."""
        yield self
        for detail in self.details:
            yield from detail.walk()

    def find(self, name: str) -> Iterator[Explanation]:
        """Yield the parts of a name, the tree itself included."""
        return (part for part in self.walk() if part.name == name)


def left_to_right(details: Iterable[Explanation]) -> float:
    """Return the sum of values, each added to that of those before it; `sum` would round less often than the search."""
    total = 0.0
    for detail in details:
        total += detail.value or 0.0
    return total


def scaled(whole: Explanation, factor: float, inner: Explanation) -> Explanation:
    """Return an explanation whose value is a factor times that of its only detail."""
    facts = {**whole.facts, "factor": factor}
    return replace(whole, value=factor * (inner.value or 0.0), details=(inner,), facts=facts, sums=False)


@dataclass(frozen=True, eq=False)
class ElementEvidence(ArrayRecord):
    """The elements that are scored, and what their parts are computed from; columns of shape (n,).

    block_words: words of a text block of the collection. similarities: of the text of each element to the query.
    factors: what coverage multiplies them by, None where it does not count. units: the elements with the terms in them,
    None where they are not scored by these. of_headings: weight of the query in headings, before coverage.
    of_sequence: weight of the query in elements that contain its sequence.
    with_surroundings: whether headings and neighbours count, which need the context of all matches. of_own_parts:
    columns of the parts from outside, by name. in_figures: the places of those in figures, ascending.
    """

    order: ByScore
    block_words: float
    context: Context
    similarities: FloatArray
    factors: FloatArray | None
    units: TermUnits | None
    of_headings: FloatArray
    of_sequence: FloatArray
    with_surroundings: bool
    in_figures: Rows
    of_own_parts: Mapping[str, FloatArray] = field(default_factory=dict)

    @cached_property
    def element_scores(self) -> FloatArray:
        """The similarities times coverage."""
        return times_coverage(self.similarities, self.factors)

    def coverage_of(self, place: int) -> float:
        """Return the factor of an element for coverage; 1 where that does not count."""
        return 1.0 if self.factors is None else float(self.factors[place])


@dataclass(frozen=True, eq=False)
class ElementScores(ArrayRecord):
    """Elements with their scores inside their article, and the columns of the parts that count, by name."""

    evidence: ElementEvidence
    columns: Mapping[str, FloatArray]
    values: FloatArray

    @property
    def context(self) -> Context:
        """The elements with their ancestors."""
        return self.evidence.context

    @property
    def rows(self) -> Rows:
        """The elements, ascending."""
        return self.context.rows

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.context.places(rows)


class ArticleEvidence(NamedTuple):
    """What bounds of parts are computed from, for each of some articles; shape (n,).

    alone: the most that an element or a window scores by its own text. of_headings: weight of the query in headings.
    of_sequence: weight of the query in articles that contain its sequence. scores: of the articles.
    """

    order: ByScore
    alone: FloatArray
    of_headings: FloatArray
    of_sequence: FloatArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class ExplainedElements:
    """The elements of one search with their scores, for explanations of single ones.

    scorer: scored their texts. similarity: its name. of_text: explains the similarity of the text of an element, from
    its name, row, value and description. article_score: of the article of an element.
    """

    index: IndexReader
    scores: ElementScores
    scorer: ElementScorer
    similarity: str
    of_text: Callable[[str, int, float, str], Explanation]
    article_score: Callable[[int], float]

    @property
    def order(self) -> ByScore:
        """The weights."""
        return self.scores.evidence.order

    def value(self, part: Part, place: int) -> float:
        """Return the column of a part at a place, 0 where the part does not count."""
        column = self.scores.columns.get(part.name)
        return 0.0 if column is None else float(column[place])

    def row(self, place: int) -> int:
        """Return the element at a place."""
        return int(self.scores.rows[place])

    def path(self, place: int) -> str:
        """Return the path of the element at a place."""
        return element_paths(self.index, np.array([self.row(place)]))[0]


class Part(ABC):
    """One addend of a score: `weight` times `column`.

    name: that of its explanation. setting: the setting that is its weight, "" where that is 1. tried: values of the
    weight among which one is learned, none where it is not. has_focus: whether the weight is multiplied by the focus of
    the query. formula, source: for the page on scoring.
    """

    name: str
    setting: str = ""
    tried: Sequence[float] = ()
    has_focus: bool = False
    formula: str
    source: str = ""

    def weight(self, order: ByScore) -> float:
        """Return the weight of the part."""
        return float(getattr(order, self.setting)) if self.setting else 1.0

    def has_bound(self, order: ByScore) -> bool:
        """Return whether there is a bound under some weights."""
        return True

    @abstractmethod
    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the most that the column can be in each article."""

    @abstractmethod
    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the explanation of weight times column of the element at a place; none where that is nothing."""


class InnerPart(Part):
    """A part that comes from inside the article. needs_surroundings: see `ElementEvidence`."""

    needs_surroundings: bool = False

    @abstractmethod
    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the part of each element, without its weight."""
