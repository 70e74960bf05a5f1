"""The pipeline: Plan -> RankedArticles -> Bounds -> Matches -> Candidates -> Selected -> Answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.answers.answer_columns import AnswerColumns, status_values
from engine.columns.checked_folder import reads_columns
from engine.image_search.example_images import with_images
from engine.image_search.image_fusion import fuse
from engine.image_search.image_scores import ScoredImages, best_images, score_images, with_image_articles
from engine.index.reader import IndexReader
from engine.planning.accents import with_accents
from engine.planning.max_terms import within_max_terms
from engine.planning.phrases import with_sequence, without_absent_phrases
from engine.planning.plan import ByHeuristic, ByScore, ExampleImage, Plan
from engine.planning.read_query import read_query
from engine.query_limits import limited
from engine.ranking.answers_in_batches import answers_by_article, answers_by_score, candidates_of_shard
from engine.ranking.articles import RankedArticles, rank_articles
from engine.ranking.batch_search import search_batch
from engine.ranking.batches import batch_of
from engine.ranking.facets import count_facets, order_by_field, with_checked_fields
from engine.ranking.observed_stage import Observer, observed, run_stage
from engine.ranking.scoring.article_bounds import article_bounds, no_bounds, reason_without_bounds
from engine.ranking.scoring.focus import focused, needs_best_score_alone
from engine.ranking.selection.answer_scope import with_scope_notices
from engine.ranking.selection.answers_by_rows import answered_by_rows
from engine.ranking.selection.floor_and_order import first_answers, with_floor_and_order
from engine.ranking.selection.longer_lists import cut_to_length, needs_longer_list, with_longer_list
from engine.ranking.selection.nearest_blocks import with_articles
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.rows_of_tables import RowsOfTables, rows_of_tables
from engine.ranking.selection.selection import Selected, select
from engine.ranking.selection.semantic_order import check_meaning, find_nearest, order_by_meaning
from engine.ranking.selection.sibling_runs import check_siblings, join_siblings
from engine.ranking.trace import Trace, current_trace, traced
from engine.records import NamedTuple, with_values
from engine.settings import Settings

# Words of a text block from which on passages fill a word budget better than elements
# (bench/notebook/experiments.md, the unit by the length of text blocks).
LONG_BLOCK = 60


@reads_columns
def search(
    index: IndexReader,
    text: str,
    settings: Settings,
    observe: Observer | None = None,
    trace: Trace | None = None,
    images: Sequence[ExampleImage] = (),
) -> AnswerColumns:
    """Return the answers to a query, best first; they do not depend on an observer or a trace.

    Args:
        images: example images beside those that the query names.

    Raises: QueryError for a query that cannot be parsed; QueryLimitError for one that needs more terms, memory or time
        than the settings allow; SettingsError for settings that exclude one another.
    """
    began = time.perf_counter()
    with limited(settings.max_query_memory, settings.max_seconds), observed(observe), traced(trace):
        return _searched(index, text, settings, images, began)


def _searched(
    index: IndexReader, text: str, settings: Settings, given: Sequence[ExampleImage], began: float
) -> AnswerColumns:
    plan, images, ranked = begin_search(index, text, settings, given)
    check_meaning(index, plan)
    check_siblings(index, plan)
    nearest = find_nearest(index, plan)
    ranked = ranked if nearest is None else with_articles(ranked, nearest.blocks)
    facets = count_facets(index, plan, ranked)
    order = None if plan.sort is None else order_by_field(index, plan.sort, ranked)
    tables, texts = rows_of_tables(index, plan), AnswerWords(index)
    selected = _search_articles(index, with_longer_list(plan), ranked, images, texts, tables)
    if plan.semantic is not None:
        by_meaning = ranked, selected, nearest, texts
        found = run_stage("semantic", order_by_meaning, index, plan, plan.semantic, *by_meaning)
        selected = found.selected
        plan = replace(plan, notices=(*plan.notices, found.notice)) if found.notice else plan
    if plan.selection.joins_siblings:
        selected = run_stage("siblings", join_siblings, index, plan, selected)
    if needs_longer_list(plan):
        selected = cut_to_length(plan, selected, texts, tables)
    selected = first_answers(
        plan, with_floor_and_order(plan, ranked, selected, order, index.exchange), order, texts, index.exchange
    )
    also_in = texts.also_in(selected.rows, selected.sentences, selected.siblings)
    by_rows = run_stage("rows", answered_by_rows, index, plan, selected, tables)
    if by_rows is not None:
        selected = by_rows.selected
        first_rows = by_rows.origins.searchsorted([each.place for each in also_in])
        also_in = [each._replace(place=place) for each, place in zip(also_in, first_rows.tolist(), strict=True)]
    current_trace().record("by_rows", by_rows)
    columns = run_stage("answers", _answer_columns, index, plan, ranked, images, selected)
    columns = with_values(columns, facets=facets, article_order=order, also_in=tuple(also_in))
    return with_values(columns, seconds=time.perf_counter() - began)


class RankedSearch(NamedTuple):
    """A search before its articles are searched: images are scored (None without example images), articles ranked."""

    plan: Plan
    images: ScoredImages | None
    ranked: RankedArticles


def begin_search(index: IndexReader, text: str, settings: Settings, given: Sequence[ExampleImage] = ()) -> RankedSearch:
    """Plan a query, score its images and rank the articles: all that precedes the search inside articles."""
    plan = run_stage("plan", plan_query, index, text, settings, given)
    if current_trace().is_on:  # matches that are not needed for the answers are explained, too
        plan = replace(plan, matching=replace(plan.matching, finds_rows=True))
    images = None if plan.images is None else run_stage("images", score_images, index, plan.images)
    ranked = run_stage("articles", rank_articles, index, plan)
    plan = focused(index, plan, ranked_in_all(index, plan, ranked))
    if images is not None:
        ranked = with_image_articles(index, plan, ranked, images)
    return RankedSearch(plan, images, ranked)


def plan_query(index: IndexReader, text: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> Plan:
    """Return the plan of a query, without function words of the index, with `max_terms` terms at most.

    Phrases that no document contains count as their words (`phrases`), paths that name nothing, too
    (`read_query`).
    """
    plan = with_sequence(index, read_query(index, text, settings, needs_text=not images))
    plan = with_accents(index, plan)
    if images or plan.query.image_references:
        plan = with_images(index, plan, images)
    plan = _with_unit(index, with_checked_fields(index, plan))
    return with_scope_notices(index, without_absent_phrases(index, within_max_terms(index, plan)))


def _with_unit(index: IndexReader, plan: Plan) -> Plan:
    """Return a plan of passages where `unit` is auto and these fill a word budget better; another plan as it is."""
    settings, order = plan.settings, plan.order
    is_open = settings.unit == "auto" and settings.word_budget is not None and settings.answers in ("any", "target")
    if not is_open or not isinstance(order, ByScore) or plan.images is not None:
        return plan
    return with_values(plan, order=with_values(order, passages=index.statistics.block_words >= LONG_BLOCK))


def ranked_in_all(index: IndexReader, plan: Plan, ranked: RankedArticles) -> RankedArticles:
    """Return the articles as they are ranked in all documents, as far as the focus of the query depends on them."""
    is_focused = isinstance(plan.order, ByScore) and plan.order.focus is None
    if not plan.scope.restricts_documents or not is_focused or needs_best_score_alone(plan):
        return ranked
    return rank_articles(index, replace(plan, scope=plan.scope.of_all_documents()))


def _search_articles(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    images: ScoredImages | None,
    texts: AnswerWords,
    tables: RowsOfTables | None,
) -> Selected:
    """Return the answers; a trace, images, and what shards combine need all articles at once."""
    is_alone, trace = index.exchange.n_shards == 1, current_trace()
    contents = texts, tables
    if not trace.is_on and images is None:
        if not isinstance(plan.order, ByScore):
            run_stage("bounds", no_bounds, ranked)
        if isinstance(plan.order, ByHeuristic) and (is_alone or plan.matching.n_first is None):
            return answers_by_article(index, plan, ranked)
        if isinstance(plan.order, ByScore):
            if is_alone or plan.selection.word_budget is None:
                bounds = run_stage("bounds", article_bounds, index, plan, plan.order, ranked)
                if bounds.highest is not None:
                    return answers_by_score(index, plan, plan.order, ranked, bounds, *contents)
            if not is_alone and not reason_without_bounds(plan, plan.order):
                candidates = candidates_of_shard(index, index.exchange, plan, plan.order, ranked)
                return run_stage("selected", select, plan.selection, candidates, index.exchange, *contents)
    batch, n_first = batch_of(ranked), plan.matching.n_first
    matches, candidates = search_batch(index, plan, ranked, batch, n_first=n_first, images=images)
    if images is not None and plan.images is not None:
        by_text = candidates, ranked.scores
        fused = run_stage("fused", fuse, index, plan, plan.images, images, by_text, batch, matches)
        candidates = fused.candidates
        trace.record("images", images)
        trace.record("fused", fused)
    selected = run_stage("selected", select, plan.selection, candidates, index.exchange, *contents)
    trace.record("matches", matches)
    trace.record("candidates", candidates)
    return selected


def _answer_columns(
    index: IndexReader, plan: Plan, ranked: RankedArticles, images: ScoredImages | None, selected: Selected
) -> AnswerColumns:
    """Return the answers with their retrieval status values."""
    of_answers = None if images is None else best_images(index.elements, images, selected.rows)
    if plan.ranks_whole:
        rsv = ranked.scores[selected.articles] if selected.scores is None else selected.scores
    else:
        rsv = status_values(len(selected), plan.settings.max_answers)
    return AnswerColumns(
        plan=plan,
        ranked=ranked,
        documents=ranked.documents[selected.articles],
        elements=selected.rows,
        article=selected.articles,
        rsv=rsv,
        scores=selected.scores,
        sentences=selected.sentences,
        siblings=selected.siblings,
        images=of_answers,
        image_scores=None if images is None or of_answers is None else np.append(images.means, 0.0)[of_answers],
        image_groups=() if images is None else images.groups,
    )
