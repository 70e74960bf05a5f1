"""Which of the scored elements can be answers: their kind, and their length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.cre import KINDS
from engine.index.elements import Elements
from engine.index.index import Index
from engine.matches import Matches, term_occurrences
from engine.query import Query
from engine.regions import holds, lies_in
from engine.scoring.elements import FloatArray, Surroundings
from engine.scoring_settings import Scoring, words

Rows = NDArray[np.int64]


def candidates(
    index: Index, query: Query, matches: Matches, around: Surroundings, answers: str, scoring: Scoring
) -> Rows:
    """Return the places of the elements of a kind that can be answers, ascending.

    What a strict target leads to is an answer whatever its length; other answers lie in such an element, hold no
    unwanted term, and have a length that the settings allow. A whole article is never too short.
    """
    if answers == "target" and matches.targets is not None:
        return around.places(matches.targets)
    places = _of_kind(index, matches, around, answers, scoring)
    if matches.targets is not None:
        places = places[lies_in(index.elements, around.rows[places], matches.targets)]
    for term in query.unwanted:
        unwanted = term_occurrences(index.elements, term, matches.documents).rows
        places = places[~holds(index.elements, around.rows[places], unwanted)]
    return places


def best_leaves(elements: Elements, rows: Rows, scores: FloatArray, n_best: int) -> Rows:
    """Return the best rows of each article by score, ascending; ties go to the first in document order."""
    documents = elements.document(rows)
    order = np.lexsort((rows, -scores, documents))
    place = np.arange(len(rows)) - np.searchsorted(documents[order], documents[order])
    best: Rows = np.sort(rows[order][place < n_best])
    return best


def _of_kind(index: Index, matches: Matches, around: Surroundings, answers: str, scoring: Scoring) -> Rows:
    elements = index.elements
    if answers in KINDS:
        places = around.places(KINDS[answers](elements, matches.rows, elements.document(matches.rows)))
    else:
        places = _holding(index, matches, around, scoring)
        if answers.startswith("//"):
            names = answers.strip("/()").split("|")
            numbers = [elements.tag_numbers[name] for name in names if name in elements.tag_numbers]
            places = places[np.isin(elements.tag(around.rows[places]), numbers)]
    shortest = words(scoring.shortest, index.block_words)
    longest = np.inf if scoring.longest is None else words(scoring.longest, index.block_words)
    n_words = around.words[places]
    places = places[(n_words <= longest) & ((n_words >= shortest) | around.is_root[places])]
    if answers == "blocks":
        following = np.append(around.rows[places], np.iinfo(np.int64).max)[1:]
        places = places[following >= around.ends[places]]
    found: Rows = places
    return found


def _holding(index: Index, matches: Matches, around: Surroundings, scoring: Scoring) -> Rows:
    """Return the places of the matching elements and of all above them, ascending."""
    if matches.targets is None and scoring.best_leaves is None:
        return np.arange(len(around.rows))  # it is they that were scored
    holds_some = np.zeros(len(around.rows), np.bool_)
    places = around.places(index.elements.lift(matches.rows))
    while places.size:
        holds_some[places] = True
        places = around.parents[places]
        places = places[~holds_some[places]]
    return np.flatnonzero(holds_some)
