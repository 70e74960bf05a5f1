"""What the score of an element is made of: parts that add up to it, and how the elements around it fared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answers import Answers, element_paths
from engine.matches import term_occurrences
from engine.query import QueryTerm
from engine.scoring.course import Course
from engine.scoring_settings import words
from engine.similarity.construction import propagate
from engine.similarity.expression import Calculated, Fused, Propagated
from engine.similarity.population import population_of
from engine.similarity.scoring import WITH_ADDEND, fused_shares, score_elements, score_parts

Rows = NDArray[np.int64]

MOST_PASSAGES = 20  # the best are named; all are counted
MOST_BELOW = 5  # elements inside that are named, the best
MOST_LEAVES = 20


def explain_scored(answers: Answers, course: Course, row: int) -> dict[str, Any]:
    """Return the parts of an element's score, as `--json` prints them.

    `score` is the sum of `article_part` and of the parts in `context`; a part there is weight x own x fullness of the
    element or of one above it. The parts of `terms` (or `leaves`, where a score is constructed from those of leaves),
    and `addend` where the formula has one, add up to `own`. All that no score reaches is None.
    """
    index, scoring = answers.index, answers.settings.scoring
    scored = course.articles.scored
    place = int(scored.places(np.array([row]))[0])
    is_scored = place < len(scored.rows) and scored.rows[place] == row
    n_words = int(index.elements.n_words(np.array([row]))[0])
    reads_block = "block" in scoring.expression.parameters
    block = scoring.element_parameters(index.block_words)["block"] if reads_block else None
    explained: dict[str, Any] = {
        "kind": answers.settings.answers,
        "scoring": scoring.scoring,
        "words": n_words,
        "block": block,
        "shortest": words(scoring.shortest, index.block_words),
        "longest": None if scoring.longest is None else words(scoring.longest, index.block_words),
        "score": None,
        "own": None,
        "fullness": None,
        "terms": None,
        "leaves": None,
        "addend": None,
        "fused": None,
        "context": [],
        "article_part": None,
    }
    if not is_scored:
        return explained
    article_score = course.article_score(row)
    explained |= {
        "score": float(scored.inside[place]) + scoring.lambda_article * article_score,
        "own": float(scored.own[place]),
        "fullness": float(scored.fullness[place]),
        **_own_parts(answers, course, row, float(scored.own[place])),
        "context": _context(answers, course, row),
        "article_part": {
            "weight": scoring.lambda_article,
            "score": article_score,
            "part": scoring.lambda_article * article_score,
        },
    }
    return explained


def _context(answers: Answers, course: Course, row: int) -> list[dict[str, Any]]:
    """Return what the element and those above it add, the root apart: its text is in the article's score."""
    elements, scored = answers.index.elements, course.articles.scored
    share = answers.settings.scoring.lambda_parent
    chain = [row]
    while (above := int(elements.lift(elements.parent(np.array(chain[-1:])))[0])) != chain[-1]:
        chain.append(above)
    counted = chain[:1] + chain[1:-1] if share else chain[:1]
    places = scored.places(np.array(counted))
    return [
        {
            "path": path,
            "weight": share**step,
            "own": float(scored.own[place]),
            "fullness": float(scored.fullness[place]),
            "part": share**step * float(scored.own[place] * scored.fullness[place]),
        }
        for step, (path, place) in enumerate(
            zip(element_paths(answers.index, np.array(counted)), places.tolist(), strict=True)
        )
    ]


def _own_parts(answers: Answers, course: Course, row: int, own: float) -> dict[str, Any]:
    """Return the parts of an own score: by terms, by leaves, or by the two scores that were fused."""
    index, query, scoring = answers.index, answers.query, answers.settings.scoring
    expression, parameters = scoring.expression, scoring.element_parameters(index.block_words)
    document = int(index.elements.document(np.array([row]))[0])
    if isinstance(expression, Propagated):
        return {"leaves": _leaves(answers, expression, course, row)}
    if not isinstance(expression, Calculated):
        return {"fused": _fused(answers, expression, course, row)}
    parts = course.articles.scorer.parts(row)
    if parts is None:
        taken = score_parts(index, expression, query.word_counts, document, row=row, parameters=parameters)
        parts = dict(taken.terms) if taken else {}
    addend = own - sum(parts.values()) if expression.combining in WITH_ADDEND else None
    terms = {str(term): term for term in query.wanted}
    shown = []
    for name, part in parts.items():
        held = term_occurrences(index.elements, terms.get(name, QueryTerm((name,))), np.array([document]))
        end = index.elements.end(np.array([row]))[0]
        inside = (held.rows >= row) & (held.rows < end)
        if expression.context == "T":
            inside &= held.rows == row
        shown.append({"term": name, "tf": int(held.tf[inside].sum()), "part": part})
    return {"terms": shown, "addend": addend}


