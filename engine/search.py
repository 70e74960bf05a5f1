"""The straight line: Query -> RankedArticles -> Matches -> Candidates -> Answers."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine import heuristics
from engine.answers import Answers
from engine.cre import build_candidates
from engine.index.index import Index
from engine.matches import find_matches, first_matches
from engine.nexi import is_nexi
from engine.overlap import without_overlap
from engine.query import Query, parse_query
from engine.ranking import RankedArticles, rank_articles
from engine.scoring import scored_answers
from engine.settings import Settings
from engine.structure import read_structure

FEWEST_ARTICLES = 64  # whose elements are looked at in one go; more follow while answers are missing


def search(index: Index, text: str, settings: Settings) -> Answers:
    """Return the answers to a query, best first.

    Articles keep their rank and answers are ordered inside each, so articles are worked off from the best on until
    there are enough answers: the result is the same as if all were.
    Raises: QueryError when the query cannot be read.
    """
    began = time.perf_counter()
    settings = settings.for_query(is_path=is_nexi(text))
    query = parse_query(text, index.analyser, settings.reading)
    ranked = rank_articles(index, query, settings)
    sentences = scores = None
    if settings.approach == "fulltext":
        found = [(index.elements.root(ranked.documents), np.arange(len(ranked.documents)))]
    elif settings.rank == "score":
        rows, article, scores, sentences = scored_answers(index, query, ranked, settings)
        found = [(rows, article)]
    else:
        found = list(_element_answers(index, query, ranked, settings))
    rows = np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in found)])[: settings.limit]
    article = np.concatenate([np.empty(0, np.int64), *(article for _, article in found)])[: settings.limit]
    if settings.approach == "fulltext":
        rsv = ranked.scores[article]
    else:
        rsv = (settings.limit - np.arange(len(rows), dtype=np.float64)) / settings.limit
    seconds = time.perf_counter() - began
    documents = ranked.documents[article]
    return Answers(
        index, query, settings, ranked, documents, rows, article, rsv, seconds, query.reading, scores, sentences
    )


def _first_size(index: Index, query: Query, ranked: RankedArticles, settings: Settings) -> int:
    """Return how many articles to look at first: those that hold the query's words as often as should do.

    An article has at most as many matches as it holds words of the query, and about half as many CREs; targets are
    about half as many as the words that the query looks for in them.
    """
    is_target = settings.answers == "target"
    words = {word for term in query.target_terms if term.sign != "-" for word in term.words} if is_target else {}
    held = np.zeros(len(ranked.documents), np.int64)
    for word in words or query.word_counts:
        documents, tf = index.postings(word)
        if len(documents):
            place = np.minimum(np.searchsorted(documents, ranked.documents), len(documents) - 1)
            held += np.where(documents[place] == ranked.documents, tf[place], 0)
    reached = np.cumsum(held)
    enough = min((2.5 if is_target else 2) * settings.limit, reached[-1]) if len(reached) else 0
    return max(int(np.searchsorted(reached, enough)) + 1, FEWEST_ARTICLES)


def _next_size(size: int, n_searched: int, n_found: int, n_missing: int) -> int:
    """Return how many articles to look at next: as many as should do, but not many times more than before."""
    enough = n_searched * n_missing * 11 // (10 * max(n_found, 1)) + 1
    return min(max(enough, FEWEST_ARTICLES), 8 * size)


def _element_answers(
    index: Index, query: Query, ranked: RankedArticles, settings: Settings
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield rows of answers and the places of their articles, some articles at a time, until there are enough."""
    first, missing = 0, settings.limit
    size = _first_size(index, query, ranked, settings)
    matches_left = settings.matches
    while first < len(ranked.documents) and missing > 0 and matches_left != 0:
        chosen = ranked.documents[first : first + size]
        by_number = np.argsort(chosen)
        documents, places = chosen[by_number], by_number + first
        matches = find_matches(index.elements, query, documents, settings.match)
        matches = read_structure(index, query, settings, matches)
        if matches_left is not None:
            matches = first_matches(index.elements, matches, settings.answers, chosen, matches_left)
            matches_left -= len(matches.basis(settings.answers))
        candidates = build_candidates(
            index.elements, matches.rows, matches.occurrences, settings.answers, matches.targets
        )
        article = places[np.searchsorted(documents, candidates.documents)]
        order = heuristics.order(index.elements, candidates, article, settings.heuristic)
        rows, article = candidates.rows[order], article[order]
        if settings.per_article is not None:
            begins = np.searchsorted(article, article)
            kept = np.flatnonzero(np.arange(len(article)) - begins < settings.per_article)
            rows, article = rows[kept], article[kept]
        if settings.overlap == "remove":
            kept = without_overlap(rows, index.elements.end(rows))
            rows, article = rows[kept], article[kept]
        yield rows, article
        missing -= len(rows)
        first, size = first + size, _next_size(size, first + size, settings.limit - missing, missing)
