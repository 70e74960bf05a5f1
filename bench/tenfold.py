"""Queries of ten times the collection: how much longer they take than those of the trial reports alone.

    .venv/bin/python -m bench.tenfold FOLDER          # needs 3 GB; a quarter of an hour the first time, then minutes

The larger collection is the trial reports with synthetic articles, made of the reports' sentences and of new words, of
nine times as many bytes. The XML and both indexes stay in FOLDER and are used again. Each query is asked of one index
and of the other in turn, warm; a query counts with its median, a set of queries with the mean.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import foxir
from bench.corpus import open_corpus, trial_reports
from bench.environment import commit
from bench.goals import WANTED
from bench.growth import parts_of
from bench.report import table
from bench.topic_queries import QuerySet, query_sets
from engine.index.reader import IndexReader, open_reader
from engine.ranking.search import search

TIMES = 9  # bytes of synthetic articles, relative to those of the reports
MOST = 2.0  # that is wanted, for whatever has a goal of its own


def main() -> None:
    """Build what is missing, ask all queries, print a row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3, help="of all queries (%(default)s)")
    given = parser.parse_args()
    reports = trial_reports()
    corpus = open_corpus([reports[0].parent] if reports else [], 1, 20_000_000)
    synthetic = parts_of(given.folder, 1, TIMES * corpus.n_bytes)
    small = _indexed(given.folder / "alone.foxir", corpus.folders)
    large = _indexed(given.folder / "tenfold.foxir", [*corpus.folders, *synthetic])
    sets = query_sets(corpus)
    times = _times(open_reader(small), open_reader(large), sets, given.rounds)
    rows = []
    for number, each in enumerate(sets):
        alone, tenfold = (statistics.mean(map(statistics.median, times[number][which])) for which in (0, 1))
        wanted = MOST if each.name in WANTED else None
        outcome = "" if wanted is None else "met" if tenfold <= wanted * alone else "missed"
        rows.append(
            [each.name, f"{alone:.2f}", f"{tenfold:.2f}", f"{tenfold / alone:.2f}", f"{wanted or '-'}", outcome]
        )
    print(f"foxir {commit()}, {time.strftime('%Y-%m-%d')}, load of the machine at the end: {os.getloadavg()[0]:.1f}")
    print(table("ms of CPU, means", ["", "alone", "tenfold", "ratio", "goal", ""], rows))


def _indexed(index: Path, sources: Sequence[Path]) -> Path:
    """Return the index of the sources, built where it is missing or of another version."""
    try:
        with foxir.open_index(index):
            return index
    except foxir.FoxirError:
        _tell(f"index {index.name}")
        foxir.build_index(*sources, into=index)
        return index


def _times(
    small: IndexReader, large: IndexReader, sets: Sequence[QuerySet], rounds: int
) -> list[list[list[list[float]]]]:
    """Return the milliseconds of every set, index, query and round."""
    times: list[list[list[list[float]]]] = [[[[] for _ in each.texts] for _ in range(2)] for each in sets]
    for number in range(-1, rounds):  # the first round is to warm up
        _tell("queries, to warm up" if number < 0 else f"queries, round {number + 1} of {rounds}")
        for of_set, each in zip(times, sets, strict=True):
            for place, text in enumerate(each.texts):
                for which, reader in enumerate((small, large)):
                    began = time.thread_time()
                    search(reader, text, each.settings)
                    if number >= 0:
                        of_set[which][place].append(1000 * (time.thread_time() - began))
    return times


def _tell(stage: str) -> None:
    print(f"bench: {stage}", file=sys.stderr)


if __name__ == "__main__":
    main()
