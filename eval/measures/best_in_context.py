"""Best in Context: a ranked list of articles, each scored by its distance from the best entry point.

Source: inex_eval 3.1 (INEX 2009-2010); Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson, INEX 2006 Evaluation
Measures.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import UNKNOWN, Judgements
from eval.measures.generalised_precision import CUTOFFS, DETAIL, ArticleCurve, names
from eval.measures.registry import MeasureValues, measure
from eval.numbers import BoolArray, FloatArray, IntArray
from eval.text.element_locator import ElementLocator, require
from eval.text.highlighted_text import highlighted_text
from eval.text.retrieved_text import article_numbers


def count_missing_entry_points(
    ranking: Ranking, judgements: Judgements, locator: ElementLocator | None
) -> Mapping[str, int]:
    """Return the number of documents with highlighted text but no best entry point, by the code of the warning."""
    has_entry = (judgements.entry_points >= 0) | np.array([path is not None for path in judgements.entry_paths])
    count = int(((highlighted_text(judgements).characters > 0) & ~has_entry).sum()) if judgements.documents else 0
    return {"no_entry_point": count} if count else {}


@measure(
    "bic",
    line="Best in Context: generalised precision of articles scored by the distance from their best entry point",
    formula="s(a) = (n - d)/n for a distance of d <= n characters between the result and the best entry point, else 0; "
    "gP, gR and AgP as in ric with s for F",
    source="inex_eval 3.1 (n = 500); Lalmas et al., INEX 2006 Evaluation Measures (n = 1000)",
    options={"n": "distance in characters from which a result scores 0", "at": "ranks of gP and gR"},
    requires=("offsets",),
    detail=DETAIL,
    count_warnings=count_missing_entry_points,
)
def bic(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    n: int = 500,
    at: tuple[int, ...] = CUTOFFS,
) -> MeasureValues:
    """Return gP and gR at ranks, AgP and 11 interpolated points of one topic; all None if nothing is highlighted.

    A result without offset scores 0, and so does one whose document has no best entry point.

    Raises: MeasureError for a second result of a document.
    """
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return dict.fromkeys(names(at))
    if n < 1:
        raise MeasureError(f"n={n}: expected a distance of 1 character or more.")
    articles, rows = article_numbers(ranking, judgements)
    if len(rows) < len(articles):
        _refuse_second(ranking, articles)
    is_relevant = np.zeros(len(rows), dtype=np.bool_)
    is_relevant[rows >= 0] = relevance.characters[rows[rows >= 0]] > 0
    scores = entry_scores(ranking.starts, entry_points(judgements, rows, is_relevant, locator), n)
    return dict(ArticleCurve.of(scores, is_relevant, relevance.n_relevant).measures(at))


def entry_points(
    judgements: Judgements, rows: IntArray, is_relevant: BoolArray, locator: ElementLocator | None
) -> IntArray:
    """Return the offset of the best entry point of every relevant article, int64, -1 for none."""
    points = np.full(len(rows), UNKNOWN, dtype=np.int64)
    for article in np.flatnonzero(is_relevant).tolist():
        row = int(rows[article])
        path = judgements.entry_paths[row]
        points[article] = judgements.entry_points[row]
        if points[article] < 0 and path is not None:
            points[article] = _offset(judgements, row, path, locator)
    return points


def _offset(judgements: Judgements, row: int, path: str, locator: ElementLocator | None) -> int:
    """Return the offset of an entry point given by a path or a pointer into a text node."""
    document = judgements.documents[row]
    known = require(locator, f"{judgements.source}: best entry points are paths, their offsets are not known")
    offset = known.offset(document, path) if "text()" in path else int(known.spans(document, [path])[0, 0])
    if offset is None or offset < 0:
        raise MeasureError(
            f"{judgements.source}: best entry point {path} of document {document!r} is not in the index; "
            f"is it the index of the judged collection?"
        )
    return offset


def entry_scores(starts: IntArray, points: IntArray, n: int) -> FloatArray:
    """Return s = (n - d)/n; 0 where d > n, and for results without offset or documents without entry point."""
    distances = np.abs(points - starts)
    return np.where((points >= 0) & (starts >= 0) & (distances <= n), (n - distances) / n, 0.0)


def _refuse_second(ranking: Ranking, articles: IntArray) -> None:
    """Raise MeasureError at the first document that has a second result."""
    _, firsts = np.unique(articles, return_index=True)
    i = int(np.setdiff1d(np.arange(len(articles)), firsts)[0])
    raise MeasureError(
        f"{ranking.place(i)}: document {ranking.documents[i]!r} has a second result; Best in Context takes one entry "
        f"point a document. Keep the best one."
    )
