"""Measures a cluster on this machine: what it adds to a search, beside a bare call of an actor, and what shards cost.

    .venv/bin/python -m bench.cluster                      # the sample's words in synthetic articles
    .venv/bin/python -m bench.cluster --documents 20000 --shards 4 --json cluster.json

Searches of one process and of the cluster take turns with bare calls, so that other load affects all alike. From the
same run comes a model of what more shards cost: each takes a part of the service's processor time, at most what all
take divided by their number. Needs the extra `cluster`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from unittest.mock import patch

import ray

import foxir
from bench.shards import private_megabytes, word
from foxir.cluster.cluster_index import ClusterIndex
from foxir.cluster.replicas import SearcherCopy
from foxir.cluster.search_session import RaySession
from foxir.cluster.sharded_query import ShardedQuery

QUERIES, ROUNDS = 40, 15
SHARDS_OF_MODEL = (10, 100)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--elements", type=int, default=60, help="paragraphs of a document")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of all queries (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="foxir-bench-") as folder:
        found = measured(Path(folder), options)
    for name, value in found.items():
        print(f"{name:42} {value}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), "utf-8")


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return all measurements by name."""
    random = Random(options.seed)
    source = folder / "source"
    write_articles(source, options.documents, options.elements, random)
    found: dict[str, Any] = {}
    for name, shards in (("one", None), ("sharded", options.shards)):
        began, cpu = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        report = foxir.build_index(source, into=folder / f"{name}.foxir", shards=shards)
        used = resource.getrusage(resource.RUSAGE_SELF)
        found[f"build, {name}: CPU s"] = round(used.ru_utime - cpu.ru_utime, 2)
        found[f"build, {name}: wall s"] = round(time.perf_counter() - began, 2)
    found["documents"], found["elements"] = report.documents, report.elements
    queries = [" ".join(word(random) for _ in range(2 + number % 3)) for number in range(QUERIES)]
    with (
        foxir.open_index(folder / "one.foxir") as one,
        foxir.open_index(folder / "sharded.foxir") as sharded,
        ClusterIndex(folder / "sharded.foxir", address="local") as cluster,
    ):
        actor = cluster.cluster.replicas[0].actors[0]
        ways: dict[str, Callable[[str], Any]] = {
            "one index, one process": lambda query: one.search(query, max_answers=20),
            "shards, one process": lambda query: sharded.search(query, max_answers=20),
            "shards, cluster": lambda query: cluster.search(query, max_answers=20),
            "shards, cluster, by Ray's calls": lambda query: by_ray(cluster, query),
            "bare call of an actor": lambda _query: ray.get(actor.process.remote()),
        }
        for query in queries:
            answers = [way(query) for name, way in ways.items() if "bare" not in name]
            found.setdefault("rounds of a query", 0)
            found["rounds of a query"] += rounds_of(cluster, query) / len(queries)
            if len({tuple(zip(each.documents, each.scores.tolist(), strict=True)) for each in answers}) != 1:
                raise AssertionError(f"{query!r}: the answers differ")
        processes = [ray.get(replicas.actors[0].process.remote()) for replicas in cluster.cluster.replicas]
        times: dict[str, list[float]] = {name: [] for name in ways}
        spent: dict[str, list[float]] = {name: [] for name in ways}
        here: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, way in ways.items():
                before, before_here = processor_ms(processes), time.process_time()
                for query in queries:
                    began = time.perf_counter()
                    way(query)
                    times[name].append(1000 * (time.perf_counter() - began))
                spent[name].append((processor_ms(processes) - before) / len(queries))
                here[name].append(1000 * (time.process_time() - before_here) / len(queries))
        for name, each in times.items():
            found[f"{name}: median ms"] = round(median(each), 3)
            found[f"{name}: 95th percentile ms"] = round(sorted(each)[len(each) * 19 // 20], 3)
            found[f"{name}: processor time, ms"] = round(median(spent[name]), 3)
        found["shards, cluster: of it the service, ms"] = of_service = round(median(here["shards, cluster"]), 3)
        for shards in SHARDS_OF_MODEL:
            found[f"model: {shards} shards, the service, at most ms"] = round(of_service * shards / options.shards, 1)
        found["memory of a searcher, MB"] = [private_megabytes(process) for process in processes]
    ray.shutdown()
    return found


def by_ray(cluster: ClusterIndex, query: str) -> Any:
    """Return the answers to a query, for which searchers are asked as where no connection to them can be made."""
    with patch.object(SearcherCopy, "session", lambda copy: RaySession(copy.actor)):
        return cluster.search(query, max_answers=20)


def rounds_of(cluster: ClusterIndex, query: str) -> int:
    """Return how often a query, whose totals are known, waits for all shards."""
    with patch.object(ShardedQuery, "_wait", autospec=True, side_effect=ShardedQuery._wait) as waiting:
        cluster.search(query, max_answers=20)
    return waiting.call_count


def write_articles(source: Path, n_documents: int, n_paragraphs: int, random: Random) -> None:
    """Write articles of sections of five paragraphs of twelve words."""
    for number in range(n_documents):
        paragraphs = [f"<p>{' '.join(word(random) for _ in range(12))}.</p>" for _ in range(n_paragraphs)]
        sections = "".join(f"<sec>{''.join(paragraphs[at : at + 5])}</sec>" for at in range(0, n_paragraphs, 5))
        file = source / f"{number % 100:02d}" / f"{number:06d}.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<article>{sections}</article>", "utf-8")


def processor_ms(searchers: Sequence[int]) -> float:
    """Return the processor time that this process and the searchers have used; Ray's own processes do not count."""
    ticks = sum(sum(map(int, status(process)[11:13])) for process in searchers)
    return 1000 * (time.process_time() + ticks / os.sysconf("SC_CLK_TCK"))


def status(process: int) -> list[str]:
    """Return what the system says of a process, from its state on."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


if __name__ == "__main__":
    main()
