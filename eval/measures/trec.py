"""Document retrieval measures over articles, computed by the package ``ir_measures``.

Source: MacAvaney, Macdonald & Ounis, Streamlining Evaluation with ir-measures, ECIR 2022; definitions of trec_eval.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.registry import MeasureValues, measure
from eval.numbers import BoolArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters

if TYPE_CHECKING:
    from ir_measures import Measure
    from ir_measures.providers import Evaluator

Order: TypeAlias = Literal["rank", "score"]


@measure(
    "trec",
    line="document retrieval measures; articles in order of first results, relevant if they contain relevant text",
    formula="P@r: share of relevant articles among the first r; AP: precision at each relevant article, summed over "
    "those returned, divided by all; Rprec: P at the number of relevant articles; RR: 1 / rank of the first relevant; "
    "R@r: share of all relevant articles among the first r; nDCG@r: gain 1, of TREC qrels the relevance, discounted by "
    "log2(rank + 1), by that of the ideal; Bpref: relevant ones above judged others",
    source="trec_eval, through the package ir_measures (MacAvaney et al., ECIR 2022)",
    options={
        "at": "ranks of P@r",
        "recall_at": "ranks of R@r",
        "ndcg_at": "ranks of nDCG@r",
        "order": "articles in the order of ranks, or as trec_eval orders them: by rsv, equal ones by descending id",
    },
)
def trec(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    at: tuple[int, ...] = (1, 5, 10, 25, 50),
    recall_at: tuple[int, ...] = (),
    ndcg_at: tuple[int, ...] = (10,),
    order: Order = "rank",
) -> MeasureValues:
    """Return the measures of one topic; all None if no article is relevant."""
    import ir_measures  # noqa: PLC0415 - other families do without it

    measures = (
        ir_measures.AP,
        ir_measures.Rprec,
        ir_measures.RR,
        *(ir_measures.nDCG @ rank for rank in ndcg_at),
        ir_measures.Bpref,
        *(ir_measures.P @ rank for rank in at),
        *(ir_measures.R @ rank for rank in recall_at),
    )
    names = [str(one) for one in measures]
    evaluator = _evaluator(judgements, measures)
    if evaluator is None:
        return dict.fromkeys(names)
    articles = list(dict.fromkeys(ranking.documents)) if order == "rank" else by_score(ranking)
    if not articles:
        return dict.fromkeys(names, 0.0)  # trec_eval's binding does not survive a topic without results
    run = {judgements.topic: {document: float(len(articles) - i) for i, document in enumerate(articles)}}
    found = {str(metric.measure): float(metric.value) for metric in evaluator.iter_calc(run)}
    return {name: found[name] for name in names}


# What computes the measures of a topic, which is kept while one run after the other is scored.
@lru_cache(4)
def _evaluator(judgements: Judgements, measures: tuple[Measure, ...]) -> Evaluator | None:
    """Return what computes measures with the judgements of a topic; None if no article is relevant."""
    import ir_measures  # noqa: PLC0415 - other families do without it

    relevant = relevant_documents(judgements)
    if not relevant.any():
        return None
    gain_of = dict(zip(judgements.documents, gains(judgements, relevant), strict=True))
    return ir_measures.evaluator(measures, {judgements.topic: gain_of})


def by_score(ranking: Ranking) -> list[str]:
    """Return the articles as trec_eval orders them: by their best rsv, in 32 bits; equal ones by descending id."""
    best: dict[str, float] = {}
    with np.errstate(over="ignore"):
        scores = ranking.rsv.astype(np.float32).tolist()
    for document, rsv in zip(ranking.documents, scores, strict=True):
        best[document] = max(rsv, best.get(document, rsv))
    return sorted(best, key=lambda document: (best[document], document.encode()), reverse=True)


def gains(judgements: Judgements, relevant: BoolArray) -> list[int]:
    """Return the gain of every judged document: its relevance in TREC qrels, else 1 or 0."""
    found: list[int] = (judgements.highlighted if judgements.scale == "trec" else relevant).astype(np.int64).tolist()
    return found


def relevant_documents(judgements: Judgements) -> BoolArray:
    """Return which judged documents have highlighted text or, on graded scales, a relevant element."""
    relevant: BoolArray = highlighted_characters(judgements) > 0
    relevant[np.unique(judgements.elements.document_rows[judgements.elements.relevant])] = True
    return relevant
