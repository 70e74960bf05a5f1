"""HiXEval: precision and recall of highlighted characters; also for results grouped by article (FetchBrowse).

Sources: Pehcevski & Thom, HiXEval: Highlighting XML Retrieval Evaluation, INEX 2005 (groups: 4.1); Pehcevski, thesis,
chapter 5 (groups: 5.1.2, "Measures for group result presentation"). Equation numbers are those of the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.precision_recall import harmonic_mean, interpolated_precision, ratio, recall_levels
from eval.measures.registry import MeasureValues, OptionValue, Requirement, measure
from eval.numbers import BoolArray, FloatArray, IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.result_relevance import ResultRelevance, require_repeated, returned

Precision: TypeAlias = Literal["elements", "text"]
SeenCounting: TypeAlias = Literal["union", "literal"]

LEVELS = 10


def relevance_values(rsizes: IntArray, seen: IntArray, alpha: float) -> FloatArray:
    """Return rval of each result: its highlighted characters minus alpha times those returned before.

    rval(e) = rsize(e) if not yet seen; rsize(e) - alpha rsize(e) if fully seen; rsize(e) - alpha sum rsize(e') over
    the returned descendants if partly seen: one formula, with 0, rsize(e) or part of it seen.
    """
    return rsizes - alpha * seen.astype(np.float64)


@dataclass(frozen=True, eq=False)
class HixevalCurve:
    """Precision and recall at each rank, float64, shape (n_results,), for ``relevant`` highlighted characters.

    ``has_relevant``: which results contain highlighted text, redundant or not; ``text``: characters returned up to the
    rank. Beyond the last result, precision over elements is divided by the rank; all other values stay constant.
    ``n_sized``: results before the first of unknown size. What depends on the sizes of later ones is NaN.
    """

    precision: FloatArray
    recall: FloatArray
    has_relevant: BoolArray
    text: IntArray
    relevant: int
    kind: Precision
    n_sized: int

    @classmethod
    def of(cls, found: ResultRelevance, relevant: int, alpha: float, kind: Precision, seen: SeenCounting) -> Self:
        """Return the curve of a ranking. P@r is equation 5.2 (``elements``) or 5.1 (``text``), R@r equation 5.3."""
        n_sized = len(found.is_sized) if found.is_sized.all() else int(np.argmin(found.is_sized))
        before = found.seen if seen == "union" else require_repeated(found)
        gained = np.cumsum(found.rsizes) - alpha * np.cumsum(before)
        text = np.cumsum(found.sizes)
        if kind == "text":
            precision = ratio(gained, text)
            precision[n_sized:] = np.nan
        else:
            shares = ratio(relevance_values(found.rsizes, before, alpha), found.sizes)
            precision = np.cumsum(shares) / np.arange(1, len(shares) + 1)
        recall = gained / relevant if relevant else np.zeros(len(gained))
        return cls(precision, recall, found.rsizes > 0, text, relevant, kind, n_sized)

    def precision_at(self, rank: int) -> float:
        """Return P@r."""
        n = len(self.precision)
        if rank <= n:
            return float(self.precision[rank - 1])
        if not n:
            return 0.0
        return float(self.precision[-1] * n / rank) if self.kind == "elements" else float(self.precision[-1])

    def recall_at(self, rank: int) -> float:
        """Return R@r."""
        return float(self.recall[min(rank, len(self.recall)) - 1]) if len(self.recall) else 0.0

    def average_precision(self) -> float:
        """Return AP (5.5): mean precision at the results with highlighted text, times recall at the last result."""
        if not self.has_relevant.any():
            return 0.0
        return float(self.precision[self.has_relevant].mean() * self.recall[-1])

    def interpolated_ap(self) -> float:
        """Return iAP: the mean of interpolated precision at 11 levels of recall."""
        if np.isnan(self.precision).any():
            return math.nan
        return float(self.interpolated().mean())

    def interpolated(self) -> FloatArray:
        """Return interpolated precision at recall 0, 0.1 ... 1, shape (11,)."""
        return interpolated_precision(self.precision, recall_levels(self.recall, 1.0, LEVELS), LEVELS)

    def r_precision(self) -> float:
        """Return RP (5.6): P@n, n the first rank where the returned text is as long as the relevant text.

        If the ranking returns less text, the missing characters count as not relevant.
        """
        n = len(self.text)
        if not n:
            return 0.0
        rank = int(np.searchsorted(self.text, self.relevant))
        if self.n_sized < min(rank + 1, n):
            return math.nan
        if rank < n:
            return float(self.precision[rank])
        return float(self.precision[-1] * self.text[-1] / self.relevant)


SOURCE = "Pehcevski & Thom, HiXEval, INEX 2005; Pehcevski, thesis, 5.1, equations 5.1-5.6"

OPTIONS = {
    "alpha": "share of already returned text that is discounted, 0 (overlap allowed) to 1 (overlap penalised)",
    "precision": "elements: mean of rval/size (5.2); text: sum of rval / sum of sizes (5.1, needs all sizes)",
    "seen": "already returned text counts once (union), or once per earlier descendant (literal; may be negative)",
}


def required_judgements(options: Mapping[str, OptionValue]) -> tuple[Requirement, ...]:
    """Return the required parts of judgements: judged elements if recall is over elements, else only their sizes."""
    return ("sizes",) if options["alpha"] == 1 else ("elements", "sizes")


def count_unsized(ranking: Ranking, judgements: Judgements, locator: ElementLocator | None) -> Mapping[str, int]:
    """Return the number of results of unknown size, by the code of the warning."""
    if locator is not None:
        return {}
    count = int((~returned(ranking, judgements, locator).is_sized).sum())
    return {"unsized_results": count}


@measure(
    "hixeval",
    line="precision and recall of highlighted characters, with overlap allowed or penalised",
    formula="P@r = 1/r sum_i rval(e_i)/size(e_i); R@r = 1/Trel sum_i rval(e_i); F@r = 2PR/(P+R); "
    "rval(e) = rsize(e) - alpha seen(e); AP = mean of P@i over results with highlighted text, times R@|R|; "
    "iAP = mean of best P@r with R@r >= x, x = 0, .1 ... 1; RP = P@n, n the first rank where returned text >= Trel",
    source=SOURCE,
    options={**OPTIONS, "at": "ranks of P@r, R@r and F@r"},
    requires=required_judgements,
    count_warnings=count_unsized,
)
def hixeval(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    alpha: float = 1.0,
    precision: Precision = "elements",
    seen: SeenCounting = "union",
    at: tuple[int, ...] = (1, 5, 10, 25, 50),
) -> MeasureValues:
    """Return P, R and F at ranks, AP, iAP and RP of one topic; all None if nothing is highlighted for the topic.

    NaN is a value that needs the size of a result of unknown size; with an index, what is not in it has no text.
    """
    check_alpha(alpha)
    relevant = relevant_characters(judgements, alpha)
    if not relevant:
        return dict.fromkeys([f"{letter}@{rank}" for rank in at for letter in "PRF"] + ["AP", "iAP", "RP"])
    found = returned(ranking, judgements, locator)
    if locator is not None:
        found = replace(found, is_sized=np.ones_like(found.is_sized))
    curve = HixevalCurve.of(found, relevant, alpha, precision, seen)
    scores: dict[str, float | None] = {}
    for rank in at:
        scores[f"P@{rank}"], scores[f"R@{rank}"] = curve.precision_at(rank), curve.recall_at(rank)
        scores[f"F@{rank}"] = harmonic_mean(curve.precision_at(rank), curve.recall_at(rank))
    return scores | {"AP": curve.average_precision(), "iAP": curve.interpolated_ap(), "RP": curve.r_precision()}


def check_alpha(alpha: float) -> None:
    """Raise MeasureError unless alpha lies in [0, 1]."""
    if not 0 <= alpha <= 1:
        raise MeasureError(f"alpha={alpha:g}: expected a number from 0 (overlap allowed) to 1 (overlap penalised).")


def relevant_characters(judgements: Judgements, alpha: float) -> int:
    """Return Trel: highlighted characters of all documents if alpha is 1, else of all judged elements (5.1.2)."""
    if alpha == 1:
        return int(highlighted_characters(judgements).sum())
    return int(judgements.elements.rsizes.sum())


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
