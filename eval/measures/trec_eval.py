"""Document retrieval measures of the program trec_eval, by its names, with its numbers.

Its own code computes them, in the package `pytrec_eval`. Unlike those of `trec`, documents are in the order of rsv,
equal ones by descending id, a topic without relevant documents counts, with 0, and counts are added up over topics.
Source: Buckley, trec_eval 9, https://github.com/usnistgov/trec_eval.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.registry import MeasureValues, measure
from eval.measures.trec import by_score, gains, relevant_documents
from eval.text.element_locator import ElementLocator

if TYPE_CHECKING:
    from pytrec_eval import RelevanceEvaluator

# Measures at ranks, and others; `map_cut_10` is `map_cut` at 10.
AT_RANKS = ("P", "recall", "ndcg_cut", "map_cut", "success", "relative_P")
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
GEOMETRIC = ("gm_map", "gm_bpref")
OTHERS = (
    *("map", "Rprec", "bpref", "recip_rank", "ndcg", "infAP", "11pt_avg", "utility", "ndcg_rel", "Rndcg", "binG", "G"),
    *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
)
# Measures at levels, in hundredths of recall, and of the number of relevant documents.
AT_LEVELS = {"iprec_at_recall": tuple(range(0, 101, 10)), "Rprec_mult": tuple(range(20, 201, 20))}
# Measures with coefficients or gains, which the package passes to none.
WITH_COEFFICIENTS = ("utility", "ndcg", "ndcg_rel", "Rndcg", "set_F")
RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RANKS_OF_SUCCESS = (1, 5, 10)
# Beginnings of the names of measures that are details of the whole family.
DETAILS = (
    *("recall", "ndcg", "map_cut", "success", "relative_P", "iprec", "Rprec_mult", "infAP", "11pt", "utility", "Rndcg"),
    *("binG", "G", "set_", "num_nonrel", "gm_bpref"),
)
OFFICIAL = (*COUNTS[:4], "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
SET = (*COUNTS[:4], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F")
ALL = (*COUNTS, *GEOMETRIC, *OTHERS, *AT_LEVELS, *AT_RANKS)
# Names of several measures at once.
GROUPS = {"official": OFFICIAL, "set": SET, "all_trec": ALL}


def names_of(name: str) -> tuple[str, ...]:
    """Return the measures that a name of trec_eval without cut-offs stands for; none of another name.

    >>> names_of("map"), names_of("success"), len(names_of("official"))
    (('map',), ('success_1', 'success_5', 'success_10'), 29)
    """
    if name in GROUPS:
        return tuple(each for one in GROUPS[name] for each in names_of(one))
    if name in AT_RANKS:
        return tuple(f"{name}_{rank}" for rank in (RANKS_OF_SUCCESS if name == "success" else RANKS))
    if name in AT_LEVELS:
        return tuple(f"{name}_{level / 100:.2f}" for level in AT_LEVELS[name])
    return (name,) if name in ALL else ()


@measure(
    "trec_eval",
    line="document retrieval measures of the program trec_eval, by its names, with its numbers",
    formula="articles are in the order of rsv, equal ones by descending id; a topic without relevant ones counts, with "
    f"0; at ranks ({','.join(map(str, RANKS))}, or P_7, P.7,9): {', '.join(AT_RANKS)} "
    f"({','.join(map(str, RANKS_OF_SUCCESS))}); at levels: {', '.join(AT_LEVELS)}; {', '.join(OTHERS)}; P and Rprec "
    "are these, those of other families overlap:P and trec:Rprec; added up over topics: "
    f"{', '.join(COUNTS)}; geometric means: {', '.join(GEOMETRIC)}; several at once: {', '.join(GROUPS)}",
    source="trec_eval 9 (Buckley), through the package pytrec_eval (Van Gysel & de Rijke, SIGIR 2018)",
    options={"at": "ranks of the measures at ranks", "levels": "further levels, in hundredths"},
    detail=DETAILS,
    summaries={**dict.fromkeys(COUNTS, "sum"), **dict.fromkeys(GEOMETRIC, "geometric mean")},
)
def trec_eval(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    at: tuple[int, ...] = RANKS,
    levels: tuple[int, ...] = (),
) -> MeasureValues:
    """Return the measures of one topic; of geometric means, the values of which they are."""
    articles = by_score(ranking)
    # The program fills a topic without results with one that nobody judged, and then takes back what that counts.
    scores = {article: float(-place) for place, article in enumerate(articles or [""])}
    found: dict[str, float]
    (found,) = _evaluator(judgements, at, levels).evaluate({judgements.topic: scores}).values()
    if not articles:
        found |= {"num_ret": 0.0, "utility": 0.0}
    return found | {name: exp(found[name]) for name in GEOMETRIC}


# What computes the measures of a topic, which is kept while one run after the other is scored.
@lru_cache(4)
def _evaluator(judgements: Judgements, at: tuple[int, ...], levels: tuple[int, ...]) -> RelevanceEvaluator:
    import pytrec_eval  # noqa: PLC0415 - other families do without it

    ranks = ",".join(map(str, at))
    gain_of = dict.fromkeys(judgements.pooled, -1)
    gain_of |= zip(judgements.documents, gains(judgements, relevant_documents(judgements)), strict=True)
    if max(gain_of.values(), default=-1) < 0:
        gain_of[" "] = 0  # its arrays have a place for each grade from 0 to the highest; no document has this name
    named = {*COUNTS, *GEOMETRIC, *OTHERS, *(f"{name}.{ranks}" for name in AT_RANKS)}
    for name, usual in AT_LEVELS.items():
        named.add(f"{name}.{','.join(f'{level / 100:.2f}' for level in sorted({*usual, *levels}))}")
    return pytrec_eval.RelevanceEvaluator({judgements.topic: gain_of}, named)
