"""Which windows of sentences can be among the answers: others need not be scored, and what scores less is left out.

Of two passages that share words the one with the higher score stays. So what scores less than the last answer neither
is an answer nor removes one. Whole elements are scored first, which bounds the score of the last answer from below:
each of them contains a window or has no word in common with it, so that where a better window removes one, the window
stays.

A window scores no more by itself than its leaf would if it had no more words than the shortest window.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, nth_highest, places_of
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.candidate_columns import Candidates
from engine.ranking.parts.leaf import highest_of_passages
from engine.ranking.parts.part import ElementEvidence
from engine.ranking.parts.sequence import SEQUENCE
from engine.ranking.scoring.element_bounds import ROUNDING, has_bounds
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.selection.selection import select
from engine.ranking.trace import current_trace
from engine.records import NamedTuple, with_values

# Whole elements from which the answers among them are selected, for each answer.
SELECTED_FROM = 8


class PruningThreshold(NamedTuple):
    """Which candidates are needed: those with a score of `lowest` or more, -inf where that is not known.

    of_articles: what each ranked article adds to the scores of its candidates.
    """

    lowest: float
    of_articles: FloatArray

    def total(self, found: Candidates) -> FloatArray:
        """Return the scores of candidates, given those inside their articles."""
        scores: FloatArray = found.known_scores + self.of_articles.take(found.articles)
        return scores


def can_prune(plan: Plan, order: ByScore) -> bool:
    """Return whether windows can be left out: there are whole elements, scores have a bound.

    What is explained, or fused with images, is all scored.
    """
    if current_trace().is_on or plan.images is not None:
        return False
    selection = plan.selection
    is_plain = not selection.groups_by_article and selection.max_per_article is None and selection.word_budget is None
    has_wholes = order.passages and bool(order.whole_weight)
    return has_wholes and is_plain and has_bounds(plan.query, order)


def lowest_of_wholes(index: IndexReader, plan: Plan, order: ByScore, wholes: Candidates, scores: FloatArray) -> float:
    """Return a score that the last answer has at least, by whole elements alone; -inf if too few are known.

    Elements of so few sentences that one window can be all of them are not candidates then, and count for nothing.

    Args:
        scores: of the whole elements.
    """
    n_selected = SELECTED_FROM * plan.selection.max_answers
    if len(wholes) <= n_selected:
        return -np.inf
    lowest = nth_highest(scores, n_selected)
    best = places_of(scores >= lowest)
    elements, rows = index.elements, wholes.rows.take(best)
    is_leaf = elements.n_own_words(rows) == wholes.words.take(best)
    can_be_window = is_leaf & (elements.n_sentences(rows) <= order.max_sentences)
    best = best.compress(~can_be_window)
    selected = select(plan.selection, with_values(wholes.at(best), scores=scores.take(best)))
    is_full = selected.scores is not None and len(selected) == plan.selection.max_answers
    return float(selected.scores[-1]) if is_full and selected.scores is not None else -np.inf


def can_be_answers(
    index: IndexReader,
    order: ByScore,
    scorer: ElementScorer,
    evidence: ElementEvidence,
    places: Rows,
    inside: FloatArray,
    of_articles: FloatArray,
    lowest: float,
) -> Mask:
    """Return in which leaves a window can score `lowest` or more.

    Args:
        places: of the leaves among the scored elements; inside: their scores in their context. of_articles: what the
            articles of the leaves add.
    """
    shortest = order.min_passage_words.resolve(index.statistics.block_words)
    if evidence.units is None:
        raise TypeError("elements without terms")
    own = scorer.highest(evidence.units.at(places), evidence.context.words.take(places), max(shortest, 1.0))
    own = own + SEQUENCE.weight(order) * evidence.of_sequence.take(places)
    highest = highest_of_passages(order, own, inside)
    highest = highest + of_articles
    return np.asarray(highest + ROUNDING * (np.abs(highest) + np.abs(of_articles)) >= lowest)
