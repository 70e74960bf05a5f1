"""The sequence of a query: its words as typed, one after the other, function words included.

sequence(e) = weight of the query where e contains the sequence, 0 elsewhere
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, distinct, is_among
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.matches import phrase_intervals
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.scoring.context import Context
from engine.ranking.scoring.term_weights import TermWeights


class SequencePart(InnerPart):
    """The part of an element whose text says what was typed."""

    name = "sequence"
    setting = "sequence_weight"
    formula = "sequence(e): weight of the query where e has its words as typed, one after the other; 0 elsewhere"

    def weight(self, order: ByScore) -> float:
        """Return the weight, 0 where no document contains a sequence of the query."""
        return 0.0 if order.sequence is None else super().weight(order)

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the weight of the query for each element that contains the sequence."""
        return evidence.of_sequence

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the weight of the query in articles that contain the sequence."""
        return articles.of_sequence

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of an element that contains the sequence."""
        return self.of(explained.order, explained.value(self, place))

    def of(self, order: ByScore, value: float) -> list[Explanation]:
        """Return the explained addend of an element or a window with a value."""
        weight = self.weight(order)
        text = f"{weight:g} × {value:.6f}, weight of the query, whose words it has as typed"
        return [Explanation(self.name, weight * value, text, facts={"weight": weight})] if value else []


def sequence_column(
    index: IndexReader, order: ByScore, documents: Rows, context: Context, weights: TermWeights
) -> FloatArray:
    """Return the weight of the query for each element that contains its sequence, 0 for the others.

    Args:
        documents: of the elements, ascending. weights: of the terms of the query.
    """
    leaves = _leaves_with_sequence(index, order, documents)
    has_sequence = leaves.searchsorted(context.ends) > leaves.searchsorted(context.rows)
    return np.where(has_sequence, weights.of_units(len(context.rows)), 0.0)


def sequence_of_windows(
    index: IndexReader, order: ByScore, documents: Rows, of_leaves: FloatArray, begins: Rows, ends: Rows
) -> FloatArray:
    """Return what the sequence adds to windows of words, its weight included.

    Args:
        of_leaves: the column of the leaf of each. begins, ends: numbers of the first word, and past the last one.
    """
    if not (of_leaves.any() and order.sequence is not None):
        return np.zeros(len(begins))
    found = phrase_intervals(index.elements, order.sequence, documents)  # all have the same length
    has_sequence = np.sort(found.last).searchsorted(ends) > np.sort(found.first).searchsorted(begins)
    return SEQUENCE.weight(order) * np.where(has_sequence, of_leaves, 0.0)


def sequence_bound(index: IndexReader, order: ByScore, documents: Rows, of_query: FloatArray) -> FloatArray:
    """Return the most that the column is in each of some documents (ascending), given the weight of the query there."""
    with_sequence = index.elements.document(_leaves_with_sequence(index, order, documents))
    return np.where(is_among(documents, distinct(with_sequence)), of_query, 0.0)


def _leaves_with_sequence(index: IndexReader, order: ByScore, documents: Rows) -> Rows:
    """Return the leaves of some documents with the sequence of a query in their own text, ascending; no titles."""
    if order.sequence is None:
        return np.empty(0, np.int64)
    leaves = np.sort(phrase_intervals(index.elements, order.sequence, documents).rows)
    is_title = index.elements.is_tag(index.profile.all_title_tags).take(index.elements.tag(leaves))
    return leaves.compress(~is_title)


SEQUENCE = SequencePart()
