"""The parts of the scores of a query's candidates: what no weight changes, computed once.

These are similarities, shares of the query, headings and the scores of articles (`engine.ranking.parts`).
Candidates are scored again from them under other weights, without another search, bit for bit as a search scores them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.answers.answer_columns import AnswerColumns
from engine.arrays import ArrayRecord, FloatArray, Rows, mask_of, places_of
from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.query_limits import limited
from engine.ranking.articles import RankedArticles, rank_articles
from engine.ranking.batch_search import structured_matches
from engine.ranking.batches import batch_of
from engine.ranking.candidate_columns import Candidates
from engine.ranking.candidates_by_score import candidates_of, score_batch
from engine.ranking.eligibility.whole_elements import whole_shares
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import added_up
from engine.ranking.parts.coverage import coverage_factors, times_coverage
from engine.ranking.parts.leaf import with_leaf
from engine.ranking.parts.part import ElementEvidence
from engine.ranking.parts.sequence import sequence_of_windows
from engine.ranking.scoring.context import Context, neighbours_in
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.focus import focused, with_focus
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.search import plan_query, ranked_in_all
from engine.ranking.selection.selection import in_order
from engine.settings import Settings

# Weights that need the weights of single words.
OF_WORDS = frozenset({"heading_weight", "coverage"})


@dataclass(frozen=True, eq=False, repr=False)
class ScoreParts(ArrayRecord):
    """The parts of the scores of some candidates of a query; shapes (n_elements,) or (n_candidates,).

    order: the order by score without the focus. evidence: the elements that the scores are computed from. covered: the
        shares of the query that they contain.
    candidates: in document order; their scores are, of windows of sentences, those of the windows alone before
        coverage, else 0. sequences_of_windows: what a sequence adds to these.
    shares: of whole elements among passages, the share of their score that counts.
    places: of each candidate, or of its leaf, in the context. of_articles: scores of their articles.
    """

    plan: Plan
    ranked: RankedArticles
    order: ByScore
    focus: float
    evidence: ElementEvidence
    covered: FloatArray
    candidates: Candidates
    covered_by_windows: FloatArray
    sequences_of_windows: FloatArray
    shares: FloatArray
    places: Rows
    of_articles: FloatArray

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        return f"ScoreParts(candidates={len(self)}, elements={len(self.evidence.context.rows)})"

    def answers(self) -> AnswerColumns:
        """Return all candidates as answers in document order."""
        found = self.candidates
        return AnswerColumns(
            plan=self.plan,
            ranked=self.ranked,
            documents=self.ranked.documents[found.articles],
            elements=found.rows,
            article=found.articles,
            rsv=np.arange(len(found), 0, -1, dtype=np.float64),
            sentences=found.sentences,
        )

    def at(self, index: IndexReader, chosen: Rows) -> ScoreParts:
        """Return the parts of some candidates, with the ancestors and the neighbours that their scores depend on."""
        context = self.evidence.context
        is_kept = mask_of(self.places[chosen], len(context.rows))
        left, right = neighbours_in(context, index.statistics.block_words)
        beside = np.concatenate([right[is_kept[left]], left[is_kept[right]]])
        is_kept[beside] = True
        above = places_of(is_kept)
        while above.size:
            parents = context.parents[above]
            above = parents[~is_kept[parents]]
            is_kept[above] = True
        number = np.cumsum(is_kept) - 1
        return replace(
            self,
            evidence=replace(
                self.evidence,
                context=Context(
                    rows=context.rows[is_kept],
                    ends=context.ends[is_kept],
                    words=context.words[is_kept],
                    tags=context.tags[is_kept],
                    document=context.document[is_kept],
                    parents=number[context.parents[is_kept]],
                    is_root=context.is_root[is_kept],
                    is_mostly_titles=context.is_mostly_titles[is_kept],
                ),
                similarities=self.evidence.similarities[is_kept],
                units=None,
                of_headings=self.evidence.of_headings[is_kept],
                of_sequence=self.evidence.of_sequence[is_kept],
                in_figures=number[self.evidence.in_figures[is_kept[self.evidence.in_figures]]],
                of_own_parts={name: column[is_kept] for name, column in self.evidence.of_own_parts.items()},
            ),
            covered=self.covered[is_kept],
            candidates=self.candidates.at(chosen),
            covered_by_windows=self.covered_by_windows[chosen],
            sequences_of_windows=self.sequences_of_windows[chosen],
            shares=self.shares[chosen],
            places=number[self.places[chosen]],
            of_articles=self.of_articles[chosen],
        )


def score_parts(index: IndexReader, text: str, settings: Settings, varied: Collection[str]) -> ScoreParts:
    """Return the parts of the scores of all candidates of a query.

    Args:
        varied: the settings that will be changed, among the learned weights of `engine.ranking.parts.catalogue`.
    Raises: QueryError; SettingsError for settings under which nothing is scored, or candidates depend on weights.
    """
    with limited(settings.max_query_memory, settings.max_seconds):
        plan = plan_query(index, text, settings)
        order = plan.order
        if not isinstance(order, ByScore):
            raise SettingsError("weights are of scored elements: choose rank_by = score, and not approach = fulltext.")
        if plan.images is not None:
            raise SettingsError(
                "a query with example images has no weights of words alone: set image_weight to 0, or leave it out."
            )
        if plan.selection.joins_siblings:
            raise SettingsError("unit: weights are learned from elements or passages, not from runs of siblings.")
        ranked = rank_articles(index, plan)
        return _all_parts(index, focused(index, plan, ranked_in_all(index, plan, ranked)), order, ranked, set(varied))


def _all_parts(
    index: IndexReader, plan: Plan, unfocused: ByScore, ranked: RankedArticles, varied: set[str]
) -> ScoreParts:
    """Return the parts of the scores of all candidates; every part that a weight may add is computed."""
    order, batch = plan.order, batch_of(ranked)
    if not isinstance(order, ByScore) or (focus := order.focus) is None:
        raise TypeError("the plan has no focus")
    matches = structured_matches(index, plan, batch, plan.matching.n_first)
    order = replace(
        order, coverage=0.0, leaf_weight=0.0, heading_weight=1.0 if varied & OF_WORDS else order.heading_weight
    )
    scorer = ElementScorer(index, plan.query, order, batch.documents, matches)
    given = score_batch(index, plan, order, batch, matches, scorer)
    without_sequence = replace(given, order=replace(order, sequence=None))  # which coverage does not multiply
    found = candidates_of(without_sequence, takes_short=batch.is_whole)
    is_covered = "coverage" in varied or unfocused.coverage > 0
    evidence, units, windows = given.scores.evidence, given.scores.evidence.units, found.sentences is not None
    places = evidence.context.places(found.rows)
    sequences = evidence.of_sequence[places]
    return ScoreParts(
        plan=plan,
        ranked=ranked,
        order=unfocused,
        focus=focus,
        evidence=evidence,
        covered=scorer.shares(units) if is_covered and units is not None else np.ones(len(evidence.context.rows)),
        candidates=found if windows else replace(found, scores=np.zeros(len(found))),
        shares=whole_shares(index, order, found.rows),
        covered_by_windows=(
            scorer.shares_of_windows(found.rows, found.begins, found.ends)
            if windows and is_covered
            else np.ones(len(found))
        ),
        sequences_of_windows=sequence_of_windows(index, order, scorer.documents, sequences, found.begins, found.ends),
        places=places,
        of_articles=ranked.scores[found.articles],
    )


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
        own = times_coverage(parts.candidates.known_scores, of_windows) + parts.sequences_of_windows
        windows = with_leaf(order, own, scores)
        scores = np.where(parts.candidates.sentences[:, 0] == WHOLE, parts.shares * scores, windows)
    return replace(parts.candidates, scores=scores + ARTICLE.column(order, parts.of_articles))
