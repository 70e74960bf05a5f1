"""The fusion of image and text: R = alpha S_image / max S_image + (1 - alpha) S_text / max S_text.

Source: thesis 6.2.1, phase three (its equation names the image's score S_I and the text's S_T); both sides are divided
by their maximum over the candidates, which the thesis leaves open. The image score of an element is that of its best
image. The text score is the element's score; where elements are ordered by structure, 1 - (rank - 1) / n, as in the
thesis's lists, with n = max_answers, and 0 beyond and for elements that the query without its images does not find;
of a whole article, its similarity.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Mask, Rows, distinct, is_among, places_of
from engine.image_search.image_scores import ScoredImages, element_scores
from engine.index.elements.containment import ancestors_or_self, contains_any, is_inside
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange, summed
from engine.planning.plan import ImageQuery, Plan, WholeArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import Candidates
from engine.ranking.matches import Matches, union
from engine.ranking.selection.answer_scope import is_in_scope
from engine.records import dataclass
from engine.sharded_search.shard_merging import largest_of_each
from engine.structure.conditions import targets_of
from engine.structure.scope import Scope


@dataclass(frozen=True, eq=False, repr=False)
class FusedScores(ArrayRecord):
    """Candidates by text and by image with both scores and the fused ones; columns of shape (n,), rows ascending.

    articles, ends, words: as in `Candidates`. image, text: their scores before they are divided by the maxima.
    weight: alpha; 1 where the query has no words. best_image, best_text: the maxima, 1 where there is nothing above 0.
    """

    rows: Rows
    articles: Rows
    ends: Rows
    words: Rows
    image: FloatArray
    text: FloatArray
    weight: float
    best_image: float
    best_text: float

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"FusedScores({len(self)}, weight={self.weight:g})"

    @property
    def values(self) -> FloatArray:
        """R of each candidate."""
        return self.weight * (self.image / self.best_image) + (1 - self.weight) * (self.text / self.best_text)

    @property
    def candidates(self) -> Candidates:
        """The candidates with these scores, in no order."""
        return Candidates(self.rows, self.articles, self.rows, self.ends, self.words, self.values)


def fuse(
    index: IndexReader,
    plan: Plan,
    query: ImageQuery,
    images: ScoredImages,
    by_text: tuple[Candidates, FloatArray],
    batch: ArticleBatch,
    matches: Matches,
) -> FusedScores:
    """Return the candidates by text and those by image, with both scores and the fused ones.

    With the weight 1 only the candidates for their images stay, as without words.

    Args:
        by_text: the candidates by text, and the scores of the ranked articles.
    """
    rows, text = _text_scores(index, plan, *by_text, matches)
    by_image = _candidates(index, plan, matches, batch)
    others = np.setdiff1d(by_image, rows)
    if plan.scope.restricts_elements:
        others = others[is_in_scope(index, plan, others, batch.documents)]
    every = np.concatenate([rows, others])
    order = np.argsort(every, kind="stable")
    rows, text = every[order], np.concatenate([text, np.zeros(len(others))])[order]
    image = element_scores(index.elements, query, images, rows, batch.documents)
    weight = query.weight if plan.query.wanted else 1.0
    if weight == 1:
        stays = (image > 0) & is_among(rows, by_image)
        rows, text, image = rows[stays], text[stays], image[stays]
    elements = index.elements
    best_image, best_text, highest_below = _maxima(index, image, text)
    if best_text <= 0 and highest_below > -np.inf:  # logarithmic scores may all be below 0: the same order above it
        text, best_text = np.where(text < 0, highest_below / np.where(text < 0, text, -1.0), 0.0), 1.0
    return FusedScores(
        rows=rows,
        articles=batch.places[batch.documents.searchsorted(elements.document(rows))],
        ends=elements.end(rows),
        words=elements.n_words(rows),
        image=image,
        text=text,
        weight=weight,
        best_image=best_image if best_image > 0 else 1.0,
        best_text=best_text if best_text > 0 else 1.0,
    )


def _candidates(index: IndexReader, plan: Plan, matches: Matches, batch: ArticleBatch) -> Rows:
    """Return the elements that are candidates for their images, ascending."""
    if isinstance(plan.order, WholeArticles):
        return np.sort(index.elements.root(batch.documents))
    if plan.answers.is_target and matches.targets is not None:
        return matches.targets
    elements = index.elements
    rows = matches.image_rows if matches.image_rows is not None else np.empty(0, np.int64)
    if matches.targets is not None:
        rows = rows[is_inside(elements, rows, matches.targets)]
    if plan.answers.tags is not None:
        numbers = [elements.tag_numbers[name] for name in plan.answers.tags if name in elements.tag_numbers]
        above = ancestors_or_self(elements, rows)
        return above[np.isin(elements.tag(above), numbers)]
    return _figures(index, rows)


def _figures(index: IndexReader, rows: Rows) -> Rows:
    """Return the smallest elements with text around images, no longer than a text block; else the images.

    A figure with its caption says more than the image alone; a section that happens to be around it does not.
    """
    elements, longest = index.elements, index.statistics.block_words
    above = elements.nearest_non_inline(rows)
    climbing = places_of(elements.n_words(above) == 0)
    while climbing.size:
        higher = elements.nearest_non_inline(elements.parent(above[climbing]))
        moved = higher != above[climbing]
        above[climbing] = higher
        climbing = climbing[moved & (elements.n_words(higher) == 0)]
    is_short = (elements.n_words(above) > 0) & (elements.n_words(above) <= longest)
    return distinct(np.where(is_short, above, elements.nearest_non_inline(rows)))


def _text_scores(
    index: IndexReader, plan: Plan, candidates: Candidates, of_articles: FloatArray, matches: Matches
) -> tuple[Rows, FloatArray]:
    """Return the candidates by text and their text scores."""
    if isinstance(plan.order, WholeArticles):
        return candidates.rows, of_articles[candidates.articles]
    if candidates.scores is not None:
        return candidates.rows, candidates.scores
    n_answers, rows = plan.selection.max_answers, candidates.rows
    is_found = is_among(rows, _found_by_text(index, plan, candidates, matches))
    rank = np.cumsum(is_found) - 1
    rank += _found_in_other_shards(index.exchange, candidates.articles, is_found, n_articles=len(of_articles))
    return rows, np.where(is_found, np.maximum(n_answers - rank, 0) / n_answers, 0.0)


def _found_in_other_shards(exchange: Exchange, articles: Rows, is_found: Mask, *, n_articles: int) -> Rows:
    """Return how many candidates of other shards are found by text and before each candidate of this one.

    Args:
        articles: of the candidates, ascending; an article is in one shard.
    """
    own = np.bincount(articles[is_found], minlength=n_articles)
    others = exchange.combine(summed, own) - own
    before: Rows = (np.cumsum(others) - others)[articles]
    return before


def _found_by_text(index: IndexReader, plan: Plan, candidates: Candidates, matches: Matches) -> Rows:
    """Return the candidates that the query finds without its images, ascending."""
    query, rows = plan.query, np.sort(candidates.rows)
    if not plan.answers.is_target or query.path_without_images is None:
        return rows
    if query.is_strict:
        scope = Scope.of(index, query, matches.with_image_rows(np.empty(0, np.int64)), plan.matching)
        return targets_of(scope, query.path_without_images.steps)
    return rows[contains_any(index.elements, rows, union([found.rows for found in matches.occurrences]))]


def _maxima(index: IndexReader, image: FloatArray, text: FloatArray) -> tuple[float, float, float]:
    """Return the largest image score, text score, and text score below 0 of all shards; -inf where there is none."""
    below = text[text < 0]
    maxima = np.array([column.max(initial=-np.inf) for column in (image, text, below)])
    best_image, best_text, highest_below = index.exchange.combine(largest_of_each, maxima).tolist()
    return best_image, best_text, highest_below
