"""Candidates with scores inside their articles: elements, or windows of sentences and whole elements beside them."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.arrays import Rows, distinct, is_among, places_of
from engine.index.elements.containment import contains_any, is_inside
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerRule, ByScore, Plan
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import Candidates
from engine.ranking.eligibility.eligibility import eligible_places
from engine.ranking.eligibility.title_text import asks_for_titles
from engine.ranking.eligibility.whole_elements import are_of_sentences, are_undivided_texts, whole_shares
from engine.ranking.matches import Matches
from engine.ranking.parts.catalogue import added_up, evidence_of
from engine.ranking.parts.part import ElementScores
from engine.ranking.parts.sequence import sequence_of_windows
from engine.ranking.scoring.context import context_of_answers
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.passages import WHOLE, score_windows, windows_of
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.trace import Reason, current_trace
from engine.ranking.window_pruning import PruningThreshold, can_be_answers, can_prune, lowest_of_wholes
from engine.records import dataclass, with_values
from engine.sharded_search.shard_merging import any_of


@dataclass(frozen=True, eq=False)
class ScoredBatch:
    """A batch of articles whose elements are scored: what candidates are made of.

    places: of each document of the matches, its place in the ranking.
    """

    index: IndexReader
    plan: Plan
    order: ByScore
    scorer: ElementScorer
    scores: ElementScores
    matches: Matches
    places: Rows


def candidates_by_score(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    batch: ArticleBatch,
    matches: Matches,
    needed: PruningThreshold,
    weights: DocumentWeights | None = None,
) -> Candidates:
    """Return the candidates with their scores inside their articles.

    With a trace, elements that cannot be answers are scored, too, so that their scores can be explained.

    Args:
        needed: which passages are.
        weights: of the terms in these articles and others, where they are known.
    """
    scorer = ElementScorer(index, plan.query, order, batch.documents, matches, weights)
    if index.exchange.n_shards == 1 and can_prune(plan, order):
        found = _needed_passages(score_batch(index, plan, order, batch, matches, scorer, with_short=False), needed)
        if len(found) or not batch.is_whole:
            return found
    given = score_batch(index, plan, order, batch, matches, scorer, everything=current_trace().is_on)
    current_trace().record("scorer", scorer)
    current_trace().record("elements", given.scores)
    return candidates_of(given, takes_short=batch.is_whole)


def score_batch(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    batch: ArticleBatch,
    matches: Matches,
    scorer: ElementScorer,
    **which: bool,
) -> ScoredBatch:
    """Return the elements that can be answers or contain matches, with their scores inside their articles.

    Args:
        which: of these elements, as `context_of_answers` has it.
    """
    context, pairs = context_of_answers(index, plan, order, matches, scorer.occurrences, **which)
    with_surroundings = matches.targets is None
    evidence = evidence_of(index, context, pairs, scorer, order, plan.query.text, with_surroundings=with_surroundings)
    places = batch.places[batch.documents.searchsorted(matches.documents)]
    return ScoredBatch(index, plan, order, scorer, added_up(evidence), matches, places)


def candidates_of(given: ScoredBatch, *, takes_short: bool) -> Candidates:
    """Return the elements, or the passages, that can be answers.

    Args:
        takes_short: whether all windows of sentences are candidates if no text has enough words.
    """
    if not given.order.passages:
        return _elements(given)
    wholes = _wholes(given) if given.order.whole_weight else None
    windows = _windows(given, wholes, takes_short=takes_short)
    return windows if wholes is None else _with_windows(given.index, wholes, windows)


def _needed_passages(given: ScoredBatch, needed: PruningThreshold) -> Candidates:
    """Return the passages that can be answers, without windows that are too short, as candidates."""
    wholes = _wholes(given)
    of_wholes = needed.total(wholes)
    lowest = max(needed.lowest, lowest_of_wholes(given.index, given.plan, given.order, wholes, of_wholes))
    windows = _windows(given, wholes, takes_short=False, needed=needed._replace(lowest=lowest))
    found = _with_windows(given.index, wholes.at(places_of(of_wholes >= lowest)), windows)
    return found.at(places_of(needed.total(found) >= lowest))


def _elements(given: ScoredBatch) -> Candidates:
    """Return the elements that can be answers as candidates."""
    index, plan, matches, scores = given.index, given.plan, given.matches, given.scores
    context = scores.context
    chosen = eligible_places(index, plan, given.order, matches, context)
    if plan.scope.restricts_elements:
        chosen = chosen[is_in_scope(index, plan, context.rows[chosen], matches.documents)]
    rows, ends = context.rows[chosen], context.ends[chosen]
    articles = given.places.take(context.document[chosen])
    return Candidates(rows, articles, rows, ends, context.words[chosen], scores.values[chosen])


def _wholes(given: ScoredBatch) -> Candidates:
    """Return whole elements as passages; of which kind answers are does not count, but strict targets do.

    Elements without words, such as figures, which a path without words can lead to, are not passages, nor are those
    with a match in undivided text.
    """
    index, plan, leaves = given.index, given.plan, given.matches.rows
    rule = AnswerRule(is_target=plan.answers.is_target)
    found = _elements(with_values(given, plan=with_values(plan, answers=rule)))
    elements, trace = found, current_trace()
    is_passage = found.words > 0
    trace.drop("candidates", Reason.MIN_PASSAGE_WORDS, lambda: distinct(elements.rows.compress(elements.words == 0)))
    if len(given.scores.context.inline.rows):
        is_passage &= ~index.elements.is_inline(found.rows)
    undivided = leaves.compress(are_undivided_texts(index, leaves))
    if undivided.size:
        has_undivided = contains_any(index.elements, found.rows, undivided)
        around = has_undivided & ~is_among(found.rows, undivided)
        trace.drop("candidates", Reason.UNDIVIDED_TEXT, lambda: distinct(elements.rows.compress(around)))
        is_passage &= ~has_undivided
    found = found.at(places_of(is_passage))
    begins = index.elements.first_word(found.rows)
    return with_values(
        found,
        begins=begins,
        ends=begins + found.words,
        scores=whole_shares(index, given.order, found.rows) * found.known_scores,
        sentences=np.full((len(found), 2), WHOLE),
    )


def _with_windows(index: IndexReader, wholes: Candidates, windows: Candidates) -> Candidates:
    """Return whole elements and windows of sentences, without elements of which one window is all."""
    is_all = windows.words == index.elements.n_words(windows.rows)
    is_more = ~is_among(wholes.rows, distinct(windows.rows.compress(is_all)))
    return wholes.at(places_of(is_more)).joined(windows)


def _windows(
    given: ScoredBatch, wholes: Candidates | None, *, takes_short: bool, needed: PruningThreshold | None = None
) -> Candidates:
    """Return windows of sentences in the matches as candidates.

    Args:
        wholes: the whole elements beside them, None where passages are sentences only.
        takes_short: whether all windows are candidates if no text has enough words, and there are no whole elements.
        needed: which are; None for all. Where one can be all of a whole element that is needed, it is, too.
    """
    index, plan, order, trace = given.index, given.plan, given.order, current_trace()
    inside, matches = given.scores, given.matches
    elements, leaves = index.elements, matches.rows
    if matches.targets is not None:
        leaves = leaves[is_inside(elements, leaves, matches.targets)]
    shortest = order.min_passage_words.resolve(index.statistics.block_words)
    leaves = leaves[elements.n_own_words(leaves) >= (1 if needed is None else max(shortest, 1))]
    is_undivided = are_undivided_texts(index, leaves)
    if wholes is not None:
        of_sentences = are_of_sentences(index, order, leaves, is_undivided, wholes.rows)
        leaves, is_undivided = leaves.compress(of_sentences), is_undivided.compress(of_sentences)
    context, has_wholes = inside.context, wholes is not None and len(wholes) > 0
    of_leaves = context.places(leaves)
    if needed is not None and wholes is not None:
        alone, articles = inside.values.take(of_leaves), given.places.take(context.document.take(of_leaves))
        of_articles = needed.of_articles.take(articles)
        is_needed = can_be_answers(
            index, order, given.scorer, inside.evidence, of_leaves, alone, of_articles, needed.lowest
        )
        is_needed |= is_among(leaves, wholes.rows.compress(needed.total(wholes) >= needed.lowest))
        leaves, of_leaves, is_undivided = (each.compress(is_needed) for each in (leaves, of_leaves, is_undivided))
    is_text = np.ones(len(leaves), np.bool_)
    if not asks_for_titles(index, plan):
        is_text = ~context.is_mostly_titles.take(of_leaves)
    windows = partial(
        windows_of,
        elements,
        leaves,
        order.max_sentences,
        shortest,
        is_text=is_text,
        is_undivided=is_undivided,
    )
    if index.exchange.n_shards > 1:
        is_here = np.array([has_wholes or len(windows(takes_short=False).leaf) > 0])
        takes_short = not index.exchange.combine(any_of, is_here)[0]
    found = windows(takes_short=takes_short and not has_wholes)
    if given.scorer.terms and is_undivided.any():
        of_undivided = places_of(is_undivided.take(found.leaf))
        chosen = found.chosen(of_undivided)
        is_answer = np.ones(len(found.leaf), np.bool_)
        is_answer[of_undivided] = given.scorer.have_terms(leaves.take(chosen.leaf), chosen.begin, chosen.end)
        found = found.chosen(places_of(is_answer))
    rows_of_wholes = leaves[:0] if wholes is None else wholes.rows

    def kept() -> Rows:
        return distinct(np.concatenate([leaves.take(found.leaf), rows_of_wholes]))

    trace.keep("candidates", Reason.OF_ANOTHER_KIND, lambda: distinct(np.concatenate([leaves, rows_of_wholes])))
    trace.drop("candidates", Reason.MOSTLY_TITLES, lambda: leaves.compress(~is_text & ~is_among(leaves, kept())))
    trace.keep("candidates", Reason.MIN_PASSAGE_WORDS, kept)
    sequences = inside.evidence.of_sequence.take(of_leaves.take(found.leaf))
    sequences = sequence_of_windows(index, order, given.scorer.documents, sequences, found.begin, found.end)
    scores = score_windows(given.scorer, order, leaves, found, inside.values[of_leaves], sequences)
    return Candidates(
        rows=leaves.take(found.leaf),
        articles=given.places.take(context.document[of_leaves][found.leaf]),
        begins=found.begin,
        ends=found.end,
        words=found.end - found.begin,
        scores=scores,
        sentences=np.stack([found.first, found.last], axis=1),
    )
