"""Articles that are searched in full: all of their elements can be answers, by what is around them.

What is around the best elements of an article often answers a question, too, in other words than the question's: the
next sentence, the rest of a list, the whole of a short article. So in the `full_articles` best articles an element
without words of the query scores what it inherits from those around it, its headings, its neighbours and its article.

This is for questions in natural language: whoever types a few words, requires or excludes one, quotes a phrase or asks
for all words, wants elements with and without these. A question has FEWEST_OF_QUESTION words, as typed and of the
collection; two letters of a script without spaces count as a word.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.index.reader import IndexReader
from engine.query.query import FEWEST_OF_QUESTION, Query
from engine.retrieval.batches import ArticleBatch
from engine.retrieval.plan import ByScore, Plan
from engine.text.characters import UNSPACED, kind_of

Rows = NDArray[np.int64]

_TYPED = re.compile(r"\S+")
_LETTERS_OF_WORD = 2


def full_documents(index: IndexReader, plan: Plan, batch: ArticleBatch) -> Rows:
    """Return the documents of a batch that are searched in full, ascending."""
    is_full = batch.places < _n_full(plan)
    if not is_full.any() or not _is_question(index, plan.query):
        return batch.documents[:0]
    return batch.documents.compress(is_full)


def _n_full(plan: Plan) -> int:
    """Return how many of the best articles are searched in full, if the words of the query are those of a question.

    None where articles are not ranked, and where the query or the settings ask for a match in each answer.
    """
    order, query = plan.order, plan.query
    if not isinstance(order, ByScore):
        return 0
    allows_full = (
        query.is_question
        and plan.articles.is_ranked
        and order.max_leaves is None
        and not (query.required or query.unwanted or plan.images)
        and not plan.matching.needs_all
        and plan.matching.n_first is None
        and plan.answers.from_matches is None
        and not plan.scope.restricts_elements
    )
    return order.full_articles if allows_full else 0


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
