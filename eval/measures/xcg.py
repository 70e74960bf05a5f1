"""XCG: extended cumulated gain with overlap and near-misses (INEX 2005); also for results grouped by article.

Sources: Kazai & Lalmas, INEX 2005 Evaluation Measures, equations 4-6 and 11-14 (groups, FetchBrowse: 6.3); Kazai &
Lalmas, TOIS 2006; Pehcevski, thesis, 2.4; Sakai, 2004 (Q and R). Equation numbers are those of the
first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

import numpy as np

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.judgements.quantisation import quantised
from eval.judgements.recall_base import Tie, ideal
from eval.measures.hixeval import check_alpha
from eval.measures.registry import MeasureValues, measure
from eval.measures.xcg_gain import Gains, element_sizes, focused_gains, thorough_gains
from eval.numbers import TOLERANCE, BoolArray, FloatArray, IntArray
from eval.text.element_locator import ElementLocator

Interpolation: TypeAlias = Literal["ranks", "ep"]

POINTS = 100


@dataclass(frozen=True, eq=False)
class GainVectors:
    """The gains of a ranking by rank, and the gains of the ideal ranking, positive and in decreasing order.

    ``n_missing`` is the number of elements of the ideal ranking that were not returned.
    """

    gains: FloatArray
    ideal: FloatArray
    n_missing: int

    @cached_property
    def cumulated(self) -> FloatArray:
        """xCG (4) at ranks 0, 1 ...; 0 at rank 0."""
        return np.concatenate(([0.0], np.cumsum(self.gains)))

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """xCI at ranks 0, 1 ...; 0 at rank 0."""
        return np.concatenate(([0.0], np.cumsum(self.ideal)))

    @property
    def total(self) -> float:
        """Total gain of the ideal ranking."""
        return float(self.ideal_cumulated[-1])

    @property
    def n_varying(self) -> int:
        """The number of ranks past which nxCG is constant."""
        return max(len(self.gains), len(self.ideal))

    def nxcg(self, last: int) -> FloatArray:
        """Return nxCG[i] = xCG[i]/xCI[i] (5), i = 1 ... last; both are constant past their ends."""
        ranks = np.arange(1, last + 1)
        returned = self.cumulated[np.minimum(ranks, len(self.gains))]
        nxcg: FloatArray = returned / self.ideal_cumulated[np.minimum(ranks, len(self.ideal))]
        return nxcg

    @cached_property
    def natural(self) -> IntArray:
        """The ranks at which there is gain."""
        return np.flatnonzero(self.gains > 0) + 1

    def ideal_ranks(self, gain: FloatArray) -> FloatArray:
        """Return the rank at which the ideal ranking reaches each cumulated gain, by linear interpolation."""
        return np.interp(gain, self.ideal_cumulated, np.arange(len(self.ideal) + 1))

    @cached_property
    def effort_precision(self) -> FloatArray:
        """Effort-precision ep = ideal rank / rank (11) at the natural ranks; gain is capped at the ideal total."""
        gain = np.minimum(self.cumulated[self.natural], self.total)
        ep: FloatArray = self.ideal_ranks(gain) / self.natural
        return ep

    def maep(self) -> float:
        """Return MAep: ep summed over the natural ranks / (their number + ideal elements not returned)."""
        asked = len(self.natural) + self.n_missing
        return math.fsum(self.effort_precision) / asked if asked else 0.0

    def interpolated_ep(self, how: Interpolation) -> FloatArray:
        """Return ep at gain-recall (12) 0.01 ... 1.00, shape (100,); 0 at levels that the ranking does not reach.

        ``ranks`` interpolates the rank at which each ranking reaches the gain; ``ep`` interpolates effort-precision
        between natural ranks, and uses that of the first natural rank below it.
        """
        levels = np.arange(1, POINTS + 1) / POINTS * self.total
        reached = levels <= self.cumulated[-1] + TOLERANCE * self.total
        levels = np.minimum(levels[reached], self.cumulated[-1])
        points = np.zeros(POINTS)
        if how == "ranks":
            points[reached] = self.ideal_ranks(levels) / self._ranks_of(levels)
        elif len(levels):
            at, firsts = np.unique(np.minimum(self.cumulated[self.natural], self.total), return_index=True)
            points[reached] = np.interp(levels, at, self.effort_precision[firsts])
        return points

    def _ranks_of(self, levels: FloatArray) -> FloatArray:
        """Return the rank at which the ranking reaches each level of gain, by linear interpolation."""
        returned = self.cumulated
        ends = np.searchsorted(returned, levels - TOLERANCE * self.total)
        step = returned[ends] - returned[ends - 1]
        part: FloatArray = np.minimum((levels - returned[ends - 1]) / step, 1.0)
        return part + (ends - 1)

    def imaep(self, how: Interpolation) -> float:
        """Return iMAep: the mean of ep at gain-recall 0.01 ... 1.00."""
        return math.fsum(self.interpolated_ep(how)) / POINTS

    def q(self) -> float:
        """Return Q = 1/R sum over natural ranks j of cbg(j)/(cig(j) + j) (13), R the ideal elements.

        cbg cumulates gain + 1 at natural ranks; cig is xCI without the bonus, as Sakai has it, so that the ideal
        ranking scores 1.
        """
        shares = self._bonused(self.natural) / (self._ideal_at(self.natural) + self.natural)
        return math.fsum(shares) / len(self.ideal)

    def r(self) -> float:
        """Return R = cbg(R)/(cig(R) + R) (14), R the number of ideal elements."""
        last = np.array([len(self.ideal)])
        return float((self._bonused(last) / (self._ideal_at(last) + last))[0])

    def _bonused(self, ranks: IntArray) -> FloatArray:
        """Return cbg at the ranks."""
        bonus = np.concatenate(([0], np.cumsum(self.gains > 0)))
        at = np.minimum(ranks, len(self.gains))
        cbg: FloatArray = self.cumulated[at] + bonus[at]
        return cbg

    def _ideal_at(self, ranks: IntArray) -> FloatArray:
        return self.ideal_cumulated[np.minimum(ranks, len(self.ideal))]


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
