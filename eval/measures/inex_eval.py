"""inex_eval: probability that a retrieved element is relevant, at 100 levels of recall (INEX 2002-2004).

Sources: Goevert & Kazai, INEX 2002; Raghavan, Bollmann & Jung, TOIS 1989; Cooper, 1968; Pehcevski, thesis,
equation 2.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.judgements.quantisation import quantised
from eval.measures.registry import MeasureValues, measure
from eval.numbers import TOLERANCE, FloatArray
from eval.text.element_locator import ElementLocator
from eval.text.offsets import element_paths, element_rows

SearchLength: TypeAlias = Literal["cooper", "raghavan", "thesis"]
NonRelevant: TypeAlias = Literal["zero", "complement"]

POINTS = 100

NAMES = tuple(f"P[{k / POINTS:.2f}]" for k in range(1, POINTS + 1))


@measure(
    "inex_eval",
    line="probability that a retrieved element is relevant, at 100 levels of recall; AP is their mean",
    formula="P(rel|ret)(x) = x n / (x n + esl), n = sum of quantised values of the recall base, x = 0.01 ... 1.00; "
    "esl = j + s i / (r + 1): j non-relevant before the rank where x n is reached, i non-relevant and r relevant in "
    "it, s still needed from it; results with equal rsv form one rank",
    source="Goevert & Kazai, INEX 2002; Raghavan et al., TOIS 1989; Pehcevski, thesis, equation 2.8",
    options={
        "quant": "quantisation of the judgements",
        "esl": "cooper: s = x n - k, k the relevance before the rank; raghavan: s = ceil(x n) - k, as the tool of "
        "2002-2004; thesis: j + s i / (number of the rank), as printed",
        "nonrel": "zero: elements worth 0 are not relevant; complement: every element counts 1 - value",
        "collection_size": "number of elements in the collection: those not retrieved form the last rank",
    },
    requires=("elements",),
    detail=("P[",),
)
def inex_eval(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    quant: str = "strict",
    esl: SearchLength = "cooper",
    nonrel: NonRelevant = "zero",
    collection_size: int | None = None,
) -> MeasureValues:
    """Return precision at 100 levels of recall of one topic, and AP, their mean.

    Duplicates and elements that were not judged have the value 0. Precision is 0 at levels that are not reached.
    All None if no element is relevant under the quantisation.
    """
    values = quantised(judgements, quant)
    relevant = math.fsum(values)
    if not relevant:
        return dict.fromkeys(["AP", *NAMES])
    if nonrel == "complement" and values.max() > 1:
        raise MeasureError(
            f"nonrel=complement counts 1 - value, but {quant!r} gives values up to {values.max():g} here."
        )
    gains = returned_values(ranking, judgements, values)
    ranks = WeakOrdering.of(gains, ranking.rsv, nonrel)
    if collection_size is not None:
        ranks = ranks.with_rest(relevant, int((values > 0).sum()), collection_size, nonrel)
    points = precall(ranks, relevant, esl).tolist()
    return {"AP": math.fsum(points) / POINTS, **dict(zip(NAMES, points, strict=True))}


def returned_values(ranking: Ranking, judgements: Judgements, values: FloatArray) -> FloatArray:
    """Return the value of each result, shape (n_results,): 0 if it was not judged or was returned before."""
    rows = element_rows(ranking, element_paths(ranking, judgements, "inex_eval"), judgements)
    returned, firsts = np.unique(rows, return_index=True)
    gains = np.zeros(len(ranking))
    gains[firsts[returned >= 0]] = values[returned[returned >= 0]]
    return gains


@dataclass(frozen=True, eq=False)
class WeakOrdering:
    """A weak ordering of results: ranks of equal score, best first, float64, shape (n_ranks,).

    ``relevance`` is the sum of the values in each rank, ``relevant`` the number of values above 0, ``others`` the
    number of non-relevant results.
    """

    relevance: FloatArray
    relevant: FloatArray
    others: FloatArray
    n_results: int

    @classmethod
    def of(cls, gains: FloatArray, rsv: FloatArray, nonrel: NonRelevant) -> WeakOrdering:
        """Return the weak ordering of a ranking: adjacent results with equal rsv share a rank."""
        starts = np.flatnonzero(np.concatenate(([True], np.diff(rsv) != 0))) if len(gains) else np.array([], dtype=int)
        worth_nothing = (gains == 0).astype(np.float64) if nonrel == "zero" else 1.0 - gains
        sums = [
            np.add.reduceat(column, starts) if len(starts) else np.array([])
            for column in (gains, gains > 0, worth_nothing)
        ]
        return cls(sums[0], sums[1].astype(np.float64), sums[2], len(gains))

    def with_rest(self, relevance: float, relevant: int, collection_size: int, nonrel: NonRelevant) -> WeakOrdering:
        """Return the ordering with one more rank for the elements of the collection that were not retrieved."""
        rest = collection_size - self.n_results
        missing = max(relevance - math.fsum(self.relevance), 0.0)
        n_missing = relevant - float(self.relevant.sum())
        if rest < n_missing:
            raise MeasureError(
                f"collection_size={collection_size} is less than the {self.n_results} elements retrieved and the "
                f"{n_missing:g} relevant ones not retrieved."
            )
        others = rest - (n_missing if nonrel == "zero" else missing)
        return WeakOrdering(
            np.append(self.relevance, missing),
            np.append(self.relevant, n_missing),
            np.append(self.others, others),
            collection_size,
        )


def precall(ranks: WeakOrdering, relevant: float, esl: SearchLength) -> FloatArray:
    """Return P(rel|ret)(x) for x = 0.01 ... 1.00, shape (100,); 0 where x n is never reached.

    P(rel|ret)(x) = x n / (x n + esl), n = ``relevant``. The final rank is the first where the relevance so far is at
    least x n (raghavan: its ceiling). With j, i, r, k, s as in the formula of the family:
    cooper and raghavan esl = j + s i / (r + 1), thesis (2.8) esl = j + s i / (number of the rank); r and k are sums of
    values.
    """
    needed = np.arange(1, POINTS + 1) * relevant / POINTS
    tolerance = TOLERANCE * relevant
    aimed = np.ceil(needed - tolerance) if esl == "raghavan" else needed
    so_far = np.cumsum(ranks.relevance)
    final = np.searchsorted(so_far, aimed - tolerance)
    reached = final < len(so_far)
    points = np.zeros(POINTS)
    rank = final[reached]
    before = np.cumsum(ranks.others)[rank] - ranks.others[rank]
    still = np.maximum(aimed[reached] - (so_far[rank] - ranks.relevance[rank]), 0.0)
    among = rank + 1.0 if esl == "thesis" else ranks.relevance[rank] + 1.0
    length = before + still * ranks.others[rank] / among
    points[reached] = needed[reached] / (needed[reached] + length)
    return points
