"""Why an element is an answer, or why not: every stop of the straight line, looked at for one element."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import heuristics
from engine.answers import Answers, element_paths
from engine.cre import Candidates, build_candidates
from engine.errors import QueryError
from engine.index.geometry import IndexGeometry
from engine.index.index import Index
from engine.matches import Matches, find_matches, term_occurrences
from engine.query import Query
from engine.ranking import collection_of, term_postings
from engine.search import search
from engine.settings import Settings
from engine.structure import read_structure
from engine.similarity import SIMILARITIES, parameters_of, query_norm, scores

MOST_MATCHES = 20  # matches that are named; all are counted


def explain(index: Index, text: str, document: str, path: str, settings: Settings) -> dict[str, Any]:
    """Return the explanation of one element for a query, as `--json` prints it.

    `article` holds the similarity's parts, which add up to its score; `element` the element's matches and counts;
    `verdict` says in words why it stands at its rank, or why it is not returned.
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
    if settings.approach == "fulltext":
        explanation["verdict"] = _verdict_fulltext(explanation)
        return explanation
    documents = np.array([number])
    matches = find_matches(index.elements, answers.query, documents, settings.match)
    matches = read_structure(index, answers.query, settings, documents, matches)
    candidates = build_candidates(index.elements, matches.rows, matches.occurrences, settings.answers, matches.targets)
    explanation["element"] = _explain_element(index, answers.query, row, matches, candidates, settings)
    explanation["verdict"] = _verdict(explanation, answers, candidates, row)
    return explanation


def explain_article(index: Index, query: Query, number: int, settings: Settings) -> dict[str, Any]:
    """Return the parts of an article's score: one a term, one of the document; they add up to `score`."""
    terms, collection = term_postings(index, query), collection_of(index)
    similarity, parameters = SIMILARITIES[settings.similarity], parameters_of(settings.similarity, settings.parameters)
    norm = query_norm(terms, collection) if terms and parameters.get("query_norm") else 1.0
    parts = []
    for postings in terms:
        place = int(np.searchsorted(postings.documents, number))
        holds = place < len(postings.documents) and postings.documents[place] == number
        part = float(similarity.part(postings, collection, parameters)[place]) / norm if holds else 0.0
        parts.append(
            {
                "term": postings.term,
                "query_tf": postings.query_tf,
                "tf": int(postings.tf[place]) if holds else 0,
                "df": len(postings.documents),
                "occurrences": int(postings.tf.sum()),
                "part": part,
            }
        )
    found, values = scores(settings.similarity, terms, collection, settings.parameters)
    held = np.flatnonzero(found == number)
    document_part = None
    if similarity.document_part and held.size:
        document_part = float(similarity.document_part(np.array([number]), terms, collection, parameters)[0]) / norm
    return {
        "similarity": settings.similarity,
        "score": float(values[held[0]]) if held.size else None,
        "parts": parts,
        "document_part": document_part,
        "length_tokens": int(index.lengths[number]),
        "unknown_terms": [word for word in query.word_counts if not len(index.postings(word).documents)],
    }


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


def _verdict_fulltext(explanation: dict[str, Any]) -> str:
    article, rank = explanation["article"], explanation["rank"]
    if rank:
        return f"returned at rank {rank}: the article's {article['similarity']} score is {article['score']:.6f}"
    if article["rank"]:
        return "not returned: the full-text approach returns whole articles only"
    return _no_article(explanation)


def _verdict(explanation: dict[str, Any], answers: Answers, candidates: Candidates, row: int) -> str:
    """Return the first stop of the straight line at which the element was left out, or its rank."""
    element, settings = explanation["element"], answers.settings
    if explanation["returned"]:
        return (
            f"returned at rank {explanation['rank']}: article {explanation['article']['rank']}, number "
            f"{element['place_in_article']} of {element['candidates_in_article']} there by {settings.heuristic}"
        )
    if explanation["article"]["rank"] is None:
        return _no_article(explanation)
    if not element["is_candidate"]:
        return f"not returned: {_not_a_candidate(element, settings)}"
    cover = _cover(answers, row)
    if settings.overlap == "remove" and cover:
        return f"not returned: {cover}"
    if settings.per_article is not None and element["place_in_article"] > settings.per_article:
        place = element["place_in_article"]
        return f"not returned: number {place} of its article, past per_article {settings.per_article}"
    return f"not returned: the {settings.limit} answers before it fill the list (limit), or matches were cut (matches)"


def _no_article(explanation: dict[str, Any]) -> str:
    article, settings = explanation["article"], explanation["settings"]
    if article["score"] is None:
        return "not returned: the document holds no term of the query"
    kept = settings["limit"] if settings["approach"] == "fulltext" else settings["articles"]
    score = f"{article['similarity']} {article['score']:.6f}"
    return f"not returned: the article is not among the {kept} best ({score}), or lacks a required term"


def _not_a_candidate(element: dict[str, Any], settings: Settings) -> str:
    if not element["M"]:
        reason = f": it holds '{element['unwanted_terms'][0]}' itself" if element["unwanted_terms"] else ""
        return f"no match in it or below{reason}"
    if settings.answers == "matching":
        return "it is no matching element itself"
    if element["is_match"]:
        return "a match, but no CRE: its matches lie in one branch, and its parent is a CRE or oCREs alone are wanted"
    return "no CRE: it is not the lowest common ancestor of two neighbouring matches"


def _cover(answers: Answers, row: int) -> str:
    """Return which answer overlaps with an element."""
    elements = answers.index.elements
    ends = elements.end(answers.elements)
    end = int(elements.end(np.array([row]))[0])
    covering = np.flatnonzero(
        (answers.elements <= row) & (ends > row) | (answers.elements > row) & (answers.elements < end)
    )
    if not covering.size:
        return ""
    first = int(covering[0])
    relation = "covered by" if answers.elements[first] <= row else "covers"
    return f"{relation} {answers[first].path}, kept at rank {first + 1}"
