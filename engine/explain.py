"""Why an element is an answer, or why not: every stop of the straight line, looked at for one element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from engine import heuristics
from engine.answers import Answers, element_paths
from engine.cre import Candidates
from engine.errors import QueryError
from engine.index.geometry import IndexGeometry
from engine.index.index import Index
from engine.matches import Matches, term_occurrences
from engine.query import Query
from engine.ranking import collection_of, term_postings
from engine.scoring.course import course_of
from engine.scoring.explanation import around, explain_scored, passages_of
from engine.scoring.verdict import scored_verdict
from engine.search import search
from engine.settings import Settings
from engine.similarity import (
    SIMILARITIES,
    TermPostings,
    document_expression,
    parameters_of,
    query_norm,
    scores,
)
from engine.similarity.scoring import Parts, score_parts
from engine.structure.predicates import predicates_met
from engine.verdict import find_stops, verdict

MOST_MATCHES = 20  # matches that are named; all are counted


def explain(index: Index, text: str, document: str, path: str, settings: Settings) -> dict[str, Any]:
    """Return the explanation of one element for a query, as `--json` prints it.

    `article` holds the similarity's parts, which add up to its score; `element` the element's matches and counts;
    `structure`, of a path query, what each of its parts is met by; `verdict` says in words why it stands at its rank,
    or why it is not returned. Of scored elements, `element` holds the parts of the score, `around` how the elements
    above and below it fared, `passages` the passages of a leaf where passages are asked for.
    Raises: QueryError for a document or a path that the index does not hold.
    """
    number = index.number(document)
    if number is None:
        raise QueryError(
            f"document '{document}' is not in {index.folder}: ids are paths below the source, without .xml."
        )
    row = _row(index, document, number, path)
    answers = search(index, text, settings)
    settings = answers.settings
    article = explain_article(index, answers.query, number, settings)
    place = np.flatnonzero(answers.ranked.documents == number)
    article["rank"] = int(place[0]) + 1 if place.size else None
    rank = np.flatnonzero(answers.elements == row)
    explanation: dict[str, Any] = {
        "query": text,
        "interpretation": answers.interpretation,
        "document": document,
        "path": path,
        "returned": bool(rank.size),
        "rank": int(rank[0]) + 1 if rank.size else None,
        "rsv": float(answers.rsv[rank[0]]) if rank.size else None,
        "article": article,
        "settings": settings.to_dict(),
    }
    if answers.query.path is not None:
        explanation["structure"] = _explain_structure(index, answers.query, row, settings)
    if settings.rank == "score" and settings.approach != "fulltext":
        return explanation | _explain_scored(answers, explanation, row)
    stops = None if settings.approach == "fulltext" else find_stops(answers, number)
    if stops:
        explanation["element"] = _explain_element(index, answers.query, row, stops.first, stops.candidates, settings)
    explanation["verdict"] = verdict(explanation, answers, stops, row)
    return explanation


def _explain_scored(answers: Answers, explanation: dict[str, Any], row: int) -> dict[str, Any]:
    """Return what is said of a scored element more: the parts of its score, its passages, what overlaps with it."""
    course = course_of(answers)
    more: dict[str, Any] = {"score": None}
    if explanation["article"]["rank"] is not None:
        more["element"] = explain_scored(answers, course, row)
        more["around"] = around(answers, course, row)
        places = course.places(row)
        more["score"] = float(course.candidates.scores[places[0]]) if places else more["element"]["score"]
        if answers.settings.scoring.passages == "on":
            more["passages"], more["n_passages"] = passages_of(answers, course, row), len(places)
    return {**more, "verdict": scored_verdict(explanation | more, answers, course, row)}


def explain_article(index: Index, query: Query, number: int, settings: Settings) -> dict[str, Any]:
    """Return the parts of an article's score: one a term, one of the document; they add up to `score`.

    The native approach ranks no articles: parts and score are None.
    """
    if settings.approach == "native":
        article = explain_article(index, query, number, replace(settings, approach="hybrid"))
        parts = [{**part, "part": None} for part in article["parts"]]
        return {**article, "similarity": None, "score": None, "parts": parts, "document_part": None}
    terms = term_postings(index, query)
    taken = _score_parts(index, query, terms, number, settings)
    parts = []
    for postings in terms:
        place = int(np.searchsorted(postings.documents, number))
        holds = place < len(postings.documents) and postings.documents[place] == number
        parts.append(
            {
                "term": postings.term,
                "query_tf": postings.query_tf,
                "tf": int(postings.tf[place]) if holds else 0,
                "df": len(postings.documents),
                "occurrences": int(postings.tf.sum()),
                "part": taken.terms.get(postings.term, 0.0) if taken else 0.0,
            }
        )
    return {
        "similarity": settings.similarity,
        "score": taken.score if taken else None,
        "parts": parts,
        "document_part": taken.addend if taken else None,
        "length_tokens": int(index.lengths[number]),
        "unknown_terms": [word for word in query.word_counts if not len(index.postings(word).documents)],
    }


def _score_parts(
    index: Index, query: Query, terms: list[TermPostings], number: int, settings: Settings
) -> Parts | None:
    """Return the parts of an article's score, None where it holds no word of the query."""
    expression = document_expression(settings.similarity)
    if expression is not None:
        return score_parts(index, expression, query.word_counts, number, parameters=settings.parameters)
    collection = collection_of(index)
    similarity, parameters = SIMILARITIES[settings.similarity], parameters_of(settings.similarity, settings.parameters)
    found, values = scores(settings.similarity, terms, collection, settings.parameters)
    held = np.flatnonzero(found == number)
    if not held.size:
        return None
    norm = query_norm(terms, collection) if parameters.get("query_norm") else 1.0
    parts = {}
    for postings in terms:
        if (place := np.flatnonzero(postings.documents == number)).size:
            parts[postings.term] = float(similarity.part(postings, collection, parameters)[place[0]]) / norm
    addend = None
    if similarity.document_part:
        addend = float(similarity.document_part(np.array([number]), terms, collection, parameters)[0]) / norm
    return Parts(parts, addend, float(values[held[0]]))


