"""foxir's CPU time as ratios to that of peers in the same run, compared with the recorded ones: `make bench`.

    .venv/bin/python -m bench.ratios              # an eighth of the trial reports, a few minutes
    .venv/bin/python -m bench.ratios --record     # the figures that later runs are compared with: bench/recorded.json
    .venv/bin/python -m bench.ratios --whole      # all trial reports, several times as long; compared with nothing

Rounds alternate between foxir and its peers, so that other work on the machine affects all alike. See bench/README.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench import environment
from bench.asking import ask_all
from bench.building import DONE, FOXIR, FTS5, PARTLY, size_of
from bench.corpus import CACHE, Corpus, open_corpus, trial_reports
from bench.processes import adopt_orphans, run
from bench.recorded import RECORDED, Ratios, Record, compared, conclusion, read_record
from bench.report import table
from bench.topic_queries import query_sets

EVERY = 8  # one trial report in so many is measured on, unless all are
N_STARTS = 3  # fresh processes a round


def main() -> None:
    """Measure, print the table, and record the figures if asked to."""
    given = _arguments()
    adopt_orphans()
    corpus = _corpus(whole=given.whole)
    corpus.warm()
    print(f"foxir {environment.commit()}, {len(corpus.files):,} files, {corpus.n_bytes / 1e6:.1f} MB: {corpus.origin}")
    ratios: Ratios = {}
    facts: dict[str, float] = {}
    for name, peer, ratio in _measured(corpus, given.rounds, facts):
        ratios.setdefault(name, {}).setdefault(peer, []).append(ratio)
    now = Record(environment.commit(), time.strftime("%Y-%m-%d"), _name(corpus), ratios, facts)
    last = None if given.whole else read_record()
    print(table("\nCPU of foxir / CPU of its peer", *compared(now, last)))
    print(conclusion(now, last, whole=given.whole))
    if given.record:
        now.write(RECORDED)
        print(f"recorded in {RECORDED}")


def _measured(corpus: Corpus, rounds: int, facts: dict[str, float]) -> Iterator[tuple[str, str, float]]:
    """Yield name, peer and ratio of each measurement; indexes and their sizes come first."""
    work = CACHE / "ratios"
    work.mkdir(parents=True, exist_ok=True)
    index, leaves, tantivy = work / "trials.foxir", work / "leaves.sqlite", work / "tantivy"
    cores = len(os.sched_getaffinity(0))
    foxir: tuple[str | Path, ...] = (FOXIR, "index", index, *corpus.folders, "--json", "--quiet", "--jobs")
    builds: dict[str, tuple[Path, tuple[str | Path, ...]]] = {
        "words alone": (index, (*foxir, "1", "--stem", "none", "--attributes", "none")),
        "and stems": (index, (*foxir, "1", "--attributes", "none")),
        "and all attributes (the default)": (index, (*foxir, "1")),
        f"default, {cores} jobs": (index, (*foxir, str(cores))),
        "FTS5": (leaves, (sys.executable, FTS5, leaves, *corpus.folders)),
        "tantivy": (tantivy, (sys.executable, "-m", "bench.peers.tantivy_leaves", tantivy, *corpus.folders)),
    }
    for number in range(rounds):
        _tell(f"builds, round {number + 1} of {rounds}")
        cpu = {}
        for name, (made, command) in builds.items():
            shutil.rmtree(made, ignore_errors=True)
            made.unlink(missing_ok=True) if made.is_file() else None
            cpu[name] = run(command, watch_memory=False, accepted=(DONE, PARTLY)).cpu_s
            facts[f"size: {name}"] = round(size_of(made) / corpus.n_bytes, 4)
        yield from (
            (f"build: {name}", peer, cpu[name] / cpu[peer]) for name in list(cpu)[:-2] for peer in list(cpu)[-2:]
        )
    for number in range(rounds):
        _tell(f"starts, round {number + 1} of {rounds}")
        starts = {
            "start: foxir search": (FOXIR, "search", index, "effect of aspirin"),
            "start: import foxir": (sys.executable, "-c", "import foxir"),
            "import numpy": (sys.executable, "-c", "import numpy"),
        }
        cpu = {
            name: sum(run(command, watch_memory=False).cpu_s for _ in range(N_STARTS))
            for name, command in starts.items()
        }
        yield from ((name, "import numpy", cpu[name] / cpu["import numpy"]) for name in list(cpu)[:-1])
    _tell("queries")
    yield from ask_all(index, leaves, tantivy, query_sets(corpus), rounds)


def _corpus(*, whole: bool) -> Corpus:
    """Return the trial reports, some or all; a synthetic collection where they are missing."""
    reports = trial_reports()
    if whole or not reports:
        return open_corpus([], 1, 20_000_000) if not reports else open_corpus([reports[0].parent], 1, 0)
    folder = CACHE / f"trials-{EVERY}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for report in reports[::EVERY]:
            shutil.copyfile(report, part / report.name)
        part.rename(folder)
    return open_corpus([folder], 1, 0)


def _name(corpus: Corpus) -> str:
    return f"{len(corpus.files)} files, {corpus.n_bytes} bytes"


def _tell(stage: str) -> None:
    print(f"bench: {stage}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of everything (%(default)s)")
    parser.add_argument("--record", action="store_true", help="keep the figures for later runs to be compared with")
    parser.add_argument("--whole", action="store_true", help="measure on all trial reports")
    given = parser.parse_args()
    if given.rounds < 2:
        parser.error("--rounds must be at least 2: the spread between rounds is the noise")
    if given.record and given.whole:
        parser.error("--record is of the quick run, so not with --whole")
    return given


if __name__ == "__main__":
    main()
