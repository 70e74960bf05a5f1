"""Whether elements without a match can be answers: where the query is a question.

Whoever types a few words, requires or excludes one, quotes a phrase or asks for all words, wants elements with and
without these. A question has FEWEST_OF_QUESTION words, as typed and of the collection; two letters of a script without
spaces count as a word.
"""

from __future__ import annotations

import re
from itertools import islice

from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.query.query import FEWEST_OF_QUESTION, Query
from engine.text.characters import UNSPACED, kind_of

_TYPED = re.compile(r"\S+")
_LETTERS_OF_WORD = 2


def needs_no_match(index: IndexReader, plan: Plan) -> bool:
    """Return whether elements without a match can be answers, too, by their context."""
    return plan.query.may_be_question and asks_for_no_match(plan) and _is_question(index, plan.query)


def asks_for_no_match(plan: Plan) -> bool:
    """Return whether answers are elements of any or of certain tags, and nothing of the query asks for a match."""
    query = plan.query
    return (
        isinstance(plan.order, ByScore)
        and not (query.required or query.unwanted or plan.images)
        and not plan.matching.needs_all
        and plan.matching.n_first is None
        and plan.answers.from_matches is None
        and not plan.scope.restricts_elements
    )


def _is_question(index: IndexReader, query: Query) -> bool:
    """Return whether a query has enough words, in no phrase, of the collection and as typed."""
    words = {word for term in query.wanted if not term.is_phrase for word in term.words}
    known = (word for word in words if index.statistics.term(word).document_frequency)
    return len(list(islice(known, FEWEST_OF_QUESTION))) == FEWEST_OF_QUESTION and _is_long(query.text)


def _is_long(text: str) -> bool:
    n_words = 0
    for typed in _TYPED.finditer(text):
        unspaced = 0 if typed[0].isascii() else sum(kind_of(character) == UNSPACED for character in typed[0])
        n_words += max(unspaced // _LETTERS_OF_WORD, 1)
        if n_words >= FEWEST_OF_QUESTION:
            return True
    return False
