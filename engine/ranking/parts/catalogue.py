"""All parts of the score of an element, in the order in which they are added.

    score(e) = sum of weight x column over the parts; a part is one file of this package;
    `coverage` is a factor of two of them, `leaf` what a window of sentences takes from its leaf

The sum, the bounds of articles, pruning, explanations, the weights that are learned and the page on scoring go through
these lists: a new part is one file and one entry here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.arrays import FloatArray
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.parts import coverage
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.element import ELEMENT
from engine.ranking.parts.figures import FIGURES, in_figures
from engine.ranking.parts.headings import HEADINGS, heading_scores, with_named
from engine.ranking.parts.inheritance import INHERITANCE
from engine.ranking.parts.leaf import highest_of_passages
from engine.ranking.parts.neighbours import NEIGHBOURS
from engine.ranking.parts.own import columns_of_own_parts, own_parts
from engine.ranking.parts.part import (
    ArticleEvidence,
    ElementEvidence,
    ElementScores,
    ExplainedElements,
    Explanation,
    InnerPart,
    Part,
)
from engine.ranking.parts.sequence import SEQUENCE, sequence_column
from engine.ranking.scoring.context import Context
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.similarity.values import Pairs

# Parts from inside the article; that of the article is added to elements and passages alike.
INNER: list[InnerPart] = [ELEMENT, INHERITANCE, HEADINGS, NEIGHBOURS, FIGURES, SEQUENCE]


def inner(order: ByScore) -> list[InnerPart]:
    """Return the parts from inside the article, those from outside foxir after foxir's own."""
    return [*INNER, *own_parts(order)] if order.own_parts else INNER


def parts(order: ByScore | None = None) -> Sequence[Part]:
    """Return all parts in the order in which they are added, with those from outside that an order has."""
    return (*(INNER if order is None else inner(order)), ARTICLE)


def learned_weights() -> Mapping[str, Sequence[float]]:
    """Return the settings that weigh parts, with the values that are tried for each; coverage is a factor of parts."""
    weights = {part.setting: part.tried for part in (ARTICLE, *INNER) if part.tried}
    return {**weights, coverage.SETTING: coverage.TRIED}


WEIGHTS = tuple(learned_weights())


def focused_weights(order: ByScore, focus: float) -> dict[str, float]:
    """Return the weights that contain the focus of a query."""
    return {part.setting: part.weight(order) * focus for part in parts() if part.has_focus}


def evidence_of(
    index: IndexReader,
    context: Context,
    pairs: Pairs | None,
    scorer: ElementScorer,
    order: ByScore,
    query: str,
    *,
    with_surroundings: bool,
) -> ElementEvidence:
    """Return elements with what their parts are computed from; that of an element without a query term is 0.

    Args:
        pairs: the terms in elements, where they were counted.
        query: as typed, for parts from outside.
        with_surroundings: whether headings and neighbours count; they need the context of all matches.
    """
    columns = context.rows, context.ends, context.document, context.words, context.inline
    found = scorer.elements(*columns, pairs)
    of_headings, factors = np.zeros(len(context.rows)), found.factors
    if found.units is not None and with_surroundings and HEADINGS.weight(order):
        weights, pairs = scorer.term_weights(found.units), found.units.pairs
        of_headings = heading_scores(pairs, weights, context.scopes, len(context.rows))
        if factors is not None and len(context.headed):
            which = context.headed, of_headings, weights, pairs
            factors = coverage.with_coverage_of_headings(factors, *which, order.coverage)
        of_headings = with_named(of_headings, weights, pairs, context.scopes, context.words)
    of_sequence = np.zeros(len(context.rows))
    if found.units is not None and SEQUENCE.weight(order):
        weights = scorer.term_weights(found.units)
        of_sequence = sequence_column(index, order, scorer.documents, context, weights)
    return ElementEvidence(
        order,
        index.statistics.block_words,
        context,
        found.values,
        factors,
        found.units,
        of_headings,
        of_sequence,
        with_surroundings,
        in_figures(index, context) if FIGURES.weight(order) else context.rows[:0],
        columns_of_own_parts(index, query, order, context, scorer.documents),
    )


def added_up(evidence: ElementEvidence) -> ElementScores:
    """Return elements with their scores inside their article: the sum of the parts, each times its weight."""
    columns: dict[str, FloatArray] = {}
    total = np.zeros(len(evidence.context.rows))
    for part in inner(evidence.order):
        weight = part.weight(evidence.order)
        if weight and (evidence.with_surroundings or not part.needs_surroundings):
            columns[part.name] = column = part.column(evidence)
            total += column if weight == 1 else weight * column
    return ElementScores(evidence, columns, total)


def has_bounds(order: ByScore) -> bool:
    """Return whether all parts have bounds under some weights."""
    return all(part.has_bound(order) for part in parts(order))


def highest(articles: ArticleEvidence) -> FloatArray:
    """Return the most that an answer of each article scores inside it: an element, or a passage."""
    order, total = articles.order, np.zeros(len(articles.alone))
    for part in inner(order):
        if weight := part.weight(order):
            total += weight * part.bound(articles)
    if not order.passages:
        return total
    return highest_of_passages(order, articles.alone + SEQUENCE.weight(order) * SEQUENCE.bound(articles), total)


def explained(elements: ExplainedElements, place: int) -> tuple[Explanation, ...]:
    """Return the explanation of each part of the score of the element at a place."""
    return tuple(explanation for part in parts(elements.order) for explanation in part.explain(elements, place))
