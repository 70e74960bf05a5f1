"""Why an element is an answer, or at which stop of the straight line it was left out, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.answers import Answers, element_paths
from engine.cre import Candidates, build_candidates
from engine.matches import Matches, find_matches, first_matches, term_occurrences
from engine.regions import holds, lies_in
from engine.settings import Settings
from engine.structure import read_structure


class Stops(NamedTuple):
    """What each stop of the line leaves of one article: its matches, those that the query's structure leaves, those
    that the setting `matches` leaves, and the candidates.
    """

    matching: Matches
    fitting: Matches
    first: Matches
    candidates: Candidates


def find_stops(answers: Answers, document: int) -> Stops:
    """Return what each stop leaves of an article."""
    elements, settings = answers.index.elements, answers.settings
    matching, fitting = _matches(answers, np.array([document]))
    first = fitting
    place = np.flatnonzero(answers.ranked.documents == document)
    if settings.matches is not None and place.size:
        better = np.sort(answers.ranked.documents[: place[0]])
        taken = len(_matches(answers, better)[1].basis(settings.answers)) if better.size else 0
        left = max(settings.matches - taken, 0)
        first = first_matches(elements, fitting, settings.answers, np.array([document]), left)
    return Stops(matching, fitting, first, _candidates(answers, first))


def verdict(explanation: dict[str, Any], answers: Answers, stops: Stops | None, row: int) -> str:
    """Return why an element stands at its rank, or the first stop at which it was left out.

    Args:
        explanation: the numbers of the element and its article; stops: None where whole articles are answers.
    """
    article, rank = explanation["article"], explanation["rank"]
    if article["rank"] is None:
        return f"not returned: {no_article(article, answers)}"
    if stops is None:
        if rank:
            return f"returned at rank {rank}: the article's {article['similarity']} score is {article['score']:.6f}"
        return "not returned: the full-text approach returns whole articles only"
    element = explanation["element"]
    if rank:
        order = f"by {answers.settings.heuristic}" if stops.candidates.n_terms.any() else "in document order"
        return (
            f"returned at rank {rank}: article {article['rank']}, number {element['place_in_article']} of "
            f"{element['candidates_in_article']} there {order}"
        )
    if not element["is_candidate"]:
        return f"not returned: {_no_candidate(answers, stops, row)}"
    return f"not returned: {_behind_others(answers, element['place_in_article'], row)}"


def no_article(article: dict[str, Any], answers: Answers) -> str:
    """Return why an article is not ranked."""
    settings = answers.settings
    held = {part["term"] for part in article["parts"] if part["tf"]}
    if not held:
        return "the document holds no term of the query"
    if missing := [word for term in answers.query.required for word in term.words if word not in held]:
        return f"the document lacks the required '{missing[0]}'"
    kept = settings.limit if settings.approach == "fulltext" else settings.articles
    return f"the article is not among the {kept} best ({article['similarity']} {article['score']:.6f})"


def _no_candidate(answers: Answers, stops: Stops, row: int) -> str:
    """Return why an element of a ranked article cannot be an answer."""
    elements, settings = answers.index.elements, answers.settings
    here = np.array([row])
    lifted = elements.lift(here)
    if lifted[0] != row:
        return f"an inline element, its text belongs to {element_paths(answers.index, lifted)[0]}"
    if not holds(elements, here, stops.matching.rows)[0] and settings.answers != "target":
        return no_match(answers, row)
    fitting = stops.fitting
    is_outside = fitting.targets is not None and not lies_in(elements, here, fitting.targets)[0]
    if is_outside or not holds(elements, here, fitting.rows)[0]:
        return not_led_to(answers, row)
    return _no_cre(answers, fitting, row)


def not_led_to(answers: Answers, row: int) -> str:
    """Return that the structure of a query leads past an element, and which unwanted terms it holds itself."""
    elements, held = answers.index.elements, []
    for term in answers.query.unwanted:
        if row in term_occurrences(elements, term, elements.document(np.array([row]))).rows:
            held.append(str(term))
    itself = f"; it holds the unwanted {', '.join(held)} itself" if held else ""
    return f"the structure of the query does not lead to it, read {answers.settings.reading}{itself}"


def _no_cre(answers: Answers, fitting: Matches, row: int) -> str:
    """Return why an element that holds matches is none of the elements that stand for them."""
    settings = answers.settings
    if row in _candidates(answers, fitting).rows:
        return f"its matches come after the first {settings.matches} of the topic (matches)"
    if settings.answers in ("matching", "target"):
        return "it is no matching element itself" if settings.answers == "matching" else "it is no target of the query"
    if row in fitting.rows:
        alone = " and its parent is one" if settings.answers == "nCRE" else ""
        return f"a match, but no CRE: with its neighbours it has other lowest common ancestors{alone}"
    return "no CRE: no two neighbouring matches have it as their lowest common ancestor"


def no_match(answers: Answers, row: int) -> str:
    """Return why nothing in or below an element of a ranked article is a match."""
    index, query = answers.index, answers.query
    here = np.array([row])
    document = index.elements.document(here)
    for term in query.required:
        if not len(term_occurrences(index.elements, term, document).rows):
            return f"the article lacks the required {term}"
    for term in query.unwanted:
        if row in term_occurrences(index.elements, term, document).rows:
            return f"no match in it or below: it holds the unwanted {term} itself"
    lowest = ", no lowest element that holds all terms" if answers.settings.match == "and" else ""
    return f"no match in it or below{lowest}"


def _behind_others(answers: Answers, place: int, row: int) -> str:
    """Return why a candidate is no answer: the cut in its article, overlap, or the end of the list, in this order."""
    settings: Settings = answers.settings
    if settings.per_article is not None and place > settings.per_article:
        return f"number {place} of its article, past per_article {settings.per_article}"
    cover = _cover(answers, row) if settings.overlap == "remove" else ""
    return cover or f"the {settings.limit} answers before it fill the list (limit)"


def _cover(answers: Answers, row: int) -> str:
    """Return which answer overlaps with an element."""
    elements, rows = answers.index.elements, answers.elements
    end = elements.end(np.array([row]))[0]
    overlapping = np.flatnonzero((rows < end) & (elements.end(rows) > row))
    if not overlapping.size:
        return ""
    first = int(overlapping[0])
    relation = "covered by" if rows[first] <= row else "covers"
    return f"{relation} {answers[first].path}, kept at rank {first + 1}"


def _matches(answers: Answers, documents: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[Matches, Matches]:
    """Return the matches in some documents, and what the query's structure leaves of them."""
    index, query, settings = answers.index, answers.query, answers.settings
    matching = find_matches(index.elements, query, documents, settings.match)
    return matching, read_structure(index, query, settings, matching)


def _candidates(answers: Answers, matches: Matches) -> Candidates:
    kind = answers.settings.answers
    return build_candidates(answers.index.elements, matches.rows, matches.occurrences, kind, matches.targets)
