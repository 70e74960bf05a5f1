"""HiXEval for results grouped by article (FetchBrowse): an element-level and an article-level score.

Source: Pehcevski, thesis, 5.1.2, "Measures for group result presentation"; Pehcevski & Thom, INEX 2005, 4.1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.arrays import IntArray
from eval.judgements.judgements import Judgements
from eval.measures.hixeval import OPTIONS, SOURCE, check_alpha, required_judgements
from eval.measures.hixeval_curve import HixevalCurve, Precision, SeenCounting
from eval.measures.registry import MeasureValues, measure
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.result_relevance import ResultRelevance, returned

NAMES = tuple(f"{name}({level})" for level in ("element", "article") for name in ("Prec", "Rec", "AP"))


@measure(
    "hixeval-group",
    line="HiXEval for results grouped by article: within each article, and over the articles",
    formula="element level: P and R at the last result of each article with highlighted text, against that article's "
    "own Trel, and AP within it; articles not returned count 0; mean over the articles. Article level: articles in "
    "the order of their first result, scored as article elements: P@1500, R@1500, AP",
    source=SOURCE,
    options={**OPTIONS, "cutoff": "rank at which Prec(article) is computed, even if fewer articles are returned"},
    requires=required_judgements,
)
def hixeval_group(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    alpha: float = 1.0,
    precision: Precision = "elements",
    seen: SeenCounting = "union",
    cutoff: int = 1500,
) -> MeasureValues:
    """Return precision, recall and AP at both levels of one topic; None if nothing is highlighted for the topic."""
    check_alpha(alpha)
    if cutoff < 1:
        raise MeasureError(f"cutoff={cutoff}: expected a rank, 1 or more.")
    documents = highlighted_characters(judgements)
    if not documents.any():
        return dict.fromkeys(NAMES)
    found = returned(ranking, judgements, locator)
    relevant = documents if alpha == 1 else elements_characters(judgements)
    clusters = [
        HixevalCurve.of(found.rows(row), int(relevant[row]), alpha, precision, seen)
        for row in np.flatnonzero(documents).tolist()
    ]
    sizes, rsizes = article_sizes(judgements, documents, locator)
    articles = HixevalCurve.of(
        articles_returned(ranking, judgements, sizes, rsizes), int(rsizes.sum()), 1.0, precision, seen
    )
    element_level = [
        math.fsum(values) / len(clusters)
        for values in (
            [curve.precision_at(max(len(curve.precision), 1)) for curve in clusters],
            [curve.recall_at(max(len(curve.recall), 1)) for curve in clusters],
            [curve.average_precision() for curve in clusters],
        )
    ]
    article_level = [articles.precision_at(cutoff), articles.recall_at(cutoff), articles.average_precision()]
    return dict(zip(NAMES, [*element_level, *article_level], strict=True))


def elements_characters(judgements: Judgements) -> IntArray:
    """Return the sum of rsize over the judged elements of every judged document, shape (n_documents,)."""
    elements = judgements.elements
    sums = np.bincount(elements.document_rows, weights=elements.rsizes, minlength=len(judgements.documents))
    return sums.astype(np.int64)


def articles_returned(ranking: Ranking, judgements: Judgements, sizes: IntArray, rsizes: IntArray) -> ResultRelevance:
    """Return the articles of a ranking as results, each at the rank of its first result."""
    rows = judgements.document_rows(dict.fromkeys(ranking.documents))
    size, rsize = (np.where(rows < 0, 0, column[rows]) for column in (sizes, rsizes))
    nothing = np.zeros_like(rows)
    return ResultRelevance(size, size > 0, rsize, nothing, nothing, rows)


def article_sizes(
    judgements: Judgements, highlighted: IntArray, locator: ElementLocator | None
) -> tuple[IntArray, IntArray]:
    """Return size and rsize of every judged document: of its root element, else of the document as a whole."""
    sizes, rsizes = np.maximum(judgements.lengths, 0), highlighted.copy()
    elements = judgements.elements
    for row, document in enumerate(judgements.documents):
        top = judgements.root_row(row)
        if top >= 0:
            sizes[row], rsizes[row] = elements.sizes[top], elements.rsizes[top]
        elif not sizes[row] and rsizes[row] and locator is not None:
            sizes[row] = locator.length(document) or 0
    return sizes, rsizes
