"""Combines the score of an element with those of its ancestors, headings and neighbours: its score in context.

    element_score(e)  similarity of the text of e to the query, by a Q-expression, times the share of the query that e
                      contains to the power coverage
    inherited(e)      element_score(e) + parent_weight inherited(parent of e); 0 for a parent that is the root
    context_score(e)  inherited(e) + heading_weight headings(e) + neighbour_weight neighbours(e), see
                      `headings_and_neighbours`; headings count times the share to the power coverage, too
    score(e)          context_score(e) + article_weight score of the article, see `candidate_scores`

The text around an element raises its score, the less the farther away: a section about the query raises its paragraphs,
a paragraph its sentences. The text of the whole article is in the article's score, so the root passes nothing down.

Sources: the article inside the element's score, Sigurbjörnsson, Kamps & de Rijke, INEX 2003; contextualisation, Arvola,
Junkkari & Kekäläinen, CIKM 2005.
"""

from __future__ import annotations

import numpy as np

from engine import kernels
from engine.array_types import FloatArray, Rows
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.scoring.context import Context, neighbours_in
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.headings_and_neighbours import best_neighbours, heading_scores
from engine.ranking.scoring.levels import levels
from engine.records import NamedTuple


class ScoredElements(NamedTuple):
    """The scores of elements; columns of shape (n,).

    of_headings: weight of the query's words in the headings of an element and of those above it, times coverage.
    of_neighbours: the better score of the neighbours, with the place of that one in neighbours, -1 if there is none.
    """

    context: Context
    element_scores: FloatArray
    context_scores: FloatArray
    of_headings: FloatArray
    of_neighbours: FloatArray
    neighbours: Rows

    @property
    def rows(self) -> Rows:
        """The elements, ascending."""
        return self.context.rows

    @property
    def words(self) -> Rows:
        """Words in the subtree of each element."""
        return self.context.words

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.context.places(rows)


def score_in_context(
    index: IndexReader, context: Context, scorer: ElementScorer, order: ByScore, *, with_surroundings: bool = True
) -> ScoredElements:
    """Return the scores of elements and of their ancestors; the element score of one without a query term is 0.

    Args:
        with_surroundings: whether headings and neighbours count; they need the context of all matches.
    """
    scores = scorer.elements(context.rows, context.ends, context.document, context.words, context.inline)
    of_headings = np.zeros(len(context.rows))
    if with_surroundings and order.heading_weight:
        pairs, weights = scorer.last_terms()
        of_headings = heading_scores(pairs, weights, context.scopes, len(context.rows))
        if order.coverage:
            of_headings = of_headings * scorer.coverage_of_elements()
    return in_context(index, context, scores, of_headings, order, with_neighbours=with_surroundings)


def in_context(
    index: IndexReader,
    context: Context,
    scores: FloatArray,
    of_headings: FloatArray,
    order: ByScore,
    *,
    with_neighbours: bool,
) -> ScoredElements:
    """Return element scores with what the text around each element adds, shape (n,)."""
    if kernels.native is not None:
        none = context.parents[:0]
        pairs = none, none
        if with_neighbours and order.neighbour_weight:
            pairs = neighbours_in(context, index.statistics.block_words)
        of_parts = order.parent_weight, order.heading_weight, order.neighbour_weight
        given = scores, of_headings, context.parents, context.is_root, *pairs, *of_parts
        found, places = kernels.native.in_context(*given)
        total, of_neighbours = np.frombuffer(found, np.float64).reshape(2, -1)
        neighbours = np.frombuffer(places, np.int64)
        return ScoredElements(context, scores, total, of_headings, of_neighbours, neighbours)
    inherited = with_inherited(context, scores, order.parent_weight)
    of_neighbours, neighbours = np.zeros(len(scores)), np.full(len(scores), -1)
    if with_neighbours and order.neighbour_weight:
        of_neighbours, neighbours = best_neighbours(scores, *neighbours_in(context, index.statistics.block_words))
    total = inherited + order.heading_weight * of_headings + order.neighbour_weight * of_neighbours
    return ScoredElements(context, scores, total, of_headings, of_neighbours, neighbours)


def has_highest_in_context(share: float) -> bool:
    """Return whether what an element inherits has a limit."""
    return 0 <= share < 1


def highest_in_context(highest: FloatArray, share: float) -> FloatArray:
    """Return the most that an element can score with its ancestors if none of them scores more than `highest` alone.

    It is the limit of the sum over ever more ancestors. Raises: ValueError where there is no limit.
    """
    if not has_highest_in_context(share):
        raise ValueError(f"parent_weight = {share}: no bound")
    return highest / (1 - share)


def with_inherited(context: Context, scores: FloatArray, share: float) -> FloatArray:
    """Add to each score `share` times the total of the parent, from the top downwards; roots pass nothing down."""
    totals = scores.copy()
    if share:
        for level, above in levels(context.parents, context.is_root, context.depths):
            totals[level] += share * totals.take(above)
    return totals
