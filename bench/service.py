"""Load of the service beside a bare page, with wrk on the same machine: `python -m bench.service INDEX TOPICS`.

The floor is a Starlette application that returns a constant, in the same server with the same number of processes.
Every query of a measurement differs from the one before; answers are not cached. Each kind of query is measured twice,
as the words of the first seconds are new to the service; the second time counts. The load generator takes its part of
the processors. Refused requests (503) are counted apart from served ones, whose times are shown. Overload is twice the
rate that was served before, at random times over many connections.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import foxir
from bench.wrk import Load, load

SEED = 1
N_QUERIES = 2000
MANY = 64  # connections of an overload
GENERATIONS = 3
WORD = re.compile(r"[^\W\d_]{4,}")
BARE_PORT, PORT = 8191, 8192
# What is measured -> the least that is wanted: requests a second, and the most: milliseconds.
WANTED = {"2-4 words": (500.0, 20.0), "natural language": (150.0, None)}
WANTED_START, WANTED_CROWDED, WANTED_DOCUMENT = 1.0, 100.0, 300.0
BARE = """
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from uvicorn.supervisors import Multiprocess
from foxir.service.http.server import bind
async def page(request):
    return JSONResponse({"answer": 1})
app = Starlette(routes=[Route("/{rest:path}", page)])
if __name__ == "__main__":
    port, workers = map(int, sys.argv[1:])
    config = uvicorn.Config("bare:app", workers=workers, log_level="error", http="httptools", loop="asyncio")
    Multiprocess(config, sockets=[bind("127.0.0.1", port)]).run()
