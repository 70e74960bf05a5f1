"""XCG: extended cumulated gain with overlap and near-misses (INEX 2005).

Source: Kazai & Lalmas, INEX 2005 Evaluation Measures; Kazai & Lalmas, TOIS 2006; Pehcevski, thesis, 2.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from engine.runs import Ranking
from eval.arrays import BoolArray, FloatArray
from eval.judgements.judgements import Judgements
from eval.judgements.quantisation import quantised
from eval.judgements.recall_base import Tie, ideal
from eval.measures.hixeval import check_alpha
from eval.measures.registry import MeasureValues, measure
from eval.measures.xcg_gain import Gains, element_sizes, focused_gains, thorough_gains
from eval.measures.xcg_vectors import POINTS, GainVectors, Interpolation
from eval.text.element_locator import ElementLocator

OverlapMode: TypeAlias = Literal["on", "off"]

SOURCE = "Kazai & Lalmas, INEX 2005 Evaluation Measures, equations 4-14; Pehcevski, thesis, 2.4 (tie=deeper)"

OPTIONS = {
    "quant": "quantisation of the judgements",
    "overlap": "on: already returned text is discounted, near-misses count, the ideal ranking has no overlap; off: "
    "every relevant element counts in full",
    "alpha": "with overlap=on: share of the value of already returned text that is discounted, 0 to 1",
    "tie": "with overlap=on: of equal values on a relevant path the element higher in the tree, or deeper, is ideal",
    "interpolate": "iMAep: interpolate the rank curves of the run and of the ideal (ranks), or effort-precision (ep)",
}

LEVELS = tuple(f"ep[{level / POINTS:.2f}]" for level in range(1, POINTS + 1))  # ep by gain-recall


@measure(
    "xcg",
    line="extended cumulated gain against an ideal ranking: user-oriented nxCG, system-oriented MAep and iMAep",
    formula="nxCG[i] = xCG[i]/xCI[i], xCG[i] = sum of the gains xG[1 ... i], xCI of the ideal; MAnxCG[i] = mean of "
    "nxCG[1 ... i]; ep = rank of the ideal / rank of the run where they reach a gain; MAep = mean of ep at results "
    "with gain and ideal elements not returned (0); iMAep = mean of ep at gain-recall 0.01 ... 1; "
    "Q = 1/R sum cbg(j)/(cig(j) + j), R = cbg(R)/(cig(R) + R)",
    source=SOURCE,
    options={**OPTIONS, "at": "ranks of nxCG and MAnxCG"},
    requires=("elements",),
    detail=("ep[",),
)
def xcg(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    quant: str = "strict",
    overlap: OverlapMode = "on",
    alpha: float = 1.0,
    tie: Tie = "higher",
    interpolate: Interpolation = "ranks",
    at: tuple[int, ...] = (1, 5, 10, 25, 50),
) -> MeasureValues:
    """Return nxCG and MAnxCG at ranks, MAep, iMAep, Q and R of one topic, and ep at the 100 levels of gain-recall.

    All None if no element is relevant under the quantisation.
    """
    check_alpha(alpha)
    base = recall_base(judgements, quant, overlap, tie)
    if not base.ideals.any():
        names = [f"{name}@{rank}" for rank in at for name in ("nxCG", "MAnxCG")]
        return dict.fromkeys([*names, "MAep", "iMAep", "Q", "R", *LEVELS])
    found = gains(ranking, judgements, locator, base, overlap, alpha)
    vectors = GainVectors(found.gains, base.vector, int((base.ideals & ~found.returned).sum()))
    nxcg = vectors.nxcg(min(max(at, default=1), vectors.n_varying))
    scores: dict[str, float | None] = {}
    for rank in at:
        value = float(nxcg[min(rank, len(nxcg)) - 1])
        scores[f"nxCG@{rank}"] = value
        scores[f"MAnxCG@{rank}"] = math.fsum([*nxcg[:rank], max(rank - len(nxcg), 0) * value]) / rank
    return scores | {
        "MAep": vectors.maep(),
        "iMAep": vectors.imaep(interpolate),
        "Q": vectors.q(),
        "R": vectors.r(),
        **dict(zip(LEVELS, vectors.interpolated_ep(interpolate).tolist(), strict=True)),
    }


@dataclass(frozen=True, eq=False)
class XcgRecallBase:
    """The value of every judged element, and whether it is in the ideal ranking; shape (n_elements,)."""

    values: FloatArray
    ideals: BoolArray

    @property
    def vector(self) -> FloatArray:
        """Gains of the ideal ranking, in decreasing order."""
        return np.sort(self.values[self.ideals])[::-1]


@lru_cache(maxsize=16)
def recall_base(judgements: Judgements, quant: str, overlap: OverlapMode, tie: Tie) -> XcgRecallBase:
    """Return the recall base of a topic: the ideal one with overlap=on, the full one with overlap=off."""
    values = quantised(judgements, quant)
    return XcgRecallBase(values, ideal(judgements, values, tie) if overlap == "on" else values > 0)


def gains(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None,
    base: XcgRecallBase,
    overlap: OverlapMode,
    alpha: float,
) -> Gains:
    """Return the gain of every result of a topic."""
    if overlap == "off":
        return thorough_gains(ranking, judgements, base.values)
    sizes = element_sizes(judgements, locator) if alpha else judgements.elements.sizes
    return focused_gains(ranking, judgements, base.values, base.ideals, alpha, sizes)
