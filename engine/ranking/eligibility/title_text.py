"""Elements that are mostly titles: no answers, as the breadcrumbs of answers show the titles above them anyway.

An element is left out if more than `max_title_share` of its words are in titles, elements with a tag of the profile's
titles. Where that is true of a whole document, such as a list of names, all its elements stay.
"""

from __future__ import annotations

from engine.array_types import Mask, Rows
from engine.index.elements.titles import LEAST_OF_TITLES
from engine.index.reader import IndexReader
from engine.planning.plan import Plan
from engine.ranking.scoring.context import Context


def asks_for_titles(index: IndexReader, plan: Plan) -> bool:
    """Return whether the structure of a query counts, or answers lie in a title by name: then titles are answers."""
    return plan.query.has_structure or not index.profile.title_and_heading_tags.isdisjoint(plan.scope.inside or ())


def is_mostly_titles(index: IndexReader, context: Context, places: Rows, documents: Rows, share: float) -> Mask:
    """Return which elements have more than a share of their words in titles, while their documents have not.

    Args:
        places: of the elements in the context; documents: those of the context, ascending.
    """
    if context.is_mostly_titles is not None and share == LEAST_OF_TITLES:
        return context.is_mostly_titles.take(places)
    rows, ends, words, document = (
        column.take(places) for column in (context.rows, context.ends, context.words, context.document)
    )
    return index.titles.are_most(rows, ends, words, documents, document, share)
