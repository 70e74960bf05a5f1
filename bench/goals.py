"""The goals of docs/performance.md for queries and starts, and what they take now: milliseconds and megabytes.

    .venv/bin/python -m bench.goals              # all trial reports; five minutes, on a machine without other work
    .venv/bin/python -m bench.goals --rounds 5

Queries are asked warm, of one open index, as often as there are rounds; a query counts with its median. They are asked
twice: one set after the other, as a program asks questions of one kind, and all sets mixed, so that what a query reads
has mostly left the processor's caches. Times are CPU time of the asking thread, those of commands CPU time of all their
processes. Builds and sizes are ratios to FTS5: `make bench`. Of a machine with other work, times say little; the load
is printed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import foxir
from bench.building import FOXIR
from bench.corpus import CACHE, TRIALS, Corpus, open_corpus, trial_reports
from bench.environment import commit
from bench.processes import adopt_orphans, run
from bench.query_sampling import WORD
from bench.report import table
from bench.topic_queries import QuerySet, query_sets
from engine.index.reader import open_reader
from engine.ranking.search import search

# Set of queries -> the most milliseconds that are wanted: median, 95th percentile; None where nothing is.
WANTED: dict[str, tuple[float | None, float | None]] = {
    "topics, top 10 elements": (3, 8),
    "topics, top 10 passages": (6, 15),
    "60 queries of 2-4 words, top 10 elements": (1, None),
    "60 queries of 2-4 words, top 1500 elements": (2, None),
    "paths, top 10 elements": (2, None),
}
SEED, N_STARTS = 1, 9
N_WORDS, N_FILES = 10_000, 200  # of a long query, and of which files
LONG_ELEMENT = 6_000_000  # characters


class Figure(NamedTuple):
    """What was measured, in some unit, and the most that is wanted."""

    what: str
    value: float
    wanted: float | None


def main() -> None:
    """Measure, print a row for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of all queries (%(default)s)")
    given = parser.parse_args()
    adopt_orphans()
    reports = trial_reports()
    corpus = open_corpus([reports[0].parent] if reports else [], 1, 20_000_000)
    index = _indexed(corpus)
    print(f"foxir {commit()}, {len(corpus.files):,} files, {corpus.n_bytes / 1e6:.1f} MB: {corpus.origin}")
    figures = [*_queries(index, query_sets(corpus), given.rounds), *_many_words(index, corpus), *_long_element()]
    figures += _commands(index)
    rows = [(each.what, f"{each.value:.3g}", f"{each.wanted or '-'}", _outcome(each)) for each in figures]
    print(table("\nfigures and goals", ["", "now", "goal", ""], rows))
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")


def _outcome(figure: Figure) -> str:
    if figure.wanted is None:
        return ""
    return "met" if figure.value <= figure.wanted else "missed"


def _indexed(corpus: Corpus) -> Path:
    """Return the index of the whole collection, built where it is missing or of another version."""
    index = CACHE / "goals.foxir"
    try:
        with foxir.open_index(index):
            return index
    except foxir.FoxirError:
        _tell("index")
        CACHE.mkdir(exist_ok=True)
        shutil.rmtree(index, ignore_errors=True)  # an update would refuse another version
        foxir.build_index(*corpus.folders, into=index)
        return index


def _queries(index: Path, sets: Sequence[QuerySet], rounds: int) -> Iterator[Figure]:
    """Yield the median and the 95th percentile of each set of queries, alone and mixed, in milliseconds."""
    reader = open_reader(index)
    n_places = max(len(each.texts) for each in sets)
    by_set = [(each, place) for each in sets for place in range(len(each.texts))]
    mixed = [(each, place) for place in range(n_places) for each in sets if place < len(each.texts)]
    for order, suffix in ((by_set, ""), (mixed, ", mixed")):
        times: dict[tuple[str, int], list[float]] = {}
        for number in range(-1, rounds):  # the first round is to warm up
            _tell(f"queries{suffix}, {'to warm up' if number < 0 else f'round {number + 1} of {rounds}'}")
            for each, place in order:
                taken = _cpu(partial(search, reader, each.texts[place], each.settings))
                if number >= 0:
                    times.setdefault((each.name, place), []).append(1000 * taken)
        for each in sets:
            of_set = sorted(statistics.median(times[each.name, place]) for place in range(len(each.texts)))
            median, high = WANTED.get(each.name, (None, None))
            yield Figure(f"{each.name}{suffix}, ms", statistics.median(of_set), median)
            yield Figure(f"{each.name}{suffix}, ms, 95th percentile", of_set[int(0.95 * len(of_set))], high)


