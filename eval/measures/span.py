"""Recall, precision and intersection over union of returned text: the measures of passages for language models.

Source: Smith & Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report, 2024, in characters.
"""

from __future__ import annotations

import math

import numpy as np

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.hixeval import count_unsized
from eval.measures.registry import MeasureValues, Requirement, measure
from eval.numbers import IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.result_relevance import returned

NAMES = ("R", "P", "IoU")
REQUIRES: tuple[Requirement, ...] = ("sizes",)


@measure(
    "span",
    line="recall, precision and intersection over union of the text of the first results, or of those within a budget",
    formula="g = highlighted characters in the results, each once; t = characters of the results, repeated ones again; "
    "Trel = highlighted characters of the topic; R@r = g/Trel, P@r = g/t, IoU@r = g/(t + Trel - g) of the first r "
    "results; R[n], P[n], IoU[n]: of the results before the first with which t exceeds n",
    source="Smith & Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma, 2024, in characters",
    options={"at": "ranks of R@r, P@r and IoU@r", "budgets": "characters of R[n], P[n] and IoU[n]"},
    requires=REQUIRES,
    count_warnings=count_unsized,
)
def span(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    at: tuple[int, ...] = (1, 5, 10),
    budgets: tuple[int, ...] = (2000, 4000),
) -> MeasureValues:
    """Return R, P and IoU of one topic at ranks and within budgets; all None if nothing is highlighted for the topic.

    Without results P is 0. NaN is a value that needs the size of a result of unknown size; with an index, what is not
    in it has no text.
    """
    relevant = int(highlighted_characters(judgements).sum())
    if not relevant:
        places = [*(f"@{rank}" for rank in at), *(f"[{budget}]" for budget in budgets)]
        return dict.fromkeys(f"{name}{place}" for place in places for name in NAMES)
    found = returned(ranking, judgements, locator)
    gained, text = np.cumsum(found.rsizes - found.seen), np.cumsum(found.sizes)
    n_known = len(text) if locator is not None or found.is_sized.all() else int(np.argmin(found.is_sized))
    counts: dict[str, int | None] = {f"@{rank}": min(rank, len(text)) for rank in at}
    for budget in budgets:
        n_fitting = int(np.searchsorted(text[:n_known], budget, "right"))
        counts[f"[{budget}]"] = None if n_fitting == n_known < len(text) else n_fitting
    return {
        f"{name}{place}": value
        for place, n in counts.items()
        for name, value in zip(NAMES, _shares(gained, text, n, n_known, relevant), strict=True)
    }


def _shares(gained: IntArray, text: IntArray, n: int | None, n_known: int, relevant: int) -> tuple[float, float, float]:
    """Return recall, precision and intersection over union of the first n results; NaN for what is unknown."""
    if n is None:
        return math.nan, math.nan, math.nan
    found, length = (int(gained[n - 1]), int(text[n - 1])) if n else (0, 0)
    if n > n_known:
        return found / relevant, math.nan, math.nan
    return found / relevant, found / length if length else 0.0, found / (length + relevant - found)
