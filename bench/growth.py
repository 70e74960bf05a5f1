"""Builds of synthetic collections of growing size: are time and memory linear and bounded? See bench/README.md.

    .venv/bin/python -m bench.growth FOLDER                    # 1, 3 and 10 GB; needs twice as much space
    .venv/bin/python -m bench.growth FOLDER --gigabytes 0.1 0.3 --memory 400M

The XML stays in FOLDER and is used again; each index is removed. Settings are the default ones.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from bench.building import DONE, FOXIR, PARTLY, size_of
from bench.corpus import CHECKOUT, trial_reports
from bench.environment import commit
from bench.processes import adopt_orphans, run
from bench.report import table
from bench.synthetic import write_collection
from engine.system.byte_sizes import parse_bytes

# Sample articles of which the collection is made, and bytes that a build may take beyond its --memory.
SAMPLES, BEYOND = 100, 64 * 2**20


def main() -> None:
    """Write what is missing of the collection, build each size, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--gigabytes", type=float, nargs="+", default=[1, 3, 10], help="multiples of the least (1 3 10)"
    )
    parser.add_argument("--memory", default="1G", help="--memory of each build (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="--jobs of each build (%(default)s)")
    given = parser.parse_args()
    adopt_orphans()
    print(f"foxir {commit()}, {time.strftime('%Y-%m-%d')}, --jobs {given.jobs} --memory {given.memory}")
    rows = []
    least = min(given.gigabytes)
    for gigabytes in sorted(given.gigabytes):
        parts = parts_of(given.folder, round(gigabytes / least), round(least * 1e9))
        rows.append(_built(given.folder / "growth.foxir", parts, given.memory, given.jobs))
        print("\t".join(rows[-1]), flush=True)
    bound = (parse_bytes(given.memory) + BEYOND) / 1e6
    header = ["GB", "documents", "terms", "CPU s", "CPU s/GB", "wall s", "peak MB", "index/XML"]
    print(table(f"Builds; at most {bound:,.0f} MB may be taken", header, rows))


def parts_of(folder: Path, n_parts: int, n_bytes: int) -> list[Path]:
    """Return folders with so many bytes of XML each, writing those that are missing."""
    parts = [folder / f"part-{number:02d}" for number in range(n_parts)]
    samples = trial_reports() or sorted((CHECKOUT / "collections").rglob("*.xml"))
    for seed, part in enumerate(parts, 1):
        if not part.exists():
            write_collection(samples[:: max(1, len(samples) // SAMPLES)], part, seed, n_bytes)
    return parts


def _built(index: Path, parts: Sequence[Path], memory: str, jobs: int) -> list[str]:
    """Return the row of one build."""
    shutil.rmtree(index, ignore_errors=True)
    n_bytes = sum(file.stat().st_size for part in parts for file in part.iterdir())
    options = ("--json", "--quiet", "--jobs", str(jobs), "--memory", memory)
    usage = run((FOXIR, "index", index, *parts, *options), accepted=(DONE, PARTLY))
    report = json.loads(usage.output)
    share = size_of(index) / n_bytes
    shutil.rmtree(index)
    return [
        f"{n_bytes / 1e9:.2f}",
        f"{report['documents']:,}",
        f"{report['terms']:,}",
        f"{usage.cpu_s:.0f}",
        f"{usage.cpu_s / n_bytes * 1e9:.0f}",
        f"{usage.wall_s:.0f}",
        f"{usage.peak_bytes / 1e6:,.0f}",
        f"{share:.3f}",
    ]


if __name__ == "__main__":
    main()
