"""Character precision at levels of character recall: the Focused and Thorough tasks of INEX from 2007 on.

Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson, INEX 2007 Evaluation Measures; inex_eval 3.1 (INEX 2009-2010).
"""

from __future__ import annotations

import math

import numpy as np

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.precision_recall import interpolated_precision, precision_recall_f1, ratio, recall_levels
from eval.measures.registry import MeasureValues, measure
from eval.numbers import IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import HighlightedText, highlighted_text
from eval.text.retrieved_text import OverlapHandling, RetrievedText, count_unlocated_results, retrieved_text

SOURCE = "Kamps et al., INEX 2007 Evaluation Measures; inex_eval 3.1, the official evaluator of INEX 2009-2010"

FORMULA = (
    "P and R: share of the returned characters that are highlighted, of the highlighted ones that are returned; "
    "iP[x] = best P at a rank where R >= x, x = 0.00 ... 1.00; AiP = mean of the 101 iP[x]; char_ and art_ prec, rec "
    "and f1: of characters and of articles after the last result"
)

LEGACY = (
    "as inex_eval 3.1: recall levels in floating point (0.57 may count as 0.56), 18 characters for a result without "
    "offsets"
)

POINTS = 100

COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
SHARES = ("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
IP = tuple(f"iP[{point / POINTS:.2f}]" for point in range(POINTS + 1))
SHOWN = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]")
DETAIL = (*COUNTS, *(name for name in IP if name not in SHOWN))


@measure(
    "focused",
    line="interpolated character precision at 101 levels of character recall, without overlap (INEX 2007 on)",
    formula=FORMULA,
    source=SOURCE,
    options={
        "overlapping": "refuse: overlap is an error; union: each character counts where it is returned first",
        "legacy_float": LEGACY,
    },
    requires=("offsets",),
    detail=DETAIL,
    count_warnings=count_unlocated_results,
)
def focused(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    overlapping: OverlapHandling = "refuse",
    legacy_float: bool = False,
) -> MeasureValues:
    """Return iP at 101 points, AiP, precision, recall and F1 of one topic; all None if nothing is highlighted."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return nothing()
    return text_scores(retrieved_text(ranking, judgements, overlapping, legacy_float), relevance, legacy_float)


@measure(
    "thorough",
    line="the measures of focused with overlapping results counted in full (Thorough task)",
    formula=FORMULA + "; a character counts each time it is returned, recall can pass 1",
    source=SOURCE,
    options={"legacy_float": LEGACY},
    requires=("offsets",),
    detail=DETAIL,
    count_warnings=count_unlocated_results,
)
def thorough(
    ranking: Ranking, judgements: Judgements, locator: ElementLocator | None = None, *, legacy_float: bool = False
) -> MeasureValues:
    """Return the scores of :func:`focused` with overlapping results counted in full."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return nothing()
    return text_scores(retrieved_text(ranking, judgements, "count", legacy_float), relevance, legacy_float)


def nothing() -> MeasureValues:
    """Return the scores of a topic without relevance, all None."""
    return dict.fromkeys([*COUNTS, *SHARES, *IP, "AiP"])


def text_scores(found: RetrievedText, relevance: HighlightedText, legacy: bool) -> MeasureValues:
    """Return every score of a topic with relevance."""
    relevant = np.cumsum(found.rsizes)
    returned = np.cumsum(found.sizes)
    levels = text_recall_levels(relevant, relevance.total, legacy)
    curve = interpolated_precision(ratio(relevant, returned), levels, POINTS).tolist()
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


def text_recall_levels(found: IntArray, relevant: int, legacy: bool) -> IntArray:
    """Return the level of recall that each rank reaches, 0 to 100.

    ``legacy`` computes floor(100 * R@r) in floating point, which may be one below the exact level.
    """
    if legacy:
        return np.floor(POINTS * (found / relevant)).astype(np.int64)
    return recall_levels(found, relevant, POINTS)
