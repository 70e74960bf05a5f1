"""The candidates of a query, scored again under other weights without another search.

The parts of their scores (`engine.ranking.score_parts`) are computed once; under any weights, scores are those of a
search, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.array_types import FloatArray
from engine.index.reader import IndexReader
from engine.ranking.candidate_scores import Scored
from engine.ranking.score_parts import ScoreParts
from engine.ranking.scoring.context_scores import in_context
from engine.ranking.scoring.focus import with_focus
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.selection.answer_order import in_order

# Settings that weigh the parts of a score, as `engine.explain` names them.
WEIGHTS = ("article_weight", "parent_weight", "heading_weight", "neighbour_weight", "coverage")


def best_parts(index: IndexReader, parts: ScoreParts, n_best: int) -> ScoreParts:
    """Return the parts of the best candidates under the weights of the settings, with all that their scores need."""
    if n_best >= len(parts):
        return parts
    found = rescored(index, parts, {})
    best = in_order(_column(found.scores), found.articles, found.begins, n_best)
    return parts.at(index, np.sort(best))


def rescored(index: IndexReader, parts: ScoreParts, weights: Mapping[str, float]) -> Scored:
    """Return the candidates with their scores under some weights; those that are not given are as they were."""
    given: dict[str, Any] = dict(weights)
    if "parent_weight" in given:
        given["leaf_weight"] = given["parent_weight"]
    order = with_focus(replace(parts.order, **given), parts.focus)
    similarities = _with_coverage(parts.similarities, parts.covered, order.coverage)
    of_headings = _with_coverage(parts.of_headings, parts.covered, order.coverage)
    found = in_context(index, parts.context, similarities, of_headings, order, with_neighbours=parts.with_neighbours)
    scores = found.context_scores[parts.places]
    if parts.candidates.sentences is not None:
        alone = _with_coverage(_column(parts.candidates.scores), parts.covered_by_windows, order.coverage)
        is_whole = parts.candidates.sentences[:, 0] == WHOLE
        scores = np.where(is_whole, parts.shares * scores, alone + order.leaf_weight * scores)
    return replace(parts.candidates, scores=scores + order.article_weight * parts.of_articles)


def _with_coverage(scores: FloatArray, covered: FloatArray, coverage: float) -> FloatArray:
    return scores * covered**coverage if coverage else scores


def _column(scores: FloatArray | None) -> FloatArray:
    if scores is None:
        raise TypeError("candidates without scores")
    return scores
