"""What scoring costs: `foxir eval` as a user calls it, on the judgements of INEX 2009-2010 and on larger made-up files.

    python -m bench.evaluation [--repetitions 5] [--json FILE]

The focused run over 120 topics and 10,329 judged articles is the one of `tests/golden/inex_eval_3.1/inex2009`. Made-up
files are the same for the same seed: copies of that run under other names; a topic with 15,000 relevant elements; a
run of 315,000 results as XML. Linux only; the page cache is warm.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.building import FOXIR, PARTLY
from bench.processes import Usage, adopt_orphans, run
from bench.report import table

ROOT = Path(__file__).resolve().parents[1]
INEX = ROOT / "tests/golden/inex_eval_3.1/inex2009"
SEED = 2009

LIMIT_COLD_S = 0.5
# CPU seconds of INEX's official evaluator 3.1 (Java) for the focused run, start included.
LIMIT_CPU_A_RUN_S = 0.34
LIMIT_XCG_A_TOPIC_S = 0.1

N_COPIES = 100
N_RESULTS = 1500


@dataclass(frozen=True)
class Case:
    """One command, how many runs (or topics) it scores, and the limit it keeps, None where there is none.

    ``per`` is what the limit is for: wall time of the command, or CPU time of a unit beyond that of ``base``.
    """

    name: str
    command: tuple[str | Path, ...]
    units: int
    limit: float | None = None
    per: str = ""
    base: str = ""


def cases(folder: Path) -> Iterator[Case]:
    """Write the files and yield the commands, each named once."""
    qrels, focused = _unpacked("qrels.fol", folder), _unpacked("run.focused", folder)
    copies = [_copy(focused, folder / f"copy{n}", f"copy{n}") for n in range(N_COPIES)]
    scored: tuple[str | Path, ...] = ("--measures", "focused", "--json", "--quiet")
    start = (FOXIR, "eval", qrels)
    yield Case("the focused run, cold", (*start, focused, *scored), 1, LIMIT_COLD_S, "wall")
    yield Case("10 runs in one call", (*start, *copies[:10], *scored), 10, LIMIT_CPU_A_RUN_S, "CPU a run")
    yield Case(f"{N_COPIES} runs, 1 process", (*start, *copies, *scored), N_COPIES)
    cores = os.cpu_count() or 1
    yield Case(f"{N_COPIES} runs, {cores} processes", (*start, *copies, *scored, "--jobs", str(cores)), N_COPIES)
    judged, results = _many_elements(folder)
    quiet = (FOXIR, "eval", judged, results, "--json", "--quiet", "--measures")
    yield Case("15,000 relevant elements, overlap indicators alone", (*quiet, "overlap"), 1)
    for overlap in ("on", "off"):
        measured = (*quiet, "overlap,xcg,xcg-group", "--measure-option", f"overlap={overlap}", "--quant", "genlifted")
        base = "15,000 relevant elements, overlap indicators alone"
        yield Case(f"and all of XCG, overlap={overlap}", measured, 1, LIMIT_XCG_A_TOPIC_S, "CPU beyond", base)
    large = _large_run(folder / "large.xml")
    yield Case(
        "reading 315,000 results as XML", (FOXIR, "judgements", "pool", large, "--depth", "1", "--out", folder / "p"), 1
    )


def _unpacked(name: str, folder: Path) -> Path:
    file = folder / name
    file.write_bytes(gzip.decompress((INEX / f"{name}.gz").read_bytes()))
    return file


def _copy(source: Path, target: Path, run_id: str) -> Path:
    """Write a run under another name."""
    rows = (line.split() for line in source.read_text("utf-8").splitlines())
    target.write_text("".join(" ".join([*row[:5], run_id, *row[6:]]) + "\n" for row in rows), "utf-8")
    return target


def _many_elements(folder: Path) -> tuple[Path, Path]:
    """Write judgements of one topic with 15,000 relevant elements in 300 articles, and a run of 1500 of them."""
    rng = random.Random(SEED)
    lines, places = [], []
    for article in range(300):
        lines.append(f'<file name="co/{article}">')
        for path, size, highlighted in _tree(rng):
            grade = rng.choice("12")
            lines.append(f'<element path="{path}" exhaustivity="{grade}" size="{size}" rsize="{highlighted}"/>')
            places.append((f"co/{article}", path))
        lines.append("</file>")
    judged = folder / "many.assessments"
    judged.write_text(f'<assessments topic="1">{chr(10).join(lines)}</assessments>', "utf-8")
    return judged, _written(folder / "many.run", [rng.sample(places, N_RESULTS)])


def _tree(rng: random.Random) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and highlighted characters of 50 elements: article, body, 8 sections of 5 paragraphs."""
    sections = []
    for number in range(1, 9):
        section = f"/article[1]/bdy[1]/sec[{number}]"
        inside = [(f"{section}/p[{p}]", 400, rng.choice([100, 400])) for p in range(1, 6)]
        sections += [(section, 2000, sum(highlighted for _, _, highlighted in inside)), *inside]
    total = sum(highlighted for path, _, highlighted in sections if "/p[" not in path)
    yield from [("/article[1]", 18000, total), ("/article[1]/bdy[1]", 16000, total), *sections]


