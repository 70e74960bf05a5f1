"""Combiners: the results of searches over several shards become those of one search over all documents.

Combiners (`engine.index.shard_exchange`) take one value of each shard and return what every shard goes on with.
Ties go by document id, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, nth_highest
from engine.images.features import ImageFeatures
from engine.records import NamedTuple

Number = TypeVar("Number", int, float)


class FoundArticles(NamedTuple):
    """The articles of one shard, best first: ids and scores, of which the first `n_ranked` are ranked by score.

    The others follow the ranked articles of all shards in the order of their ids. n_best: ranked articles that stay.
    """

    ids: Sequence[str]
    scores: FloatArray
    n_ranked: int
    n_best: int


class MergedArticles(NamedTuple):
    """The articles of all shards, best first: shape (n,). shards, places: which shard, and which of its articles."""

    shards: Rows
    places: Rows
    scores: FloatArray


def merge_articles(found: Sequence[FoundArticles]) -> MergedArticles:
    """Return the articles of all shards in the order in which one index ranks them."""
    shards = np.repeat(np.arange(len(found)), [len(each.ids) for each in found])
    places = np.concatenate([np.arange(len(each.ids)) for each in found])
    scores = np.concatenate([each.scores for each in found])
    is_ranked = np.concatenate([np.arange(len(each.ids)) < each.n_ranked for each in found])
    ids = [document for each in found for document in each.ids]
    by_id = np.empty(len(ids), np.int64)
    by_id[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    order = np.lexsort((by_id, -np.where(is_ranked, scores, 0.0), ~is_ranked))
    n_ranked = int(is_ranked.sum())
    order = np.concatenate([order[:n_ranked][: found[0].n_best], order[n_ranked:]])
    return MergedArticles(shards[order], places[order], scores[order])


def any_of(found: Sequence[Mask]) -> Mask:
    """Return the disjunction over all shards of each of some statements."""
    claims: Mask = np.logical_or.reduce(found)
    return claims


def first_name(found: Sequence[str | None]) -> str | None:
    """Return the first name of all shards in alphabetical order, None if none has one."""
    return min((name for name in found if name is not None), default=None)


class ReferencedImage(NamedTuple):
    """An image of a shard that a reference means: the id of its document, its path and features."""

    document: str
    name: str
    features: ImageFeatures


def first_found(found: Sequence[Sequence[ReferencedImage | None]]) -> list[ReferencedImage | None]:
    """Return for each reference the image of the first document, in any shard, that has one; None if none has."""
    by_reference = [[image for image in images if image is not None] for images in zip(*found, strict=True)]
    return [min(images, key=lambda image: image.document, default=None) for images in by_reference]


def largest_of_each(found: Sequence[FloatArray]) -> FloatArray:
    """Return the largest of each of several values of all shards."""
    values: FloatArray = np.max(found, axis=0)
    return values


def largest(found: Sequence[Number]) -> Number:
    """Return the largest value of all shards."""
    return max(found)


class FoundScores(NamedTuple):
    """The scores of the best answers of one shard so far, best first, and how many answers are wanted."""

    scores: FloatArray
    n_wanted: int


def kth_best_score(found: Sequence[FoundScores]) -> float:
    """Return the score of the last of the best answers of all shards, -inf while there are fewer than wanted."""
    scores, n_wanted = np.concatenate([each.scores for each in found]), found[0].n_wanted
    if len(scores) < n_wanted:
        return -np.inf
    return nth_highest(scores, n_wanted)


class BudgetCandidates(NamedTuple):
    """The candidates of one shard for a word budget, best first; columns as in `Candidates`.

    n_rows: of each candidate that is a table, how many of `row_words`, the words of its rows; see `TablesInOrder`.
    """

    scores: FloatArray
    articles: Rows
    begins: Rows
    ends: Rows
    words: Rows
    n_rows: Rows
    row_words: Rows
    room_for_rows: tuple[int, bool]
    budget: int
    max_per_article: int | None
    groups_by_article: bool


class TextColumns(NamedTuple):
    """The texts of some elements or passages.

    rows: the elements. places: document, start and end of each text, shape (n, 3). sizes: how many of the sequences of
    words each has.
    """

    rows: Rows
    places: Rows
    sizes: Rows
    sequences: Rows


class TakenTexts(NamedTuple):
    """The answers of one shard, best first, with their texts.

    scores, field_places: None where answers do not follow them; see `merged_order`. n_first: how many answers of all
    shards are looked at, None for all.
    """

    texts: TextColumns
    scores: FloatArray | None
    articles: Rows
    groups_by_article: bool
    field_places: Rows | None = None
    n_first: int | None = None


def merged_order(
    scores: FloatArray | None, articles: Rows, *, groups_by_article: bool, field_places: Rows | None = None
) -> Rows:
    """Return the order of candidates of all shards, in which those of an article stay as they are.

    Args:
        scores: None where candidates follow the order of their articles.
        field_places: the places of their articles in the order of a field, which they follow first; None without one.
    """
    if field_places is not None:
        return np.lexsort((articles, np.zeros(len(articles)) if scores is None else -scores, field_places))
    if scores is None:
        return np.argsort(articles, kind="stable")
    keys = (-scores, articles) if groups_by_article else (articles, -scores)
    return np.lexsort(keys)
