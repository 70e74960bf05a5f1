"""Measures what a shard costs, for the model of docs/scale.md: its build, its files, and a reader of one shard.

    .venv/bin/python -m bench.shards                                     # a million elements
    .venv/bin/python -m bench.shards --documents 50000 --shards 8        # twenty million

Articles are of 40 sections, each of nine paragraphs of four random words: 401 elements and 1,440 words.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import foxir
from engine.index.reader import open_reader
from engine.ranking.search import search
from engine.settings import Settings

SECTIONS, PARAGRAPHS, WORDS_OF_PARAGRAPH = 40, 9, 4
QUERIES = 20
WORDS = 30_000


def main() -> None:
    """Write the articles, build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2500)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)  # a shard, in a process of its own
    options = parser.parse_args()
    if options.read:
        print(json.dumps(reading(options.read, Random(options.seed))))
        return
    with tempfile.TemporaryDirectory(prefix="foxir-bench-") as folder:
        found = building(Path(folder), options.documents, options.shards, Random(options.seed))
        command = [sys.executable, "-m", "bench.shards", "--read", f"{folder}/x.foxir/shard-0000"]
        found |= json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    for name, value in found.items():
        print(f"{name:42} {value}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), "utf-8")


def building(folder: Path, n_documents: int, n_shards: int, random: Random) -> dict[str, Any]:
    """Return what a build takes: processor time and wall time, memory, and the files of the shards."""
    written = sum(write_article(folder / "source", number, random) for number in range(n_documents))
    began, before = time.perf_counter(), processor_seconds()
    report = foxir.build_index(folder / "source", into=folder / "x.foxir", shards=n_shards)
    spent = processor_seconds() - before
    shards = sorted((folder / "x.foxir").glob("shard-*"))
    sizes = [sum(path.stat().st_size for path in shard.rglob("*") if path.is_file()) for shard in shards]
    return {
        "elements": report.elements,
        "XML, MB": round(written / 1e6, 1),
        "build: processor s": round(spent, 1),
        "build: processor s, a shard": round(spent / n_shards, 1),
        "build: wall s": round(time.perf_counter() - began, 1),
        "build: memory of a process at most, MB": max(
            resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ),
        "files of a shard, MB": [round(size / 1e6, 1) for size in sizes],
    }


def reading(shard: Path, random: Random) -> dict[str, Any]:
    """Return what queries to one shard take, and the memory of its reader after them."""
    queries = [" ".join(word(random) for _ in range(2 + number % 3)) for number in range(QUERIES)]
    settings, whole, ranking = Settings.from_options(max_answers=20), [], []
    with open_reader(shard) as reader:
        for query in itertools.chain(queries, queries):
            times = {"begun": time.process_time()}
            search(reader, query, settings, lambda stage, *_, times=times: times.update({stage: time.process_time()}))
            ranking.append(1000 * (times["articles"] - times["plan"]))
            whole.append(1000 * (time.process_time() - times["begun"]))
        return {
            "a query: processor time, median ms": round(median(whole[QUERIES:]), 2),
            "of it, to rank the articles": round(median(ranking[QUERIES:]), 2),
            "reader of a shard: memory of its own, MB": private_megabytes("self"),
        }


def write_article(source: Path, number: int, random: Random) -> int:
    """Write an article and return its size in bytes."""
    sections = []
    for _ in range(SECTIONS):
        paragraphs = (" ".join(word(random) for _ in range(WORDS_OF_PARAGRAPH)) for _ in range(PARAGRAPHS))
        sections.append("<sec>" + "".join(f"<p>{paragraph}.</p>" for paragraph in paragraphs) + "</sec>")
    file = source / f"{number % 100:02d}" / f"{number:06d}.xml"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file.write_text(f"<article>{''.join(sections)}</article>", "utf-8")


def word(random: Random) -> str:
    """Return a word; the frequency of words falls with their rank."""
    return f"w{int(WORDS ** random.random())}"


def private_megabytes(process: int | str) -> int:
    """Return the memory that a process shares with no other."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) // 1024


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main()
