"""XCG for results grouped by article (FetchBrowse): an element-level and an article-level score.

Source: Kazai & Lalmas, INEX 2005 Evaluation Measures, 6.3.
"""

from __future__ import annotations

import math

import numpy as np

from engine.runs import Ranking
from eval.arrays import FloatArray
from eval.judgements.judgements import Judgements
from eval.judgements.recall_base import Tie
from eval.measures.hixeval import check_alpha
from eval.measures.registry import MeasureValues, measure
from eval.measures.xcg import OPTIONS, OverlapMode, XcgRecallBase, gains, recall_base
from eval.measures.xcg_gain import Gains
from eval.measures.xcg_vectors import GainVectors, Interpolation
from eval.text.element_locator import ElementLocator

NAMES = tuple(f"{name}({level})" for level in ("element", "article") for name in ("MAep", "iMAep"))


@measure(
    "xcg-group",
    line="XCG for results grouped by article: within each article, and over the articles",
    formula="element level: MAep and iMAep of the results of each article with relevance against its own recall base, "
    "0 for articles not returned; mean over the articles. Article level: articles in the order of their first result "
    "against the articles with relevance, each worth the value of its root element",
    source="Kazai & Lalmas, INEX 2005 Evaluation Measures, 6.3",
    options=OPTIONS,
    requires=("elements",),
)
def xcg_group(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    quant: str = "strict",
    overlap: OverlapMode = "on",
    alpha: float = 1.0,
    tie: Tie = "higher",
    interpolate: Interpolation = "ranks",
) -> MeasureValues:
    """Return MAep and iMAep at both levels of one topic; None where a level has no relevance."""
    check_alpha(alpha)
    base = recall_base(judgements, quant, overlap, tie)
    if not base.ideals.any():
        return dict.fromkeys(NAMES)
    found = gains(ranking, judgements, locator, base, overlap, alpha)
    clusters = [
        _cluster(row, judgements, base, found)
        for row in np.unique(judgements.elements.document_rows[base.ideals]).tolist()
    ]
    scores: dict[str, float | None] = {
        "MAep(element)": math.fsum(vectors.maep() for vectors in clusters) / len(clusters),
        "iMAep(element)": math.fsum(vectors.imaep(interpolate) for vectors in clusters) / len(clusters),
    }
    articles = _articles(ranking, judgements, base)
    return scores | {
        "MAep(article)": articles.maep() if articles else None,
        "iMAep(article)": articles.imaep(interpolate) if articles else None,
    }


def _cluster(row: int, judgements: Judgements, base: XcgRecallBase, found: Gains) -> GainVectors:
    """Return the gains of the results in one article, in rank order, and of its ideal elements."""
    ideals = base.ideals & (judgements.elements.document_rows == row)
    vector = np.sort(base.values[ideals])[::-1]
    return GainVectors(found.gains[found.clusters == row], vector, int((ideals & ~found.returned).sum()))


def _articles(ranking: Ranking, judgements: Judgements, base: XcgRecallBase) -> GainVectors | None:
    """Return the gains of the articles, None if no root element has a value above 0."""
    worth = root_values(judgements, base.values)
    if not (worth > 0).any():
        return None
    rows = judgements.document_rows(dict.fromkeys(ranking.documents))
    values = np.where(rows >= 0, worth[rows], 0.0)
    ideal = np.sort(worth[worth > 0])[::-1]
    return GainVectors(values, ideal, len(ideal) - int((values > 0).sum()))


def root_values(judgements: Judgements, values: FloatArray) -> FloatArray:
    """Return the value of the root element of every judged document, 0 where it is not judged."""
    worth = np.zeros(len(judgements.documents))
    roots = np.array([path.count("/") == 1 for path in judgements.elements.paths], dtype=np.bool_)
    worth[judgements.elements.document_rows[roots]] = values[roots]
    return worth
