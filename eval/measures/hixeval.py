"""HiXEval: precision and recall of highlighted characters.

Source: Pehcevski & Thom, HiXEval: Highlighting XML Retrieval Evaluation, INEX 2005; Pehcevski, thesis, chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.hixeval_curve import HixevalCurve, Precision, SeenCounting
from eval.measures.measure_options import OptionValue
from eval.measures.precision_recall import harmonic_mean
from eval.measures.registry import MeasureValues, Requirement, measure
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.result_relevance import returned

SOURCE = "Pehcevski & Thom, HiXEval, INEX 2005; Pehcevski, thesis, 5.1, equations 5.1-5.6"

OPTIONS = {
    "alpha": "share of already returned text that is discounted, 0 (overlap allowed) to 1 (overlap penalised)",
    "precision": "elements: mean of rval/size (5.2); text: sum of rval / sum of sizes (5.1, needs all sizes)",
    "seen": "already returned text counts once (union), or once per earlier descendant (literal; may be negative)",
}


def required_judgements(options: Mapping[str, OptionValue]) -> tuple[Requirement, ...]:
    """Return what judgements must contain: judged elements if recall is over elements, else only their sizes."""
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
