"""Articles that are searched in full: all of their elements can be answers, by what is around them.

What is around the best elements of an article often answers a question, too, in other words than the question's: the
next sentence, the rest of a list, the whole of a short article. So in the `full_articles` best articles an element
without words of the query scores what it inherits from those around it, its headings, its neighbours and its article.
This is for questions in natural language (`questions`).
"""

from __future__ import annotations

from engine.array_types import Rows
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.planning.questions import needs_no_match
from engine.ranking.batches import ArticleBatch


def full_documents(index: IndexReader, plan: Plan, batch: ArticleBatch) -> Rows:
    """Return the documents of a batch that are searched in full, ascending."""
    if not isinstance(plan.order, ByScore) or not plan.articles.is_ranked:
        return batch.documents[:0]
    is_full = batch.places < plan.order.full_articles
    if not is_full.any() or not needs_no_match(index, plan):
        return batch.documents[:0]
    return batch.documents.compress(is_full)
