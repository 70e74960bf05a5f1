"""inex_eval_ng: recall of exhaustivity and precision of specificity, weighted by element size (INEX 2003).

Source: Goevert, Fuhr, Kazai & Lalmas, INEX 2003; Goevert et al., Information Retrieval 2006; Pehcevski, thesis,
equations 2.9-2.12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.judgements.recall_base import nearest_ancestors
from eval.measures.precision_recall import interpolated_precision, ratio, recall_levels
from eval.measures.registry import MeasureValues, measure
from eval.numbers import FloatArray, IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import summed_by_owner, unseen_parts
from eval.text.offsets import element_paths, element_rows, with_result_offsets

NgQuantisation: TypeAlias = Literal["strict", "gen"]
Relevance: TypeAlias = Literal["antichain", "leaves", "all"]

POINTS = 100
HIGHEST = 3

NAMES = tuple(f"P({variant})[{k / POINTS:.2f}]" for variant in "so" for k in range(1, POINTS + 1))


def without_size(ranking: Ranking, judgements: Judgements, locator: ElementLocator | None) -> Mapping[str, int]:
    """Return the number of results that cannot be located, by the code of the warning."""
    count = int((with_result_offsets(ranking, locator).starts < 0).sum())
    return {"results_not_in_index": count} if count else {}


@measure(
    "inex_eval_ng",
    line="recall of exhaustivity and precision of specificity by text size, with overlap counted (s) or discounted (o)",
    formula="(s): R = sum f_E(e) / sum f_E of all relevant elements, P = sum f_S(e) |e| / sum |e|; (o): R = sum f_E(e) "
    "new(e)/|e| / Rel, P = sum f_S(e) new(e) / sum new(e), new(e) = characters of e that no earlier result returned; "
    "AP = mean over recall 0.01 ... 1.00 of the best P at or beyond; f_E = E/3, f_S = S/3 (strict: 1 iff 3)",
    source="Goevert, Fuhr, Kazai & Lalmas, INEX 2003; Pehcevski, thesis, equations 2.9-2.12",
    options={
        "quant": "gen: f = grade/3; strict: f = 1 for grade 3, else 0",
        "rel": "Rel of (o): antichain: the largest sum of f_E over relevant elements that do not overlap; leaves: over "
        "relevant elements with no relevant one inside; all: over all relevant elements",
    },
    requires=("elements",),
    detail=("P(",),
    count_warnings=without_size,
)
def inex_eval_ng(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    quant: NgQuantisation = "strict",
    rel: Relevance = "antichain",
) -> MeasureValues:
    """Return AP(s) and AP(o) of one topic, and the precision of both at 100 levels of recall.

    All None if no element is exhaustive under the quantisation. Raises: MeasureError for judgements from 2005 on,
    which are not graded from 0 to 3, and where sizes of results are not known.
    """
    exhaustive, specific = grades(judgements, quant)
    total = float(exhaustive.sum())
    if not total:
        return dict.fromkeys(["AP(s)", "AP(o)", *NAMES])
    paths = element_paths(ranking, judgements, "inex_eval_ng")
    rows = element_rows(ranking, paths, judgements)
    f_e, f_s = (np.where(rows >= 0, column[rows], 0.0) for column in (exhaustive, specific))
    sizes, new = new_characters(with_result_offsets(ranking, locator))
    curves = (
        interpolated(np.cumsum(f_e) / total, shares(f_s, sizes)),
        interpolated(np.cumsum(f_e * ratio(new, sizes)) / relevant_sum(judgements, exhaustive, rel), shares(f_s, new)),
    )
    return {
        "AP(s)": float(curves[0].mean()),
        "AP(o)": float(curves[1].mean()),
        **dict(zip(NAMES, np.concatenate(curves).tolist(), strict=True)),
    }


def grades(judgements: Judgements, quant: NgQuantisation) -> tuple[FloatArray, FloatArray]:
    """Return f_E and f_S of every judged element, shape (n_elements,)."""
    elements = judgements.elements
    if judgements.scale not in ("2002", "2003") and len(elements):
        raise MeasureError(
            f"{judgements.source}: inex_eval_ng needs exhaustivity and specificity graded from 0 to {HIGHEST} "
            f"(INEX 2002-2004); judgements from 2005 on are highlighted text."
        )
    if quant == "strict":
        columns = elements.exhaustivity == HIGHEST, elements.specificity == HIGHEST
        return columns[0].astype(np.float64), columns[1].astype(np.float64)
    return elements.exhaustivity / HIGHEST, elements.specificity / HIGHEST


def new_characters(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the size of each result, and the number of its characters new to the reader."""
    starts, sizes = np.maximum(ranking.starts, 0), np.maximum(ranking.lengths, 0)
    owners, begins, ends = unseen_parts(ranking.documents, starts, starts + sizes)
    return sizes, summed_by_owner(owners, ends - begins, len(ranking))


def relevant_sum(judgements: Judgements, exhaustive: FloatArray, rel: Relevance) -> float:
    """Return Rel: f_E summed over all relevant elements, the innermost ones, or the best that do not overlap."""
    if rel == "all":
        return float(exhaustive.sum())
    relevant = exhaustive > 0
    above = nearest_ancestors(judgements, relevant).tolist()
    if rel == "leaves":
        return float(np.delete(exhaustive, [row for row in above if row >= 0]).sum())
    paths, inside = judgements.elements.paths, np.zeros(len(exhaustive))
    total = 0.0
    for row in sorted(np.flatnonzero(relevant).tolist(), key=lambda row: -len(paths[row])):
        best = max(float(exhaustive[row]), float(inside[row]))
        if above[row] >= 0:
            inside[above[row]] += best
        else:
            total += best
    return total


def shares(f_s: FloatArray, sizes: IntArray) -> FloatArray:
    """Return precision (2.10, 2.12) at each rank: the mean of f_S over the returned text, weighted by size."""
    return ratio(np.cumsum(f_s * sizes), np.cumsum(sizes))


def interpolated(recall: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the interpolated precision at recall 0.01 ... 1.00, shape (100,)."""
    return interpolated_precision(precision, recall_levels(recall, 1.0, POINTS), POINTS)[1:]