"""


def main() -> int:
    """Measure and print two tables: what was measured, and what is wanted."""
    options = parsed_options()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: apt-get install wrk")
    rows: list[tuple[str, Load]] = []
    limits: list[tuple[str, float, str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bare.py").write_text(BARE, "utf-8")
        ask = partial(load, seconds=options.seconds, connections=options.connections, folder=folder)
        bare = [sys.executable, "bare.py", str(BARE_PORT), str(options.workers)]
        with started(bare, BARE_PORT, folder):
            rows.append(("bare Starlette page", ask(BARE_PORT, ["/"])))
        index = Path(shutil.copytree(options.index, folder / "library.foxir"))
        long = folder / "long.foxir"
        foxir.build_index(long_document(folder / "long"), into=long)
        served = [sys.executable, "-m", "foxir", "serve", str(index), str(long), "--port", str(PORT), "-q"]
        began = time.perf_counter()
        with started([*served, "--workers", str(options.workers)], PORT, folder) as process:
            starting = time.perf_counter() - began
            limits.append(("start, s", starting, "<", WANTED_START))
            rows.append(("/healthz", ask(PORT, ["/healthz"])))
            before = memory(process.pid)
            queries = queries_of(options.topics)
            for kind, texts in queries.items():
                paths = [f"/api/search?{urlencode({'q': text})}" for text in texts]
                rows.append((f"{kind}, the first {options.seconds} s", ask(PORT, paths)))
                alone = ask(PORT, paths)
                rows.append((kind, alone))
                rate, most = WANTED[kind]
                limits.append((f"{kind}: requests a second", alone.rate, ">", rate))
                if most is not None:
                    limits.append((f"{kind}: p99 ms", alone.percentile(0.99), "<", most))
                crowded = ask(PORT, paths, connections=MANY, rate=2 * alone.rate)
                rows.append(("  twice as many", crowded))
                p99 = crowded.percentile(0.99)
                limits.append((f"{kind}, overload: p99 ms of served", p99, "<", WANTED_CROWDED))
            paths = [f"/?{urlencode({'q': text})}" for text in queries["2-4 words"]]
            rows.append(("search page, 2-4 words", ask(PORT, paths)))
            document = ask(PORT, ["/read?index=long&document=long&q=dolor"], connections=1)
            rows.append(("read page, 1 MB document", document))
            limits.append(("1 MB document: p50 ms", document.percentile(0.5), "<", WANTED_DOCUMENT))
            after = memory(process.pid)
            rows.append((f"2-4 words, {GENERATIONS} new generations", while_changed(ask, index, queries, folder)))
    print_tables(rows, limits)
    print(f"memory of all processes: {before:.0f} MB before the searches, {after:.0f} MB after")
    print(f"{options.workers} processes, {os.cpu_count()} cores, {options.seconds} s each, seed {SEED}; ", end="")
    print(f"load of the machine at the end {os.getloadavg()[0]:.1f}")
    return 0


def parsed_options() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--connections", type=int, default=4)
    return parser.parse_args()


def print_tables(rows: Sequence[tuple[str, Load]], limits: Sequence[tuple[str, float, str, float]]) -> None:
    """Print what was measured, then what is wanted."""
    print(f"{'':36} {'served/s':>9} {'of floor':>9} {'p50 ms':>8} {'p99 ms':>8} {'refused/s':>10} {'failed':>7}")
    floor = rows[0][1].rate
    for what, row in rows:
        print(
            f"{what:36} {row.rate:9.0f} {row.rate / floor:9.3f} {row.percentile(0.5):8.1f} {row.percentile(0.99):8.1f} "
            f"{len(row.refused) / row.seconds:10.0f} {row.failed:7}"
        )
    print(f"\n{'':56} {'measured':>9} {'wanted':>9}")
    failed = float(sum(row.failed for _, row in rows))
    for what, value, sign, wanted in [*limits, ("requests that failed", failed, "<", 1.0)]:
        is_met = value > wanted if sign == ">" else value < wanted
        print(f"{what:56} {value:9.3g} {sign:>2} {wanted:6g}   {'met' if is_met else 'missed'}")


def while_changed(ask: partial[Load], index: Path, queries: dict[str, list[str]], folder: Path) -> Load:
    """Return a load during which documents are added to the index, one generation after the other."""
    done = threading.Event()

    def change() -> None:
        for number in range(GENERATIONS):
            source = folder / f"added-{number}"
            source.mkdir()
            (source / f"added-{number}.xml").write_text(f"<article><p>added {number}</p></article>", "utf-8")
            subprocess.run(
                [sys.executable, "-m", "foxir", "index", str(index), str(source), "-q"],
                stdout=subprocess.DEVNULL,
                check=True,
            )
            if done.wait(1.5):
                return

    changing = threading.Thread(target=change)
    changing.start()
    found = ask(PORT, [f"/api/search?{urlencode({'q': text})}" for text in queries["2-4 words"]])
    done.set()
    changing.join()
    return found


def long_document(folder: Path) -> Path:
    """Write a document of a megabyte, and return its folder."""
    folder.mkdir()
    words = "lorem ipsum dolor sit amet " * 38
    sections = "".join(f"<sec><title>Section {number}</title><p>{words}</p></sec>" for number in range(1000))
    (folder / "long.xml").write_text(f"<article><body>{sections}</body></article>", "utf-8")
    return folder


def queries_of(topics: Path) -> dict[str, list[str]]:
    """Return distinct queries: words drawn from the topics, and titles mixed with each other."""
    draw = random.Random(SEED)
    titles = [topic.title for topic in foxir.read_topics(topics) if topic.title]
    words = sorted({word.lower() for title in titles for word in WORD.findall(title)})
    short = {" ".join(draw.sample(words, draw.randint(2, 4))) for _ in range(N_QUERIES)}
    long = {" ".join([draw.choice(titles), draw.choice(words)]) for _ in range(N_QUERIES)}
    return {"2-4 words": sorted(short, key=hash_of), "natural language": sorted(long, key=hash_of)}


def hash_of(text: str) -> int:
    """Return a number by which texts come in an order that says nothing."""
    return random.Random(text).randrange(1 << 62)


@contextlib.contextmanager
def started(command: Sequence[str], port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a running server that answers."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 60
            while True:
                with (
                    contextlib.suppress(OSError),
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5),
                ):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"{' '.join(command)}: did not start")
                time.sleep(0.02)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def memory(pid: int) -> float:
    """Return the proportional memory (PSS) of a process and its children, in megabytes."""
    family = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split())]
    total = 0
    for each in family:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{each}/smaps_rollup").read_text("utf-8").splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1024


if __name__ == "__main__":
    sys.exit(main())
