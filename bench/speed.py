"""foxir's speed beside named peers, in one run: `make bench-tables`, or `bench/speed.py --help`. See README.md here."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import environment, report
from bench.building import Build, build, build_articles, contenders
from bench.cold_queries import ask_cold
from bench.corpus import CACHE, DEFAULT_SOURCES, open_corpus
from bench.processes import Usage, adopt_orphans
from bench.query_sampling import draw_queries
from bench.scoring import score_topics
from bench.warm_queries import HYBRID, Timings, ask_all

N_QUERIES = 50
COLD_REPETITIONS = 10


def main() -> None:
    """Measure everything and print the tables."""
    given = _arguments()
    adopt_orphans()
    machine = environment.machine()
    corpus = open_corpus(given.sources, given.seed, int(given.synthetic * 1e6))
    corpus.warm()
    work = CACHE / "work"
    work.mkdir(parents=True, exist_ok=True)

    ways, indexes = contenders(corpus, work)
    builds: dict[str, list[Build]] = {way.name: [] for way in ways}
    for repetition in range(given.repetitions):
        for way in ways:
            _tell(f"build {repetition + 1} of {given.repetitions}: {way.name}")
            builds[way.name].append(build(way))
    _tell("build of whole articles in FTS5, for article ranking")
    build_articles(corpus, indexes)

    _tell("queries, warm")
    queries = draw_queries(corpus, N_QUERIES, given.seed)
    others = draw_queries(corpus, N_QUERIES, given.seed + 1)
    timings, found = ask_all(indexes, queries, others, given.query_repetitions)
    _tell("queries, cold")
    cold = ask_cold(indexes, queries, max(COLD_REPETITIONS, given.repetitions))
    _tell("topics")
    scoring = score_topics(corpus, indexes, work, given.repetitions)

    goals = _goals(builds, corpus.n_bytes, timings, cold)
    about = report.About(
        time.strftime("%Y-%m-%d"),
        environment.commit(),
        given.seed,
        given.repetitions,
        corpus,
        machine,
        environment.versions(),
    )
    print(about)
    print(report.builds_table(builds, corpus.n_bytes))
    print(report.timings_table(timings, found, len(queries)))
    print(report.usages_table("A query from a fresh process, the ten best printed", cold))
    if scoring:
        made_and_scored = {"foxir run": scoring.answering, "foxir eval": scoring.scoring}
        print(report.usages_table(f"{scoring.n_topics} topics, {scoring.n_results:,} results", made_and_scored))
    print(report.goals_table(goals))
    if given.json:
        measured = report.as_json(builds, timings, cold, scoring)
        document = {
            **about.to_dict(),
            "settings": HYBRID.to_dict(),
            "queries": [asdict(query) for query in queries],
            "found": found,
            **measured,
            "limits": [{**asdict(goal), "result": goal.result} for goal in goals],
        }
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _goals(
    builds: dict[str, list[Build]], n_bytes: int, timings: Sequence[Timings], cold: dict[str, list[Usage]]
) -> list[report.Goal]:
    one, all_cores, peer = builds.values()
    cpu, wall = ([each.usage.cpu_s for each in peer], [each.usage.wall_s for each in peer])
    all_cpu, all_wall = ([b.usage.cpu_s for b in all_cores], [b.usage.wall_s for b in all_cores])
    hybrid = timings[0].wall
    peak = max(each.usage.peak_bytes for each in (*one, *all_cores))
    cold_wall = statistics.median(usage.wall_s for usage in cold["foxir search"])
    return [
        report.Goal("build, 1 job: CPU / FTS5's", report.paired_ratio([b.usage.cpu_s for b in one], cpu), 1.2, 1),
        report.Goal("build, all cores: CPU / FTS5's", report.paired_ratio(all_cpu, cpu), 1.2, 1),
        report.Goal("build, all cores: wall / FTS5's", report.paired_ratio(all_wall, wall), 1, 0.8),
        report.Goal("build: peak memory, MB", peak / 1e6, 1000, 1000),
        report.Goal("index / XML", all_cores[-1].size_bytes / n_bytes, 1, 0.8),
        report.Goal("hybrid query, warm: median ms", statistics.median(hybrid), 2, 1.5),
        report.Goal("hybrid query, warm: p95 ms", report.p95(hybrid), 4, 4),
        report.Goal("foxir search, cold: wall s", cold_wall, 0.35, 0.25),
    ]


def _tell(stage: str) -> None:
    print(f"bench: {stage}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.speed", description="Measure foxir beside named peers.")
    defaults = " ".join(source.name for source in DEFAULT_SOURCES)
    parser.add_argument(
        "--source",
        dest="sources",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help=f"folder or tar archive of XML, may be given again (default: {defaults} if there, else synthetic)",
    )
    parser.add_argument(
        "--synthetic", type=float, default=20, metavar="MB", help="size of the synthetic corpus (%(default)s)"
    )
    parser.add_argument(
        "--repetitions", type=int, default=3, metavar="N", help="builds of each contender (%(default)s)"
    )
    parser.add_argument(
        "--query-repetitions", type=int, default=7, metavar="N", help="rounds of all queries (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="draws queries and the synthetic corpus (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement")
    given = parser.parse_args()
    if min(given.repetitions, given.query_repetitions) < 1 or given.synthetic <= 0:
        parser.error("repetitions and sizes must be above 0")
    return given


if __name__ == "__main__":
    main()
