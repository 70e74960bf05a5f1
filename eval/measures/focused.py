"""Precision of characters at recall of characters: the Focused and Thorough tasks of INEX from 2007 on.

Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson, INEX 2007 Evaluation Measures; inex_eval 3.1 (INEX 2009-2010).
"""

import math

import numpy as np

from engine.runs import Ranking
from eval.assessments import Judgements
from eval.excerpts import Excerpts, HighlightedText, Overlapping, excerpts, highlighted_text, unplaced_results
from eval.geometry import FloatArray, Geometry, IntArray
from eval.measures.hixeval_curve import harmonic_mean
from eval.measures.registry import Scores, measure

SOURCE = "Kamps et al., INEX 2007 Evaluation Measures; inex_eval 3.1, the official evaluator of INEX 2009-2010"

FORMULA = (
    "P and R: share of the returned characters that are highlighted, of the highlighted ones that are returned; "
    "iP[x] = best P at a rank where R >= x, x = 0.00 ... 1.00; AiP = mean of the 101 iP[x]; char_ and art_ prec, rec "
    "and f1: of characters and of articles after the last result"
)

LEGACY = (
    "as inex_eval 3.1: recall points in floating point (0.57 may count as 0.56), 18 characters for a result without "
    "a place"
)

POINTS = 100

COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
SHARES = ("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
IP = tuple(f"iP[{point / POINTS:.2f}]" for point in range(POINTS + 1))
SHOWN = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]")
DETAIL = (*COUNTS, *(name for name in IP if name not in SHOWN))


@measure(
    "focused",
    line="precision of characters at 101 points of recall of characters, without overlap (INEX 2007 on)",
    formula=FORMULA,
    source=SOURCE,
    options={
        "overlapping": "refuse: overlap is an error; union: each character counts where it is returned first",
        "legacy_float": LEGACY,
    },
    needs=("offsets",),
    detail=DETAIL,
    caution=unplaced_results,
)
def focused(
    ranking: Ranking,
    judgements: Judgements,
    geometry: Geometry | None = None,
    *,
    overlapping: Overlapping = "refuse",
    legacy_float: bool = False,
) -> Scores:
    """Return iP at 101 points, AiP, precision, recall and F1 of one topic; all None if nothing is highlighted."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return nothing()
    return text_scores(excerpts(ranking, judgements, overlapping, legacy_float), relevance, legacy_float)


@measure(
    "thorough",
    line="the measures of focused, text that is returned again counted in full (Thorough task)",
    formula=FORMULA + "; a character counts each time it is returned, recall can pass 1",
    source=SOURCE,
    options={"legacy_float": LEGACY},
    needs=("offsets",),
    detail=DETAIL,
    caution=unplaced_results,
)
def thorough(
    ranking: Ranking, judgements: Judgements, geometry: Geometry | None = None, *, legacy_float: bool = False
) -> Scores:
    """Return the scores of :func:`focused` with overlapping results counted in full."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return nothing()
    return text_scores(excerpts(ranking, judgements, "count", legacy_float), relevance, legacy_float)


def nothing() -> Scores:
    """Return the scores of a topic without relevance: none is defined."""
    return dict.fromkeys([*COUNTS, *SHARES, *IP, "AiP"])


def text_scores(found: Excerpts, relevance: HighlightedText, legacy: bool) -> Scores:
    """Return every score of a topic with relevance."""
    relevant = np.cumsum(found.rsizes)
    returned = np.cumsum(found.sizes)
    curve = interpolated_precision(relevant, returned, relevance.total, legacy).tolist()
    n_found = int((relevance.characters[found.rows[found.rows >= 0]] > 0).sum())
    n_returned = len(found.rows)
    text, highlighted = (int(sums[-1]) if len(sums) else 0 for sums in (returned, relevant))
    counts = (n_returned, relevance.n_relevant, n_found, text, relevance.total, highlighted)
    shares = (
        *precision_recall_f1(n_found, n_returned, relevance.n_relevant),
        *precision_recall_f1(highlighted, text, relevance.total),
    )
    return {
        **dict(zip(COUNTS, map(float, counts), strict=True)),
        **dict(zip(SHARES, shares, strict=True)),
        **dict(zip(IP, curve, strict=True)),
        "AiP": math.fsum(curve) / len(curve),
    }


def precision_recall_f1(hits: int, returned: int, relevant: int) -> tuple[float, float, float]:
    """Return precision, recall and their harmonic mean; precision is 0 where nothing is returned."""
    precision, recall = hits / returned if returned else 0.0, hits / relevant
    return precision, recall, harmonic_mean(precision, recall)


def interpolated_precision(relevant: IntArray, returned: IntArray, total: int, legacy: bool) -> FloatArray:
    """Return iP[x] = max of P@r over the ranks r with R@r >= x, x = 0.00 ... 1.00, shape (101,).

    P@r = relevant/returned and R@r = relevant/total, both cumulated up to rank r. ``legacy`` puts a rank at the point
    floor(100 * R@r) of a floating-point product, which may fall one below the exact one.
    """
    precision = np.divide(relevant, returned, out=np.zeros(len(relevant)), where=returned > 0)
    points = np.floor(POINTS * (relevant / total)).astype(np.int64) if legacy else POINTS * relevant // total
    best = np.zeros(POINTS + 1)
    np.maximum.at(best, np.minimum(points, POINTS), precision)
    curve: FloatArray = np.maximum.accumulate(best[::-1])[::-1]
    return curve
