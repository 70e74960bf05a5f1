"""Answering and scoring all topics of a test collection: `foxir run`, then `foxir eval`, as a user calls them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench.building import DONE, FOXIR, PARTLY, Indexes
from bench.corpus import TRIALS, Corpus
from bench.processes import Usage, run


@dataclass(frozen=True)
class Scoring:
    """What answering and scoring used, one usage a repetition."""

    n_topics: int
    n_results: int
    answering: list[Usage]
    scoring: list[Usage]


def score_topics(corpus: Corpus, indexes: Indexes, work: Path, repetitions: int) -> Scoring | None:
    """Return what a run of all topics took to make and to score, None where the corpus has no topics."""
    topics, assessments = TRIALS / "topics.xml", TRIALS / "assessments"
    if f"{TRIALS.name}/" not in corpus.origin or not topics.exists():
        return None
    out = work / "trials.xml"
    answering, scoring = [], []
    for _ in range(repetitions):
        answering.append(
            run((FOXIR, "run", indexes.foxir, topics, "--out", out, "--json", "--quiet"), accepted=(DONE, PARTLY))
        )
        scoring.append(run((FOXIR, "eval", assessments, out, "--json", "--quiet"), accepted=(DONE, PARTLY)))
    made = json.loads(answering[-1].output)
    return Scoring(made["topics"], made["results"], answering, scoring)