def _many_words(index: Path, corpus: Corpus) -> Iterator[Figure]:
    """Yield the time and the memory of a query of words drawn from the collection, in a process of its own."""
    _tell(f"{N_WORDS:,} words")
    words: set[str] = set()
    for path in corpus.files[:: len(corpus.files) // N_FILES + 1]:
        words.update(WORD.findall(path.read_text("utf-8", "replace").casefold()))
    chosen = random.Random(SEED).sample(sorted(words), min(N_WORDS, len(words)))
    with tempfile.TemporaryDirectory() as name:
        asked = Path(name, "words.txt")
        asked.write_text(" ".join(chosen), "utf-8")
        output = run((sys.executable, "-m", "bench.many_words", index, asked), watch_memory=False).output
    found = json.loads(output)
    yield Figure(f"{len(chosen):,} words, the first time, ms", found["first_ms"], 200)
    yield Figure(f"{len(chosen):,} words, asked again, ms", found["again_ms"], 200)
    yield Figure(f"{len(chosen):,} words, memory at most, MB", found["memory_mb"], 100)


def _long_element() -> Iterator[Figure]:
    """Yield the time of a snippet of an element of some megabytes."""
    _tell("a long element")
    draw = random.Random(SEED)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(5000)]
    words = " ".join(draw.choices(vocabulary, k=LONG_ELEMENT // 6))
    with tempfile.TemporaryDirectory() as name:
        source = Path(name, "long.xml")
        source.write_text(f"<article><p>{words} lighthouse {words[:999]}</p></article>", "utf-8")
        foxir.build_index(source, into=Path(name, "long.foxir"))
        with foxir.open_index(Path(name, "long.foxir")) as index:
            taken = [_cpu(lambda: index.search("lighthouse")[0].snippet) for _ in range(2)]
    yield Figure("search and snippet of an element of 6 MB, the first time, ms", 1000 * taken[0], 20)
    yield Figure("search and snippet of an element of 6 MB, again, ms", 1000 * taken[1], 20)


def _commands(index: Path) -> Iterator[Figure]:
    """Yield the CPU seconds of fresh processes."""
    _tell("starts")
    small = CACHE / "goals-small.foxir"
    if not small.exists():
        foxir.build_index(Path(__file__).resolve().parents[1] / "collections", into=small)
    opening = (
        f"import time, foxir; foxir.open_index({str(small)!r}); began = time.process_time(); "
        f"foxir.open_index({str(index)!r}); print(time.process_time() - began)"
    )
    commands: dict[str, tuple[Sequence[str | Path], float | None]] = {
        "import numpy": ((sys.executable, "-c", "import numpy"), None),
        "import foxir": ((sys.executable, "-c", "import foxir"), 0.1),
        "foxir search, sample collection": ((FOXIR, "search", small, "fog signal"), 0.25),
        "foxir search, trial reports": ((FOXIR, "search", index, "effect of aspirin"), 0.25),
    }
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    opened: list[float] = []
    for _ in range(N_STARTS):
        for name, (command, _) in commands.items():
            cpu[name].append(run(command, watch_memory=False).cpu_s)
        opened.append(float(run((sys.executable, "-c", opening), watch_memory=False).output))
    for name, (_, wanted) in commands.items():
        yield Figure(f"{name}, s", statistics.median(cpu[name]), wanted)
    yield Figure("opening the trial reports after another index, s", statistics.median(opened), 0.02)
    topics = TRIALS / "topics.xml"
    if topics.exists():
        _tell("a run of all topics")
        with tempfile.TemporaryDirectory() as name:
            command = (FOXIR, "run", index, topics, "--out", Path(name, "run.xml"), "--quiet")
            yield Figure("foxir run, 210 topics, s", run(command, watch_memory=False).cpu_s, None)


def _cpu(ask: Callable[[], object]) -> float:
    began = time.thread_time()
    ask()
    return time.thread_time() - began


def _tell(stage: str) -> None:
    print(f"bench: {stage}", file=sys.stderr)


if __name__ == "__main__":
    main()
