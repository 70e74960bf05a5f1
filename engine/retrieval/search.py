"""The line: Plan -> RankedArticles -> Matches -> Candidates -> Scored -> Selected -> Answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange, summed
from engine.index.wrong_numbers import reads_columns
from engine.query.limits import check_time, limited
from engine.retrieval.answer_columns import AnswerColumns
from engine.retrieval.answer_scope import matches_in_scope, with_scope_notices
from engine.retrieval.answers import RankedAnswers
from engine.retrieval.articles import RankedArticles, rank_articles
from engine.retrieval.batches import (
    CLOSER_FROM,
    GROWTH,
    SEARCHED_ANYWAY,
    ArticleBatch,
    batch_at,
    batch_of,
    first_by_score,
    first_size,
    next_size,
)
from engine.retrieval.best_answers import BestAnswers
from engine.retrieval.candidate_scores import Scored, score_candidates
from engine.retrieval.candidates import find_candidates
from engine.retrieval.example_images import with_images
from engine.retrieval.image_fusion import fuse
from engine.retrieval.image_query import ExampleImage
from engine.retrieval.image_scores import ScoredImages, best_images, image_rows, score_images, with_image_articles
from engine.retrieval.matches import Matches, find_matches, first_matches
from engine.retrieval.needed_windows import Needed
from engine.retrieval.plan import ByHeuristic, ByScore, Plan, WholeArticles
from engine.retrieval.planning import make_plan
from engine.retrieval.scoring.article_pruning import why_without_bounds
from engine.retrieval.scoring.bounds import Bounds, article_bounds, closer_bounds
from engine.retrieval.scoring.eligibility import shortest_answer
from engine.retrieval.scoring.focus import focused
from engine.retrieval.selection import Selected, joined, select
from engine.retrieval.semantic_order import by_words, order_by_meaning
from engine.retrieval.shard_merging import any_of, largest
from engine.retrieval.structure import read_structure
from engine.retrieval.term_bound import within_max_terms
from engine.retrieval.trace import Trace
from engine.settings import Settings

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
# Called after each stage with its name, its value and its seconds; for several batches of articles, once per batch.
Observer = Callable[[str, Any, float], None]


@reads_columns
def search(
    index: IndexReader,
    text: str,
    settings: Settings,
    observe: Observer | None = None,
    trace: Trace | None = None,
    images: Sequence[ExampleImage] = (),
) -> RankedAnswers:
    """Return the answers to a query, best first; they do not depend on an observer or a trace.

    Args:
        images: example images beside those that the query names.

    Raises: QueryError for a query that cannot be parsed; QueryLimitError for one that needs more terms, memory or time
        than the settings allow; SettingsError for settings that exclude one another.
    """
    began = time.perf_counter()
    with limited(settings.max_query_memory, settings.max_seconds):
        return _searched(index, text, settings, observe, trace, images, began)


def _searched(
    index: IndexReader,
    text: str,
    settings: Settings,
    observe: Observer | None,
    trace: Trace | None,
    given: Sequence[ExampleImage],
    began: float,
) -> RankedAnswers:
    plan, images, ranked = begun(index, text, settings, given, observe, trace)
    selected = _selected(index, by_words(index, plan), ranked, images, observe, trace)
    if plan.semantic is not None:
        found = _stage(
            observe, "semantic", order_by_meaning, index, plan, plan.semantic, ranked.documents, selected, trace
        )
        selected = found.selected
        plan = replace(plan, notices=(*plan.notices, found.notice)) if found.notice else plan
    columns = _stage(observe, "answers", _answer_columns, index, plan, ranked, images, selected)
    return RankedAnswers(index, replace(columns, seconds=time.perf_counter() - began))


class Begun(NamedTuple):
    """A search before its articles are searched: images are scored (None without example images), articles ranked."""

    plan: Plan
    images: ScoredImages | None
    ranked: RankedArticles


def begun(
    index: IndexReader,
    text: str,
    settings: Settings,
    given: Sequence[ExampleImage] = (),
    observe: Observer | None = None,
    trace: Trace | None = None,
) -> Begun:
    """Plan a query, score its images and rank the articles: all that precedes the search inside articles."""
    plan = _stage(observe, "plan", plan_query, index, text, settings, given)
    if trace is not None:  # matches that are not needed for the answers are explained, too
        plan = replace(plan, matching=replace(plan.matching, finds_rows=True))
    images = None if plan.images is None else _stage(observe, "images", score_images, index, plan.images)
    ranked = _stage(observe, "articles", rank_articles, index, plan, trace)
    plan = focused(index, plan, ranked_in_all(index, plan, ranked), trace)
    if images is not None:
        ranked = with_image_articles(index, plan, ranked, images)
    return Begun(plan, images, ranked)


def plan_query(index: IndexReader, text: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> Plan:
    """Return the plan of a query, without the function words of the index and with `max_terms` terms at most."""
    plan = make_plan(text, index.analyser, settings, index.function_words, needs_text=not images)
    if images or plan.query.image_references:
        plan = with_images(index, plan, images)
    return with_scope_notices(index, within_max_terms(index, plan))


def ranked_in_all(index: IndexReader, plan: Plan, ranked: RankedArticles) -> RankedArticles:
    """Return the articles as they are ranked in all documents, from which the weights of the query are estimated."""
    if plan.scope.documents is None or not isinstance(plan.order, ByScore) or plan.order.focus is not None:
        return ranked
    return rank_articles(index, replace(plan, scope=replace(plan.scope, documents=None)))


def _selected(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    images: ScoredImages | None,
    observe: Observer | None,
    trace: Trace | None,
) -> Selected:
    """Return the answers; a trace, images, and what shards combine need all articles at once."""
    is_alone = index.exchange is None
    if trace is None and images is None:
        if isinstance(plan.order, ByHeuristic) and (is_alone or plan.matching.n_first is None):
            return joined(list(_by_article(index, plan, ranked, observe)), plan.selection.max_answers)
        if isinstance(plan.order, ByScore):
            if is_alone or plan.selection.word_budget is None:
                bounds = _stage(observe, "bounds", article_bounds, index, plan, plan.order, ranked)
                if bounds.highest is not None:
                    return _by_score(index, plan, plan.order, ranked, bounds, observe)
            if index.exchange is not None and not why_without_bounds(plan, plan.order):
                scored = _by_shard(index, index.exchange, plan, plan.order, ranked, observe)
                return _stage(observe, "selected", select, index.elements, plan.selection, scored, None, index.exchange)
    batch, n_first = batch_of(ranked), plan.matching.n_first
    lowest = -np.inf if trace is None and images is None else None
    matches, scored = scored_batch(index, plan, ranked, batch, n_first, observe, trace, images, lowest)
    if images is not None and plan.images is not None:
        by_text = scored, ranked.scores
        fused = _stage(observe, "fused", fuse, index, plan, plan.images, images, by_text, batch, matches)
        scored = fused.scored
        if trace is not None:
            trace.record("images", images)
            trace.record("fused", fused)
    selected = _stage(observe, "selected", select, index.elements, plan.selection, scored, trace, index.exchange)
    if trace is not None:
        trace.record("matches", matches)
        trace.record("scored", scored)
    return selected


def _by_article(index: IndexReader, plan: Plan, ranked: RankedArticles, observe: Observer | None) -> Iterator[Selected]:
    """Yield the answers from consecutive batches of articles until there are enough."""
    n_wanted, matches_left = plan.selection.max_answers, plan.matching.n_first
    first, n_found, size = 0, 0, first_size(index, plan, ranked)
    while True:
        matches, scored = scored_batch(index, plan, ranked, batch_of(ranked, first, size), matches_left, observe)
        selected = _stage(observe, "selected", select, index.elements, plan.selection, scored)
        yield selected
        first, n_found = first + size, n_found + len(selected)
        if matches_left is not None:
            matches_left -= matches.n_counted(of_targets=plan.matching.of_targets)
        if first >= len(ranked) or n_found >= n_wanted or matches_left == 0:
            return
        size = next_size(size, first, n_found, n_wanted - n_found)


def _by_score(
    index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles, bounds: Bounds, observe: Observer | None
) -> Selected:
    """Return the answers from batches of articles, the best first, until none that is left can surpass them.

    Where no passage at all has enough words, shorter ones are answers, which only a search of all articles can tell.
    Of several shards, each searches what can be among the answers of all, by what all found in their first batches.
    """
    exchange, index = index.exchange, index.alone()
    shortest = 0.0
    if plan.selection.word_budget is not None:
        shortest = shortest_answer(index, plan, order, ranked.documents.take(bounds.places))
    best = BestAnswers(
        index.elements, plan.selection, shortest, lambda *given: _stage(observe, "selected", select, *given)
    )
    size = first_by_score(plan) if exchange is None else -(-first_by_score(plan) // exchange.n_shards)
    n_candidates, are_close, is_shared = 0, False, exchange is None
    left = due = bounds
    while len(due) or not is_shared:
        places = due.places[:size]
        _, scored = scored_batch(index, plan, ranked, batch_at(ranked, places), None, observe, lowest=best.lowest)
        best.add(scored)
        n_candidates += len(scored)
        if exchange is not None and not is_shared:
            best.share(exchange)
            is_shared = True
        # A better answer can leave more of a word budget to others, so that articles are due that were not before.
        left, size, lowest = left.without(places), size * GROWTH, best.lowest
        due = left.reaching(lowest)
        if not are_close and due.n_expected(lowest) > SEARCHED_ANYWAY * len(ranked):
            size, are_close = len(ranked), True
        if not are_close and len(due) >= CLOSER_FROM:
            closer = _stage(observe, "bounds", closer_bounds, index, plan, order, ranked, due)
            left, are_close = left.tightened(closer), True
            due = left.reaching(lowest)
    if order.passages and not _in_any_shard(exchange, n_candidates > 0):
        best.add(scored_batch(index, plan, ranked, batch_of(ranked), None, observe)[1])
    return best.selected


def _by_shard(
    index: IndexReader, exchange: Exchange, plan: Plan, order: ByScore, ranked: RankedArticles, observe: Observer | None
) -> Scored:
    """Return the candidates in all articles of this shard, where each article is scored by itself.

    Shards learn of the others only whether any has a passage that is long enough.
    """
    alone, batch = index.alone(), batch_of(ranked)
    _, scored = scored_batch(alone, plan, ranked, batch._replace(is_whole=False), None, observe)
    if order.passages and not _in_any_shard(exchange, len(scored) > 0):
        _, scored = scored_batch(alone, plan, ranked, batch, None, observe)
    return scored


def _in_any_shard(exchange: Exchange | None, is_here: bool) -> bool:
    return is_here if exchange is None else bool(exchange.combine(any_of, np.array([is_here]))[0])


def scored_batch(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    n_first: int | None,
    observe: Observer | None = None,
    trace: Trace | None = None,
    images: ScoredImages | None = None,
    lowest: float | None = None,
) -> tuple[Matches, Scored]:
    """Return the matches of a batch of articles, at most the first n, and the scored candidates made of them.

    Args:
        lowest: the score that a candidate needs to be an answer, -inf where that is not known: candidates that cannot
            be answers may be left out. None where all are needed.
    """
    matches = _stage(observe, "matches", structured_matches, index, plan, batch, n_first, trace, images)
    needed = None
    if lowest is not None and isinstance(plan.order, ByScore):
        needed = Needed(lowest, plan.order.article_weight * ranked.scores)
    candidates = _stage(observe, "candidates", find_candidates, index, plan, batch, matches, trace, needed)
    if trace is not None:
        trace.record("candidates", candidates)
    return matches, _stage(observe, "scored", score_candidates, index, plan, ranked, candidates)


def structured_matches(
    index: IndexReader,
    plan: Plan,
    batch: ArticleBatch,
    n_first: int | None,
    trace: Trace | None = None,
    images: ScoredImages | None = None,
) -> Matches:
    """Return the matches in a batch of articles that the structure of the query and the scope leave, at most n.

    Whole articles are answers without matches.
    """
    if isinstance(plan.order, WholeArticles):
        return Matches(batch.documents, (), np.empty(0, np.int64))
    found = find_matches(index.elements, plan.query, batch.documents, plan.matching, trace)
    if images is not None:
        found = found.with_image_rows(image_rows(images, index.elements, found.documents))
    matches = read_structure(index, plan.query, plan.matching, found, trace)
    matches = matches_in_scope(index, plan, matches, trace)
    if n_first is None:
        return matches
    of_targets = plan.matching.of_targets
    if index.exchange is not None:
        n_first = _own_share(index, index.exchange, batch, matches, n_first, of_targets=of_targets)
    return first_matches(index.elements, matches, batch.ranked, n_first, of_targets=of_targets, trace=trace)


def _own_share(
    index: IndexReader, exchange: Exchange, batch: ArticleBatch, matches: Matches, n_first: int, *, of_targets: bool
) -> int:
    """Return how many of the first matches of all shards are in this one."""
    rows = matches.targets if of_targets and matches.targets is not None else matches.rows
    n_articles = exchange.combine(largest, int(batch.places.max(initial=-1)) + 1)
    places = batch.places[np.searchsorted(batch.documents, index.elements.document(rows))]
    counts = np.bincount(places, minlength=n_articles)
    total = exchange.combine(summed, counts)
    before = np.cumsum(total) - total
    return int(np.minimum(counts, np.maximum(n_first - before, 0)).sum())


def _answer_columns(
    index: IndexReader, plan: Plan, ranked: RankedArticles, images: ScoredImages | None, selected: Selected
) -> AnswerColumns:
    """Return the answers with their retrieval status values."""
    n_answers = plan.selection.max_answers
    of_answers = None if images is None else best_images(index.elements, images, selected.rows)
    if isinstance(plan.order, WholeArticles):
        rsv = ranked.scores[selected.articles] if selected.scores is None else selected.scores
    else:
        rsv = (n_answers - np.arange(len(selected), dtype=np.float64)) / n_answers
    return AnswerColumns(
        plan=plan,
        ranked=ranked,
        documents=ranked.documents[selected.articles],
        elements=selected.rows,
        article=selected.articles,
        rsv=rsv,
        scores=selected.scores,
        sentences=selected.sentences,
        images=of_answers,
        image_scores=None if images is None or of_answers is None else np.append(images.means, 0.0)[of_answers],
        image_groups=() if images is None else images.groups,
    )


def _stage(
    observe: Observer | None,
    name: str,
    function: Callable[Arguments, Value],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Value:
    """Return the value of a stage, and report it with its time."""
    check_time()
    if observe is None:
        return function(*arguments, **options)
    began = time.perf_counter()
    value = function(*arguments, **options)
    observe(name, value, time.perf_counter() - began)
    return value
