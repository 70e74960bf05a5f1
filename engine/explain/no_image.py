"""Why the images of an element do not make it a candidate of a query with example images."""

from __future__ import annotations

import numpy as np

from engine.explain.traced_search import TracedSearch
from engine.index.elements.containment import is_inside
from engine.planning.plan import Plan, WholeArticles
from engine.ranking.selection.answer_scope import fitting_documents, is_in_scope

ONLY_WHOLE_ARTICLES = "only whole articles are returned (approach fulltext)"


def not_among_documents(plan: Plan) -> str:
    """Return the reason of an element whose document is out of the scope."""
    return f"its document does not fit {plan.scope.documents} (documents)"


def why_no_image(traced: TracedSearch, row: int) -> str:
    """Return why no image makes an element, which is not a fused candidate, one."""
    index, plan, here, images = traced.index, traced.plan, np.array([row]), traced.image_rows
    if images is None:
        raise TypeError("the query has no example image")
    document = index.elements.document(here)
    if not fitting_documents(index, plan.scope, document)[0]:
        return not_among_documents(plan)
    if isinstance(plan.order, WholeArticles) and row != index.elements.root(document)[0]:
        return ONLY_WHOLE_ARTICLES
    own = images[is_inside(index.elements, images, here)]
    if not len(own):
        return "no image is in it"
    if document[0] not in traced.answers.ranked.documents:
        return f"its article is not among the {plan.articles.n_best:,} with the best images (max_articles)"
    if not is_in_scope(index, plan, own, document).any() or not is_in_scope(index, plan, here, document)[0]:
        return "its images, or it, are out of the scope (inside, outside)"
    return _of_another_kind(plan)


def _of_another_kind(plan: Plan) -> str:
    if plan.answers.is_target:
        return "it is not a target of the query with an image to compare (answers target)"
    if plan.answers.tags is not None:
        return f"its tag is not one of {', '.join(plan.answers.tags)} (answers)"
    return "for an image, the answer is the figure around it, or what refers to it"
