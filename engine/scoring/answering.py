"""From ranked articles to scored answers: RankedArticles -> Matches -> scored elements -> chosen answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cre import KINDS
from engine.index.index import Index
from engine.matches import Matches, find_matches, first_matches
from engine.overlap import stays_apart
from engine.query import Query
from engine.ranking import RankedArticles
from engine.regions import lies_in
from engine.scoring.candidates import best_leaves, candidates
from engine.scoring.elements import (
    FloatArray,
    ScoredElements,
    Surroundings,
    score_elements_around,
    surroundings,
)
from engine.scoring.own import OwnScorer
from engine.scoring.passages import score_windows, windows_of
from engine.scoring.selection import (
    first_of_articles,
    follow_one_another,
    in_order,
    in_order_of_articles,
    passages_without_overlap,
    within_budget,
)
from engine.scoring_settings import words
from engine.settings import Settings
from engine.structure import read_structure

Rows = NDArray[np.int64]


class ScoredAnswers(NamedTuple):
    """Answers, best first; columns of shape (n,)."""

    rows: Rows  # of passages, their leaves
    article: Rows  # places among the ranked articles
    scores: FloatArray
    sentences: Rows | None  # of passages, the first and the last sentence in the leaf, shape (n, 2)


class _Found(NamedTuple):
    """What can be answers, in no order."""

    rows: Rows
    document: Rows  # places among those in which terms were looked for
    begins: Rows  # intervals that tell overlap: of rows, of passages of words
    ends: Rows
    words: Rows
    inside: FloatArray
    sentences: Rows | None


class ScoredArticles(NamedTuple):
    """The stops before the choice, for the articles at hand; what `explain` looks at."""

    documents: Rows  # ascending
    ranks: Rows  # of each among the articles as they are ranked, from 0
    matches: Matches
    scorer: OwnScorer
    scored: ScoredElements


def scored_answers(index: Index, query: Query, ranked: RankedArticles, settings: Settings) -> ScoredAnswers:
    """Return the answers to a query by score."""
    scoring = settings.scoring
    articles = score_articles(index, query, ranked.documents, settings)
    found = (
        _passages(index, articles, settings)
        if scoring.passages == "on"
        else _elements(index, query, articles, settings)
    )
    at_hand = articles.matches.documents
    article = articles.ranks[articles.documents.searchsorted(at_hand)].take(found.document)
    scores = found.inside + scoring.lambda_article * ranked.scores[article]
    order = _chosen(found, article, scores, settings)
    sentences = None if found.sentences is None else found.sentences[order]
    return ScoredAnswers(found.rows[order], article[order], scores[order], sentences)


def score_articles(
    index: Index, query: Query, documents: Rows, settings: Settings, *, everything: bool = False
) -> ScoredArticles:
    """Return the scored elements of some articles (best first).

    Args:
        everything: score what holds matches even where only targets, or what is long enough, can be answers.
    """
    ranks, scoring = documents.argsort(), settings.scoring
    ascending = documents.take(ranks)
    matches = find_matches(index.elements, query, ascending, settings.match)
    matches = read_structure(index, query, settings, matches)
    if settings.matches is not None:
        matches = first_matches(index.elements, matches, settings.answers, documents, settings.matches)
    scorer = OwnScorer(index, query, scoring, ascending, matches)
    around = _scored_around(index, matches, settings, everything=everything)
    scored = score_elements_around(index, around, scorer, scoring)
    n_best = scoring.best_leaves
    if n_best is not None:
        leaf_scores = scored.inside[scored.places(index.elements.lift(matches.rows))]
        matches = matches.with_rows(best_leaves(index.elements, matches.rows, leaf_scores, n_best))
    return ScoredArticles(ascending, ranks, matches, scorer, scored)


def _scored_around(index: Index, matches: Matches, settings: Settings, *, everything: bool) -> Surroundings:
    """Return the elements that are scored: those that can be answers, or hold matches, and what is around them."""
    elements, scoring, targets = index.elements, settings.scoring, matches.targets
    answers_alone = not everything and scoring.passages == "off" and scoring.best_leaves is None
    if targets is None:
        has_lengths = answers_alone and settings.answers not in KINDS
        shortest = words(scoring.shortest, index.block_words) if has_lengths else 0.0
        return surroundings(elements, matches.rows, matches.documents, shortest=shortest)
    inline = targets.compress(elements.is_inline(targets))
    if answers_alone and settings.answers == "target":
        return surroundings(elements, targets, matches.documents, inline=inline, with_roots=False)
    return surroundings(elements, np.concatenate([matches.rows, targets]), matches.documents, inline=inline)


def _elements(index: Index, query: Query, articles: ScoredArticles, settings: Settings) -> _Found:
    scored, around = articles.scored, articles.scored.around
    places = candidates(index, query, articles.matches, around, settings.answers, settings.scoring)
    rows, ends = around.rows[places], around.ends[places]
    return _Found(rows, around.document[places], rows, ends, around.words[places], scored.inside[places], None)


def _passages(index: Index, articles: ScoredArticles, settings: Settings) -> _Found:
    scoring, elements, matches = settings.scoring, index.elements, articles.matches
    leaves = matches.rows
    if matches.targets is not None:
        leaves = leaves[lies_in(elements, leaves, matches.targets)]
    leaves = leaves[elements.n_own_words(leaves) > 0]
    shortest = words(scoring.shortest_passage, index.block_words)
    windows = windows_of(elements, leaves, scoring.sentences, shortest)
    around = articles.scored.around
    places = around.places(leaves)
    inside = articles.scored.inside[places]
    scores = score_windows(articles.scorer, leaves, windows, inside, scoring.lambda_parent)
    sentences = np.stack([windows.first, windows.last], axis=1)
    document = around.document[places][windows.leaf]
    return _Found(
        leaves[windows.leaf], document, windows.begin, windows.end, windows.end - windows.begin, scores, sentences
    )


def _chosen(found: _Found, article: Rows, scores: FloatArray, settings: Settings) -> Rows:
    """Return the places of the answers that stay, in order."""
    begins, ends, budget = found.begins, found.ends, settings.scoring.budget
    if budget is not None:
        order = _in_order(found, article, scores, settings, len(scores))
        fits = within_budget(
            begins[order], ends[order], article[order], found.words[order], budget, settings.per_article
        )
        return order[fits][: settings.limit]
    removes, is_nested = settings.overlap == "remove", found.sentences is None
    places = np.arange(len(scores))
    if removes and is_nested:
        places = np.flatnonzero(stays_apart(begins, ends, -scores))
    filters_list = removes and not is_nested and not follow_one_another(begins, ends)
    n_wanted = len(scores) if settings.per_article is not None else settings.limit
    kept = _in_order(found, article, scores, settings, len(scores) if filters_list else n_wanted, places)
    if filters_list:
        kept = kept[passages_without_overlap(begins[kept], ends[kept], n_wanted)]
    if settings.per_article is not None:
        kept = kept[first_of_articles(article[kept], settings.per_article)]
    return kept[: settings.limit]


def _in_order(
    found: _Found, article: Rows, scores: FloatArray, settings: Settings, n_first: int, places: Rows | None = None
) -> Rows:
    """Return the places of what can be answers, or of some of it, in the order of the list; n of them are wanted."""
    if places is None:
        places = np.arange(len(scores))
    columns = scores[places], article[places], found.begins[places]
    order = in_order_of_articles(*columns) if settings.scoring.group == "article" else in_order(*columns, n_first)
    return places[order]
