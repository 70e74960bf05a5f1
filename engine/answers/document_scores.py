"""The scores of all elements of one document for a query, as a search computes them, for a heat map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.answers.answer_columns import AnswerColumns
from engine.arrays import FloatArray, Rows, distinct, is_among, places_of
from engine.columns.checked_folder import reads_columns
from engine.image_search.image_fusion import FusedScores
from engine.image_search.image_scores import element_scores
from engine.index.elements.containment import ancestors_or_self
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, ExampleImage
from engine.query_limits import limited
from engine.ranking.articles import RankedArticles
from engine.ranking.batch_search import search_batch
from engine.ranking.batches import batch_of
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.part import ElementScores
from engine.ranking.search import begin_search, search
from engine.ranking.trace import Trace, traced
from engine.settings import Settings


@reads_columns
def document_scores(
    index: IndexReader, text: str, settings: Settings, document: int, images: Sequence[ExampleImage] = ()
) -> dict[int, float]:
    """Return row -> score of the elements of a document that contain a match or an image, or may be answers.

    With example images, the fused scores: an element has the image score of its best image, and its text score. Where
    structure ranks, and for whole articles, those of the answers or candidates in the document. Empty for a document
    that is not among the ranked articles.

    Raises: as `search`.
    """
    trace = Trace(index.elements, document)
    with limited(settings.max_query_memory, settings.max_seconds), traced(trace):
        begin = begin_search(index, text, settings, images)
        if isinstance(begin.plan.order, ByScore) and begin.images is None:
            place = places_of(begin.ranked.documents == document).tolist()
            if not place:
                return {}
            search_batch(index, begin.plan, begin.ranked, batch_of(begin.ranked, place[0], 1))
            return _columns(*_by_text(index, begin.plan.order, begin.ranked, document, trace))
    trace = Trace(index.elements, document)  # the largest scores to divide by, and ranks, are of all articles
    found = search(index, text, settings, trace=trace, images=images)
    fused = trace.values.get("fused")
    if isinstance(fused, FusedScores):
        return _columns(*_fused(index, found, fused, document, trace))
    here = found.documents == document
    return _columns(found.elements[here], found.rsv[here])


def _by_text(
    index: IndexReader, order: ByScore, ranked: RankedArticles, document: int, trace: Trace
) -> tuple[Rows, FloatArray]:
    """Return the elements of a document that were scored by their text, ascending, and their scores."""
    found: ElementScores = trace.values["elements"]
    here = index.elements.document(found.rows) == document
    article = ranked.scores[ranked.documents == document].sum()
    return found.rows[here], found.values[here] + ARTICLE.column(order, article)


def _fused(
    index: IndexReader, answers: AnswerColumns, fused: FusedScores, document: int, trace: Trace
) -> tuple[Rows, FloatArray]:
    """Return the elements of a document with a fused score, ascending, and the scores."""
    plan, scored = answers.plan, trace.values["images"]
    here = index.elements.document(fused.rows) == document
    if not isinstance(plan.order, ByScore) or plan.images is None or not np.any(answers.ranked.documents == document):
        return fused.rows[here], fused.values[here]
    rows, scores = _by_text(index, plan.order, answers.ranked, document, trace)
    with_images = scored.rows[index.elements.document(scored.rows) == document]
    every = np.union1d(rows, ancestors_or_self(index.elements, distinct(with_images)))
    text = np.zeros(len(every))
    text[np.searchsorted(every, rows)] = np.maximum(scores, 0.0)
    image = element_scores(index.elements, plan.images, scored, every, np.sort(answers.ranked.documents))
    values = fused.weight * (image / fused.best_image) + (1 - fused.weight) * (text / fused.best_text)
    own, places = fused.rows[here], np.searchsorted(every, fused.rows[here])
    values[places[is_among(own, every)]] = fused.values[here][is_among(own, every)]
    return every, values


def _columns(rows: Rows, scores: FloatArray) -> dict[int, float]:
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))
