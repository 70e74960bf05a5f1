"""Relevant in Context: a ranked list of articles, each scored by the text retrieved from it.

Sources: Kamps, Lalmas & Pehcevski, SIGIR 2007 (beta = 1); inex_eval 3.1 (beta = 0.25); Arvola, Geva, Kamps, Schenkel,
Trotman & Vainio, Overview of the INEX 2010 Ad Hoc Track (T2I).
"""

from __future__ import annotations

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.arrays import FloatArray, IntArray
from eval.judgements import Judgements
from eval.measures.generalised_precision import CUTOFFS, DETAIL, ArticleCurve, names
from eval.measures.registry import MeasureValues, measure
from eval.measures.t2i import t2i_scores
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_text
from eval.text.retrieved_text import OverlapHandling, RetrievedText, count_unlocated_results, retrieved_text

SIZES = ("ret_size", "rel_size", "rel_ret_size")


@measure(
    "ric",
    line="Relevant in Context: generalised precision of articles scored by their retrieved text",
    formula="F(a) = (1 + beta^2) P R / (beta^2 P + R), P and R of the characters returned from article a; "
    "gP[r] = 1/r sum of F over the first r articles; gR[r] = share of the articles with relevance among them; "
    "AgP = sum of gP at articles with relevance / number of articles with relevance",
    source="Kamps, Lalmas & Pehcevski, SIGIR 2007; inex_eval 3.1 (beta = 0.25); Arvola et al., INEX 2010 (T2I)",
    options={
        "beta": "weight of recall in F: 0.25 as in 2009-2010, 1 as in 2006",
        "t2i": "score an article by its precision up to this number of non-relevant characters, reading first the "
        "retrieved text, in document order, then the rest; none: by F",
        "overlapping": "refuse: overlap and interleaved articles are errors; union: each character counts where it is "
        "returned first, each article at its first result",
        "legacy_float": "as inex_eval 3.1: 18 characters for a result without offsets",
        "at": "ranks of gP and gR",
    },
    requires=("offsets",),
    detail=(*DETAIL, *SIZES),
    count_warnings=count_unlocated_results,
)
def ric(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    beta: float = 0.25,
    t2i: int | None = None,
    overlapping: OverlapHandling = "refuse",
    legacy_float: bool = False,
    at: tuple[int, ...] = CUTOFFS,
) -> MeasureValues:
    """Return gP and gR at ranks, AgP and 11 interpolated points of one topic; all None if nothing is highlighted."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return dict.fromkeys([*names(at), *SIZES])
    if beta < 0:
        raise MeasureError(f"beta={beta:g}: expected the weight of recall, 0 or more.")
    found = retrieved_text(ranking, judgements, overlapping, legacy_float)
    if overlapping == "refuse":
        refuse_interleaving(ranking, found.articles)
    highlighted = article_highlights(found, relevance.characters)
    scores = f_scores(found, highlighted, beta) if t2i is None else t2i_scores(ranking, found, judgements, locator, t2i)
    curve = ArticleCurve.of(scores, highlighted > 0, relevance.n_relevant)
    sizes = (found.sizes.sum(), relevance.total, found.rsizes.sum())
    return {**dict(curve.measures(at)), **dict(zip(SIZES, map(float, sizes), strict=True))}


def article_highlights(found: RetrievedText, characters: IntArray) -> IntArray:
    """Return the number of highlighted characters of every returned article, int64, shape (n_articles,)."""
    highlighted = np.zeros(len(found.rows), dtype=np.int64)
    judged = found.rows >= 0
    highlighted[judged] = characters[found.rows[judged]]
    return highlighted


def f_scores(found: RetrievedText, highlighted: IntArray, beta: float) -> FloatArray:
    """Return F(a) = (1 + beta^2) P R / (beta^2 P + R) of every article, 0 where nothing relevant was returned.

    With P = hits/returned and R = hits/highlighted this is (1 + beta^2) hits / (beta^2 highlighted + returned).
    """
    n = len(found.rows)
    returned = np.bincount(found.articles, weights=found.sizes, minlength=n)
    hits = np.bincount(found.articles, weights=found.rsizes, minlength=n)
    weight = beta * beta
    below = weight * highlighted + returned
    scores: FloatArray = np.divide((1 + weight) * hits, below, out=np.zeros(n), where=hits > 0)
    return scores


def refuse_interleaving(ranking: Ranking, articles: IntArray) -> None:
    """Raise MeasureError at the first result of an article that appears again after another one."""
    begins = np.flatnonzero(np.concatenate(([True], np.diff(articles) != 0))) if len(articles) else articles
    known: set[int] = set()
    for i in begins.tolist():
        if int(articles[i]) in known:
            raise MeasureError(
                f"{ranking.place(i)}: document {ranking.documents[i]!r} appears again after others. Results must be "
                f"grouped by document; group them, or score with --measure-option overlapping=union (a document "
                f"counts at its first result)."
            )
        known.add(int(articles[i]))