def _large_run(file: Path) -> Path:
    """Write a run of 210 topics with 1500 results each."""
    rng = random.Random(SEED)
    documents = [f"co/{year}/r{number}" for year in range(1995, 2003) for number in range(1000, 2500)]
    topics = [
        [
            (rng.choice(documents), f"/article[1]/bdy[1]/sec[{rng.randint(1, 9)}]/p[{rng.randint(1, 20)}]")
            for _ in range(N_RESULTS)
        ]
        for _ in range(210)
    ]
    return _written(file, topics)


def _written(file: Path, topics: Sequence[Sequence[tuple[str, str]]]) -> Path:
    """Write a run as XML, its topics numbered from 1."""
    with file.open("w", encoding="utf-8") as out:
        out.write('<inex-submission participant-id="1" run-id="made-up" task="CO" query="automatic">\n')
        for topic, results in enumerate(topics, 1):
            out.write(f' <topic topic-id="{topic}">\n')
            for rank, (document, path) in enumerate(results, 1):
                rsv = (len(results) + 1 - rank) / len(results)
                place = f"<file>{document}</file><path>{path}</path>"
                out.write(f"  <result>{place}<rank>{rank}</rank><rsv>{rsv!r}</rsv></result>\n")
            out.write(" </topic>\n")
        out.write("</inex-submission>\n")
    return file


def measure(measured: Sequence[Case], repetitions: int) -> dict[str, list[Usage]]:
    """Return what each command used, in turn, one usage a repetition; a first round warms the page cache."""
    usages: dict[str, list[Usage]] = {case.name: [] for case in measured}
    for repetition in range(-1, repetitions):
        for case in measured:
            usage = run(case.command, accepted=(0, PARTLY))
            if repetition >= 0:
                usages[case.name].append(usage)
    return usages


def _median(usages: Sequence[Usage], value: Callable[[Usage], float]) -> float:
    return statistics.median(map(value, usages))


def value_of(case: Case, usages: dict[str, list[Usage]]) -> float:
    """Return what is compared with the limit of a case."""
    mine = usages[case.name]
    if case.per == "wall":
        return _median(mine, lambda usage: usage.wall_s)
    base = _median(usages[case.base], lambda usage: usage.cpu_s) if case.base else 0.0
    return (_median(mine, lambda usage: usage.cpu_s) - base) / case.units


def show(measured: Sequence[Case], usages: dict[str, list[Usage]]) -> Iterator[str]:
    """Yield the tables: what each command used, and the limits."""
    rows = [
        [
            case.name,
            f"{_median(usages[case.name], lambda usage: usage.wall_s):.2f}",
            f"{_median(usages[case.name], lambda usage: usage.cpu_s):.2f}",
            f"{_median(usages[case.name], lambda usage: usage.cpu_s) / case.units:.3f}",
            f"{_median(usages[case.name], lambda usage: usage.peak_bytes) / 1e6:.0f}",
        ]
        for case in measured
    ]
    yield table("Scoring", ["", "wall s", "CPU s", "CPU s each", "MB"], rows)
    limits = [
        [case.name, case.per, f"{found:.3f}", f"{case.limit:g}", "met" if found <= case.limit else "exceeded"]
        for case in measured
        if case.limit is not None
        for found in [value_of(case, usages)]
    ]
    yield table("Limits", ["", "s", "measured", "limit", ""], limits)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path, help="every single measurement as well")
    arguments = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        measured = list(cases(Path(folder)))
        usages = measure(measured, arguments.repetitions)
    sys.stdout.write(
        f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {arguments.repetitions} times\n\n"
    )
    sys.stdout.write("\n".join(show(measured, usages)))
    if arguments.json:
        plain = {name: [{**asdict(usage), "output": ""} for usage in each] for name, each in usages.items()}
        arguments.json.write_text(json.dumps(plain, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
