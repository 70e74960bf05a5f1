"""From a query and settings to a plan, which every later stage reads in their place."""

from __future__ import annotations

import sys
from typing import cast

from engine.planning.plan import (
    AnswerRule,
    AnswerScope,
    ArticleRanking,
    ByHeuristic,
    ByScore,
    Matching,
    Plan,
    Selection,
    Semantic,
    SortOrder,
    WholeArticles,
)
from engine.query.nexi.element_path import begins_with_slash
from engine.query.query import Query, StandsFor, is_path_query, parse_query, parse_with_shared_stems
from engine.records import with_values
from engine.settings import Settings, computed_once
from engine.settings.choices import CONTENT_ONLY, Syntax
from engine.settings.defaults import scores_elements
from engine.settings.kinds.value_types import HIGHEST, SIBLINGS, UNITS_OF_ELEMENTS
from engine.similarity.named_expressions import document_expression
from engine.similarity.parameters import Parameters
from engine.text.analyser import Analyser


def make_plan(
    text: str,
    analyser: Analyser,
    settings: Settings,
    function_words: frozenset[str] = frozenset(),
    *,
    needs_text: bool = True,
    stands_for: StandsFor = (),
) -> Plan:
    """Return the plan for a query.

    Args:
        function_words: those of the collection, dropped if the settings say so.
        needs_text: whether an empty text is refused; with example images it need not be there.
        stands_for: words in place of others, as `engine.planning.expansion` finds them in a collection.
    Raises: QueryError for a query that cannot be parsed; SettingsError for settings that exclude one another.
    """
    if not needs_text and not text.strip():
        return plan_of(Query(text, ()), settings.for_query(is_path=False))
    syntax = syntax_of(text, settings)
    settings = settings.for_query(is_path=is_path_query(text, syntax))
    dropped = function_words if settings.function_words == "drop" else frozenset()
    parse = parse_with_shared_stems if settings.rank_by == "score" else parse_query
    return plan_of(parse(text, analyser, settings.reading, syntax, dropped, stands_for), settings)


def syntax_of(text: str, settings: Settings) -> Syntax:
    """Return the syntax in which a query is read; still `auto` where the text decides."""
    if settings.syntax == "auto" and begins_with_slash(text) and settings.reading not in ("auto", *CONTENT_ONLY):
        return "path"  # the reading needs a path query, so the text is one, right or wrong
    return settings.syntax


def plan_of(query: Query, settings: Settings) -> Plan:
    """Return the plan for a parsed query.

    Args:
        settings: with `reading` and `answers` other than auto.
    """
    return with_values(computed_once(settings, _plan_of_settings), query=query)


def _plan_of_settings(settings: Settings) -> Plan:
    """Return the plan for an empty query: every choice that does not depend on the query."""
    returns_articles = settings.approach == "fulltext"
    is_cut_late = settings.sort is not None or settings.repetitions == "once"
    return Plan(
        query=Query("", ()),
        settings=settings,
        articles=ArticleRanking(
            similarity=settings.similarity,
            expression=document_expression(settings.similarity),
            parameters=cast(Parameters, settings.parameters),
            is_ranked=settings.approach != "native",
            n_best=settings.max_answers
            if returns_articles and not is_cut_late
            else settings.max_articles or sys.maxsize,
            opening_weight=settings.opening_weight if scores_elements(vars(settings)) else 0.0,
            needs_match=returns_articles and settings.rank_by == "score",  # the thesis's need words alone
        ),
        matching=Matching.of(settings),
        answers=AnswerRule.of(settings),
        order=WholeArticles() if returns_articles else _order(settings),
        selection=Selection(
            max_answers=HIGHEST if is_cut_late else settings.max_answers,
            max_per_article=settings.max_per_article,
            removes_overlap=settings.overlap == "remove",
            groups_by_article=settings.group_by_article,
            word_budget=settings.word_budget,
            joins_siblings=settings.unit == SIBLINGS and scores_elements(vars(settings)),
        ),
        scope=AnswerScope.of(settings),
        semantic=Semantic.of(settings),
        sort=SortOrder.of(settings),
    )


def _order(settings: Settings) -> ByHeuristic | ByScore:
    if settings.rank_by == "structure":
        return ByHeuristic("" if settings.heuristic == "document" else settings.heuristic)
    return ByScore(
        expression=settings.element_expression,
        parameters=cast(Parameters, dict(settings.all_element_parameters)),
        block_words=settings.block_words,
        article_weight=settings.article_weight,
        focus=settings.focus,
        min_leaf_words=settings.min_leaf_words,
        parent_weight=settings.parent_weight,
        leaf_weight=settings.parent_weight,
        heading_weight=settings.heading_weight,
        header_rows=settings.header_rows,
        neighbour_weight=settings.neighbour_weight,
        sequence_weight=settings.sequence_weight,
        figure_weight=settings.figure_weight,
        coverage=settings.coverage,
        min_words=settings.min_words,
        max_words=settings.max_words,
        max_table_words=settings.max_table_words,
        passages=settings.unit not in UNITS_OF_ELEMENTS,
        max_sentences=settings.max_sentences,
        min_passage_words=settings.min_passage_words,
        passage_focus=0.0 if isinstance(settings.unit, str) else settings.unit,
        whole_weight=settings.whole_weight,
        own_parts=() if settings.score_parts is None else settings.score_parts.weights,
    )
