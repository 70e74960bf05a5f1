"""The explanation of a fused score: the images in an element, group by group, and its text; or why no image counts."""

from __future__ import annotations

import numpy as np

from engine.explain.traced_search import TracedSearch
from engine.image_search.image_scores import ScoredImages, best_example_images
from engine.images.features import Group
from engine.images.similarity import group_shares, matching_blocks, strongest_features
from engine.index.elements.containment import is_inside
from engine.planning.plan import ExampleImage, Plan, WholeArticles
from engine.ranking.parts.part import Explanation
from engine.ranking.selection.answer_scope import fitting_documents, is_in_scope
from engine.wording import counted

ONLY_WHOLE_ARTICLES = "only whole articles are returned (approach fulltext)"


def not_among_documents(plan: Plan) -> str:
    """Return the reason of an element whose document is out of the scope."""
    scope = plan.scope
    bounds = [f"{scope.documents} (documents)" if scope.documents is not None else ""]
    bounds.append(f"{scope.where} (where)" if scope.where is not None else "")
    return f"its document does not fit {' and '.join(filter(None, bounds))}"


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


# Features of a group that are listed one by one, those that add most; the others are listed as one sum.
MOST_FEATURES = 5


def fused_score(traced: TracedSearch, row: int, by_text: Explanation | None) -> Explanation | None:
    """Return the fused score of an element with all its parts; None where it is not a candidate.

    score = weight x image / best image + (1 - weight) x text / best text; the value equals that of the search.
    """
    fused = traced.fused
    if fused is None:
        raise TypeError("the trace has no fused scores")
    place = int(np.searchsorted(fused.rows, row))
    if place == len(fused.rows) or fused.rows[place] != row:
        return None
    weight, image, text = fused.weight, float(fused.image[place]), float(fused.text[place])
    image_part = weight * (image / fused.best_image)
    text_part = (1 - weight) * (text / fused.best_text)
    details = [
        Explanation(
            "image_part",
            image_part,
            f"{weight:g} × {image:.6f} / {fused.best_image:.6f}, best image score of an element",
            (_image(traced, row, image),),
            {"weight": weight, "score": image, "best": fused.best_image},
        ),
        Explanation(
            "text_part",
            text_part,
            f"{1 - weight:g} × {text:.6f} / {fused.best_text:.6f}, best text score of an element",
            () if by_text is None else (by_text,),
            {"weight": 1 - weight, "score": text, "best": fused.best_text},
        ),
    ]
    return Explanation("score", float(fused.values[place]), "score: image + text", tuple(details), sums=True)


def _image(traced: TracedSearch, row: int, score: float) -> Explanation:
    """Return the image score of an element: that of its best image, or the mean over the examples."""
    query, scored = traced.plan.images, traced.value("images")
    if query is None or not isinstance(scored, ScoredImages):
        raise TypeError("the trace has no images")
    documents = np.sort(traced.answers.ranked.documents)
    found = best_example_images(traced.index.elements, query, scored, row, documents)
    parts = [_example(traced, scored, number, image) for number, image in enumerate(found)]
    if len(parts) == 1:
        return parts[0]
    shares = tuple(
        Explanation("example", (part.value or 0.0) / len(parts), f"1/{len(parts)} of the following", (part,))
        for part in parts
    )
    return Explanation("image", score, f"mean over {counted(len(parts), 'example image')}", shares, sums=True)


def _example(traced: TracedSearch, scored: ScoredImages, number: int, image: int) -> Explanation:
    """Return the score of the best image for one example, with its groups of features."""
    example: ExampleImage = traced.plan.images.examples[number]  # type: ignore[union-attr]  # it has this example
    if image < 0:
        return Explanation("image", 0.0, f"no image to compare with {example.name}")
    images = traced.index.images
    key, groups, features = images.key(image), scored.groups[number], images.features(image)
    details = []
    for group, share in zip(Group, group_shares(groups), strict=True):
        own = float(scored.group_scores[number][image][group])
        best, rest = strongest_features(group, groups, features, MOST_FEATURES)
        parts = [
            Explanation("feature", part, description, facts={"feature": feature, "block": block})
            for feature, part, description, block in best
        ]
        if rest:
            parts.append(Explanation("features", rest, "other features"))
        description = f"{group.title}: {share:.4g} × {own:.6f}"
        if groups[group].own_score <= 0:
            description = f"{group.title}: left out, as all images have these features"
        facts = {"group": group.title, "share": share, "score": own}
        details.append(Explanation("group", share * own, description, tuple(parts), facts, sums=bool(parts)))
    score = float(scored.scores[number][image])
    described = f"{key} compared with {example.name}"
    facts = {"image": key, "example": example.name, "blocks": np.round(matching_blocks(groups, features), 4).tolist()}
    return Explanation("image", score, described, tuple(details), facts, sums=True)
