"""Elements that are mostly titles: no answers, as the breadcrumbs of answers show the titles above them anyway.

An element is left out if more than MOST_OF_TITLES (`engine.index.elements.headings`) of its words are in titles,
elements with a tag of the profile's titles. Where that is true of a whole short document, or more than MOST_OF_DOCUMENT
of a longer one are, as in a list of names, all its elements stay; the titles of works that an article cites are less. A
root always stays. So is a caption or a lead-in where what it is of is short enough to be an answer, or a table. One of
several like elements whose own title says the whole query stays, if it has other words, too.
"""

from __future__ import annotations

from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan


def asks_for_titles(index: IndexReader, plan: Plan) -> bool:
    """Return whether titles are answers like other elements.

    They are where the structure of a query counts, where answers lie in a title by name, and where elements are ranked
    by another expression than `adaptive`: that is the ranking of its source.
    """
    if not isinstance(plan.order, ByScore) or not plan.order.is_adaptive:
        return True
    return plan.query.has_structure or not index.profile.all_title_tags.isdisjoint(plan.scope.inside or ())


def has_records(index: IndexReader, plan: Plan, order: ByScore) -> bool:
    """Return whether the smallest answers of a search are records (`records`), and a profile of the index names any."""
    if not index.names_records or asks_for_titles(index, plan) or plan.scope.inside is not None:
        return False
    return order.min_leaf_words.resolve(index.statistics.block_words) > 0
