"""The scores of the images of an index for the example images of a query, and the scores of elements by them."""

from __future__ import annotations

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Rows, distinct, is_among, places_of
from engine.images.similarity import WeightedGroup, group_scores, mean_of_groups, weighted_groups
from engine.index.elements.containment import ancestors_or_self, is_inside
from engine.index.elements.element_store import Elements
from engine.index.reader import IndexReader
from engine.planning.plan import ExampleImage, ImageQuery, Plan
from engine.query_limits import reserve
from engine.ranking.articles import RankedArticles, best, of_all_shards
from engine.ranking.selection.answer_scope import fitting_documents
from engine.records import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class ScoredImages(ArrayRecord):
    """The images of an index with their scores for each example.

    rows: the elements that refer to images, ascending; images: the image of each. scores: of the images for each
    example, from 0 to 1, shape (n_examples, n_slots); group_scores: in each group of features, shape (n_examples,
    n_slots, 4). groups: of each example, the features with their weights.
    """

    rows: Rows
    images: Rows
    scores: FloatArray
    group_scores: FloatArray
    groups: tuple[tuple[WeightedGroup, ...], ...]

    def __len__(self) -> int:
        return int(self.scores.shape[1])

    def __repr__(self) -> str:
        return f"ScoredImages(images={len(self)}, best={self.scores.max(initial=0.0):.4f})"

    @property
    def means(self) -> FloatArray:
        """The mean of each image's scores for the examples, shape (n_slots,)."""
        return _mean(list(self.scores))


def score_images(index: IndexReader, images: ImageQuery) -> ScoredImages:
    """Return the scores of all images of the index."""
    collection = index.images
    rows, of_rows = collection.references
    scores, by_group, groups = [], [], []
    for example in images.examples:
        reserve(8 * collection.n_slots)
        weighted = weighted_groups(example.features, collection)
        found = group_scores(weighted, collection)
        found[~collection.counts] = 0.0
        scores.append(mean_of_groups(found, weighted))
        by_group.append(found)
        groups.append(tuple(weighted))
    return ScoredImages(rows, of_rows, np.stack(scores), np.stack(by_group), tuple(groups))


def with_image_articles(index: IndexReader, plan: Plan, ranked: RankedArticles, scored: ScoredImages) -> RankedArticles:
    """Return the ranked articles, followed by others with images, those with the best images first.

    At most as many are added as the plan takes by their words, none where the query requires words. Ties are in
    collection order.
    """
    if plan.query.required:
        return ranked
    by_image = np.full(index.n_slots, -1.0)
    np.maximum.at(by_image, index.images.documents[scored.images], scored.means[scored.images])
    by_image[ranked.documents[ranked.documents >= 0]] = -1.0
    documents = places_of(by_image >= 0)
    documents = documents[fitting_documents(index, plan.scope, documents)]
    n_best = plan.articles.n_best
    added = of_all_shards(index, best(documents, by_image[documents], n_best, index.order), None, n_best)
    scores = np.concatenate([ranked.scores, np.zeros(len(added))])
    return RankedArticles(np.concatenate([ranked.documents, added.documents]), scores)


def element_scores(
    elements: Elements, query: ImageQuery, scored: ScoredImages, rows: Rows, documents: Rows
) -> FloatArray:
    """Return the image scores of elements: the mean over the examples of the score of the best image in each.

    Args:
        rows: ascending. documents: those that are searched, ascending.
    """
    found = []
    for number, example in enumerate(query.examples):
        of_rows, images = _compared(elements, example, scored, documents)
        values = scored.scores[number][images]
        if example.support is None:
            found.append(_best_below(elements, rows, of_rows, values))
        else:
            support = _named(elements, example.support, documents)
            found.append(_best_above(elements, rows, support, _best_below(elements, support, of_rows, values)))
    return _mean(found)


def best_example_images(
    elements: Elements, query: ImageQuery, scored: ScoredImages, row: int, documents: Rows
) -> list[int]:
    """Return for each example the image from which an element has its score, -1 for none; of equal ones, the first."""
    found = []
    for number, example in enumerate(query.examples):
        of_rows, images = _compared(elements, example, scored, documents)
        outer = np.array([row])
        if example.support is not None:
            above = ancestors_or_self(elements, outer)
            outer = above[is_among(above, _named(elements, example.support, documents))]
        own = images[is_inside(elements, of_rows, outer)]
        values = scored.scores[number][own]
        found.append(int(own[values.argmax()]) if len(own) else -1)
    return found


def _compared(elements: Elements, example: ExampleImage, scored: ScoredImages, documents: Rows) -> tuple[Rows, Rows]:
    """Return the elements that refer to images with which an example is compared, and the images."""
    if not example.names:
        return scored.rows, scored.images
    inside = is_inside(elements, scored.rows, _named(elements, example.names, documents))
    return scored.rows[inside], scored.images[inside]


def best_images(elements: Elements, scored: ScoredImages, rows: Rows) -> Rows:
    """Return the image with the best score in each element, -1 without one; of ties the first."""
    means = scored.means[scored.images]
    first = np.searchsorted(scored.rows, rows)
    last = np.searchsorted(scored.rows, elements.end(rows))
    found = np.full(len(rows), -1, np.int64)
    for place in places_of(last > first).tolist():
        own = slice(int(first[place]), int(last[place]))
        found[place] = scored.images[own][means[own].argmax()]
    return found


def image_rows(scored: ScoredImages, elements: Elements, documents: Rows) -> Rows:
    """Return the elements of documents (ascending) that refer to images, ascending and distinct."""
    rows = distinct(scored.rows)
    return rows[is_among(elements.document(rows), documents)]


def _named(elements: Elements, names: tuple[str, ...], documents: Rows) -> Rows:
    local = {name.rpartition(":")[2] for name in names}
    numbers = sorted(elements.tag_numbers[name] for name in local if name in elements.tag_numbers)
    return elements.with_tags(numbers, documents)


def _best_below(elements: Elements, rows: Rows, of_rows: Rows, values: FloatArray) -> FloatArray:
    """Return the largest value in or below each element, 0 without one."""
    best = np.zeros(len(rows))
    first, last = np.searchsorted(of_rows, rows), np.searchsorted(of_rows, elements.end(rows))
    some = places_of(last > first)
    if len(some):
        borders = np.stack([first[some], last[some]], axis=1).ravel()
        best[some] = np.maximum.reduceat(np.append(values, 0.0), borders)[::2]
    return best


def _best_above(elements: Elements, rows: Rows, members: Rows, values: FloatArray) -> FloatArray:
    """Return the largest value of the members at or above each element, 0 without one."""
    best = np.zeros(len(rows))
    if not len(members):
        return best
    current, climbing = rows.copy(), np.arange(len(rows))
    while climbing.size:
        here = current[climbing]
        is_found = is_among(here, members)
        places = np.searchsorted(members, here[is_found])
        best[climbing[is_found]] = np.maximum(best[climbing[is_found]], values[places])
        above = elements.parent(here)
        current[climbing] = above
        climbing = climbing[above != here]
    return best


def _mean(columns: list[FloatArray]) -> FloatArray:
    total = np.zeros(len(columns[0]))
    for column in columns:
        total += column
    return total / len(columns)