def _fused(answers: Answers, expression: Fused, course: Course, row: int) -> dict[str, dict[str, float]] | None:
    """Return what the document and the element itself add to a fused score."""
    index, documents = answers.index, course.articles.documents
    parameters = answers.settings.scoring.element_parameters(index.block_words)
    shares = fused_shares(index, expression, answers.query.word_counts, documents, row, parameters)
    if shares is None:
        return None
    return {
        name: {**share._asdict(), "part": share.part}
        for name, share in zip(("document", "element"), shares, strict=True)
    }


def _leaves(answers: Answers, expression: Propagated, course: Course, row: int) -> list[dict[str, Any]]:
    """Return what each leaf in or below an element adds to its own score, the best first."""
    index, scoring = answers.index, answers.settings.scoring
    parameters = scoring.element_parameters(index.block_words)
    document = index.elements.document(np.array([row]))
    found = score_elements(index, expression.leaves, answers.query.word_counts, document, parameters=parameters)
    inside = np.flatnonzero((found.rows >= row) & (found.rows < index.elements.end(np.array([row]))[0]))
    population, here = population_of(index), np.array([row])
    n_leaves = population.leaves_below(here)
    parts = [
        float(
            propagate(
                expression.function,
                found.rows[[place]],
                found.scores[[place]],
                here,
                n_leaves,
                population.parent,
                parameters,
            )[0]
        )
        for place in inside.tolist()
    ]
    paths = element_paths(index, found.rows[inside])
    leaves = [
        {"path": path, "score": score, "part": part}
        for path, score, part in zip(paths, found.scores[inside].tolist(), parts, strict=True)
    ]
    return sorted(leaves, key=lambda leaf: -leaf["part"])


def passages_of(answers: Answers, course: Course, row: int) -> list[dict[str, Any]]:
    """Return the first passages of a leaf, best first: part by part, and how they fared."""
    found, scoring, index = course.candidates, answers.settings.scoring, answers.index
    places = np.array(course.places(row)[:MOST_PASSAGES], np.int64)
    if found.sentences is None or not len(places):
        return []
    begin, end = course.begins[places], course.ends[places]
    own = course.articles.scorer.windows(found.rows[places], begin, end)
    around = float(course.articles.scored.inside[course.articles.scored.places(np.array([row]))][0])
    document = int(index.elements.document(np.array([row]))[0])
    sentences = found.sentences[places]
    spans = index.passages(document, found.rows[places], sentences[:, 0], sentences[:, 1])
    ranks = course.ranks[places]
    columns = (sentences, spans, (end - begin).tolist(), found.scores[places].tolist(), own.tolist(), ranks.tolist())
    return [
        {
            "sentences": which.tolist(),
            "start": int(span[0]),
            "end": int(span[1]),
            "words": size,
            "score": score,
            "own": own_score,
            "terms": [
                {"term": term, "tf": tf, "part": part}
                for term, tf, part in course.articles.scorer.window_parts(
                    row, int(course.begins[place]), int(course.ends[place])
                )
            ],
            "leaf_part": scoring.lambda_parent * around,
            "article_part": scoring.lambda_article * course.article_score(row),
            "rank": rank or None,
            "standing": f"rank {rank}" if rank else course.left_out(place),
        }
        for which, span, size, score, own_score, rank, place in zip(*columns, places.tolist(), strict=True)
    ]


def around(answers: Answers, course: Course, row: int) -> list[dict[str, Any]]:
    """Return how the elements fared that overlap with one: all above it, and the best below it.

    Passages compete with passages only: then there are none.
    """
    if answers.settings.scoring.passages == "on":
        return []
    elements, scored = answers.index.elements, course.articles.scored
    end = elements.end(np.array([row]))[0]
    above = scored.rows[(scored.rows < row) & (elements.end(scored.rows) >= end)]
    below = scored.rows[(scored.rows > row) & (scored.rows < end)]
    scores = scored.inside[scored.places(below)]
    below = below[np.argsort(-scores, kind="stable")][:MOST_BELOW]
    rows = np.concatenate([above, below])
    sizes = elements.n_words(rows).tolist()
    shares = answers.settings.scoring.lambda_article
    return [
        {
            "path": path,
            "relation": "above" if other < row else "below",
            "score": float(scored.inside[place]) + shares * course.article_score(other),
            "words": size,
            "standing": course.standing(other),
        }
        for path, other, place, size in zip(
            element_paths(answers.index, rows), rows.tolist(), scored.places(rows).tolist(), sizes, strict=True
        )
    ]
