"""Recall, precision and intersection over union of returned text: the measures of passages for language models.

Source: Smith & Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report, 2024, in characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.hixeval import count_unsized
from eval.measures.registry import MeasureValues, Requirement, measure
from eval.numbers import IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.result_relevance import returned

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
        return dict.fromkeys([f"{name}@{rank}" for rank in at for name in NAMES] + _within(budgets))
    found = returned(ranking, judgements, locator)
    gained = np.cumsum(found.rsizes - found.seen)
    text = np.cumsum(found.sizes)
    n_known = len(text) if locator is not None or found.is_sized.all() else int(np.argmin(found.is_sized))
    values: dict[str, float | None] = {}
    for rank in at:
        values |= zip(
            [f"{name}@{rank}" for name in NAMES],
            _shares(gained, text, min(rank, len(text)), n_known, relevant),
            strict=True,
        )
    for budget in budgets:
        n_fitting = int(np.searchsorted(text[:n_known], budget, "right"))
        is_known = n_fitting < n_known or n_known == len(text)
        shares = _shares(gained, text, n_fitting, n_known, relevant) if is_known else (math.nan,) * len(NAMES)
        values |= zip(_within((budget,)), shares, strict=True)
    return values


NAMES = ("R", "P", "IoU")


def _within(budgets: tuple[int, ...]) -> list[str]:
    return [f"{name}[{budget}]" for budget in budgets for name in NAMES]


def _shares(gained: IntArray, text: IntArray, n: int, n_known: int, relevant: int) -> Iterator[float]:
    """Yield recall, precision and intersection over union of the first n results."""
    found, length = (int(gained[n - 1]), int(text[n - 1])) if n else (0, 0)
    yield found / relevant
    if n > n_known:
        yield from (math.nan, math.nan)
    else:
        yield found / length if length else 0.0
        yield found / (length + relevant - found)
