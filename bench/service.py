"""Load of the service beside a bare page, with wrk on the same machine: `python bench/service.py INDEX TOPICS`.

The floor is a Starlette application that returns a constant, in the same server with the same number of processes.
Every query of a measurement differs from the one before; answers are not cached. The load generator takes its part of
the processors. Refused requests (503) are counted apart from answered ones.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlencode

import foxir

SEED = 1
N_QUERIES = 2000
WORD = re.compile(r"[^\W\d_]{4,}")
BARE = """
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def page(request):
    return JSONResponse({"answer": 1})
app = Starlette(routes=[Route("/{rest:path}", page)])
if __name__ == "__main__":
    uvicorn.run("bare:app", port=int(sys.argv[1]), workers=int(sys.argv[2]), log_level="error", http="h11")
"""
LUA = """
local paths, at = {}, 0
for line in io.lines(os.getenv("FOXIR_PATHS")) do paths[#paths + 1] = line end
local threads = 0
function setup(thread) thread:set("first", threads * 997) threads = threads + 1 end
function init(args) at = first end
function request() at = at + 1 return wrk.format("GET", paths[at % #paths + 1]) end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "refused": %d, "errors": %d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    e.status, e.connect + e.read + e.write + e.timeout))
end
"""


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        parser.error("wrk is not installed: apt-get install wrk")
    queries = queries_of(options.topics)
    rows: list[tuple[str, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bare.py").write_text(BARE, "utf-8")
        (folder / "load.lua").write_text(LUA, "utf-8")
        bare = [sys.executable, "bare.py", "8191", str(options.workers)]
        with started(bare, 8191, folder):
            rows.append(("bare Starlette page", load(folder, 8191, ["/"], options, options.connections)))
        served = [sys.executable, "-m", "foxir", "serve", str(options.index.resolve()), "--port", "8192", "-q"]
        served += ["--workers", str(options.workers)]
        began = time.perf_counter()
        with started(served, 8192, folder) as process:
            starting = time.perf_counter() - began
            rows.append(("/healthz", load(folder, 8192, ["/healthz"], options, options.connections)))
            before = memory(process.pid)
            for kind, texts in queries.items():
                paths = [f"/api/search?{urlencode({'q': text})}" for text in texts]
                rows.append((f"/api/search, {kind}", load(folder, 8192, paths, options, options.connections)))
                crowded = load(folder, 8192, paths, options, 64)
                rows.append((f"the same, 64 connections ({crowded['refused']:.0f} refused)", crowded))
            pages = [f"/?{urlencode({'q': text})}" for text in queries["2-4 words"]]
            rows.append(("search page, 2-4 words", load(folder, 8192, pages, options, options.connections)))
            after = memory(process.pid)
    print(f"{'':44} {'requests/s':>10} {'answered/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'errors':>7}")
    for what, row in rows:
        answered = (row["requests"] - row["refused"]) / row["seconds"]
        print(
            f"{what:44} {row['requests'] / row['seconds']:10.0f} {answered:10.0f} {row['p50']:8.1f} {row['p99']:8.1f} "
            f"{row['errors']:7.0f}"
        )
    print(f"start {starting:.2f} s; memory of all processes {before:.0f} MB before the searches, {after:.0f} MB after")
    print(f"{options.workers} processes, {os.cpu_count()} cores, {options.seconds} s each, seed {SEED}")
    return 0


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


def load(
    folder: Path, port: int, paths: Sequence[str], options: argparse.Namespace, connections: int
) -> dict[str, float]:
    """Return what wrk measures."""
    (folder / "paths").write_text("\n".join(paths), "utf-8")
    command = [
        "wrk",
        "-t",
        "1",
        "-c",
        str(connections),
        "-d",
        f"{options.seconds}s",
        "-s",
        "load.lua",
        "--timeout",
        "30s",
    ]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{port}/"],
        cwd=folder,
        env={**os.environ, "FOXIR_PATHS": str(folder / "paths")},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


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
