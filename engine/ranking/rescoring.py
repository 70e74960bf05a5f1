"""The candidates of a query, scored again under other weights without another search.

The parts of their scores (`engine.ranking.score_parts`) are computed once; under any weights, scores are those of a
search, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.index.reader import IndexReader
from engine.ranking.candidate_columns import Candidates
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import added_up
from engine.ranking.parts.coverage import coverage_factors, times_coverage
from engine.ranking.parts.leaf import with_leaf
from engine.ranking.score_parts import ScoreParts
from engine.ranking.scoring.focus import with_focus
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.selection.answer_order import in_order


def best_parts(index: IndexReader, parts: ScoreParts, n_best: int) -> ScoreParts:
    """Return the parts of the best candidates under the weights of the settings, with all that their scores need."""
    if n_best >= len(parts):
        return parts
    found = rescored(parts, {})
    best = in_order(found.known_scores, found.articles, found.begins, n_best)
    return parts.at(index, np.sort(best))


def rescored(parts: ScoreParts, weights: Mapping[str, float]) -> Candidates:
    """Return the candidates with their scores under some weights; those that are not given are as they were."""
    given: dict[str, Any] = dict(weights)
    if "parent_weight" in given:
        given["leaf_weight"] = given["parent_weight"]
    order = with_focus(replace(parts.order, **given), parts.focus)
    factors = coverage_factors(parts.covered, order.coverage)
    scores = added_up(replace(parts.evidence, order=order, factors=factors)).values[parts.places]
    if parts.candidates.sentences is not None:
        of_windows = coverage_factors(parts.covered_by_windows, order.coverage)
        windows = with_leaf(order, times_coverage(parts.candidates.known_scores, of_windows), scores)
        scores = np.where(parts.candidates.sentences[:, 0] == WHOLE, parts.shares * scores, windows)
    return replace(parts.candidates, scores=scores + ARTICLE.column(order, parts.of_articles))
