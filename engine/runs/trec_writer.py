"""Writes runs in the TREC format: six columns, documents only."""

from __future__ import annotations

from collections.abc import Iterator

from engine.runs.run import Run
from engine.runs.text_line import text_line


def trec_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a run with the first result of each document, renumbered 1, 2, 3 ...

    Locations, description and settings are not written: the format has neither elements nor comments.
    """
    for topic, ranking in run.rankings.items():
        firsts: dict[str, float] = {}
        for document, rsv in zip(ranking.documents, ranking.rsv.tolist(), strict=True):
            firsts.setdefault(document, rsv)
        for rank, (document, rsv) in enumerate(firsts.items(), 1):
            yield text_line(topic, document, rank, rsv, run.run_id)
