"""Articles that are searched in full: all of their elements can be answers, by what is around them.

What is around the best elements of an article often answers a question, too, in other words than the question's: the
next sentence, the rest of a list, the whole of a short article. So in the `full_articles` best articles an element
without words of the query scores what it inherits from those around it, its headings, its neighbours and its article.

This is for questions in natural language (`Query.is_question`). Whoever requires a word, excludes one, quotes a phrase
or asks for all words, wants elements with and without these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.query.query import FEWEST_OF_QUESTION, Query
from engine.retrieval.batches import ArticleBatch
from engine.retrieval.plan import ByScore, Plan

Rows = NDArray[np.int64]


def full_documents(plan: Plan, batch: ArticleBatch) -> Rows:
    """Return the documents of a batch that are searched in full, ascending."""
    if not _can_be_full(plan):
        return batch.documents[:0]
    return batch.documents.compress(batch.places < plan.order.full_articles)  # type: ignore[union-attr]


def _is_question(query: Query) -> bool:
    """Return whether a query asks for no word as such: those in phrases are."""
    n_words = sum(not term.is_phrase for term in query.wanted)
    return query.is_question and n_words >= FEWEST_OF_QUESTION and not (query.required or query.unwanted)


def _can_be_full(plan: Plan) -> bool:
    order, query = plan.order, plan.query
    return (
        isinstance(order, ByScore)
        and order.full_articles > 0
        and order.max_leaves is None
        and _is_question(query)
        and not plan.images
        and not plan.matching.needs_all
        and plan.matching.n_first is None
        and plan.answers.from_matches is None
        and not plan.scope.restricts_elements
    )