def _explain_structure(index: Index, query: Query, row: int, settings: Settings) -> list[dict[str, Any]]:
    """Return the parts of a path query, from left to right, each with the element that meets it."""
    return [
        {
            "part": predicate.text,
            "step": predicate.step,
            "kind": "condition" if predicate.is_condition else "path",
            "element": "target" if predicate.is_target else "support",
            "met_by": element_paths(index, predicate.met_by)[0] if predicate.met_by[0] >= 0 else None,
            "met_in_article": int(predicate.in_article[0]),
        }
        for predicate in predicates_met(index, query, settings, np.array([row]))
    ]


def _row(index: Index, document: str, number: int, path: str) -> int:
    elements = IndexGeometry(index).elements(document)
    if elements is None or path not in elements.paths:
        near = _longest_known(path, set(elements.paths) if elements else set())
        hint = f"the longest part of it that is there: {near}" if near else "paths look like /article[1]/sec[2]/p[1]"
        raise QueryError(f"no element '{path}' in document '{document}'; {hint}.")
    return int(index.elements.root(np.array([number]))[0]) + list(elements.paths).index(path)


def _longest_known(path: str, known: set[str]) -> str:
    while path and path not in known:
        path = path.rpartition("/")[0]
    return path


def _explain_element(
    index: Index, query: Query, row: int, matches: Matches, candidates: Candidates, settings: Settings
) -> dict[str, Any]:
    end = int(index.elements.end(np.array([row]))[0])
    inside = matches.rows[(matches.rows >= row) & (matches.rows < end)]
    place = np.flatnonzero(candidates.rows == row)
    terms: list[dict[str, Any]] = []
    for term, found in zip(query.wanted, matches.occurrences, strict=True):
        own = (found.rows >= row) & (found.rows < end)
        terms.append({"term": str(term), "elements": int(own.sum()), "occurrences": int(found.tf[own].sum())})
    unwanted = [
        str(term)
        for term in query.unwanted
        if row in term_occurrences(index.elements, term, index.elements.document(np.array([row]))).rows
    ]
    order = heuristics.order(index.elements, candidates, np.zeros(len(candidates.rows), np.int64), settings.heuristic)
    return {
        "is_match": bool(np.isin(row, matches.rows)),
        "is_candidate": bool(place.size),
        "kind": settings.answers,
        "M": len(inside),
        "T": sum(term["elements"] > 0 for term in terms),
        "F": sum(term["occurrences"] for term in terms),
        "P": int(index.elements.depth(np.array([row]))[0]),
        "B": heuristics.ordinals(index.elements, np.array([row]))[0].tolist(),
        "place_in_article": int(np.flatnonzero(order == place[0])[0]) + 1 if place.size else None,
        "candidates_in_article": len(candidates.rows),
        "terms": terms,
        "unwanted_terms": unwanted,
        "matches": element_paths(index, inside[:MOST_MATCHES]),
    }
