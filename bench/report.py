"""The report: plain tables of medians and ratios, and the same with every single measurement as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.building import Build
from bench.corpus import Corpus
from bench.processes import Usage
from bench.scoring import Scoring
from bench.warm_queries import Timings


@dataclass(frozen=True)
class About:
    """What was measured on what."""

    date: str
    commit: str
    seed: int
    repetitions: int
    corpus: Corpus
    machine: dict[str, str | int | float]
    versions: dict[str, str]

    def __str__(self) -> str:
        corpus, machine = self.corpus, self.machine
        return (
            f"foxir {self.commit}, {self.date}, seed {self.seed}\n"
            f"{len(corpus.files):,} files, {corpus.n_bytes / 1e6:.1f} MB of XML: {corpus.origin}\n"
            f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
            f"load average {machine['load_average_at_start']} at the start\n"
            f"{', '.join(f'{name} {version}' for name, version in self.versions.items())}\n"
            f"medians; builds in turn, {self.repetitions} times; spread: (largest - smallest) / median\n"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        facts = {"origin": self.corpus.origin, "files": len(self.corpus.files), "bytes": self.corpus.n_bytes}
        plain = {name: value for name, value in vars(self).items() if name != "corpus"}
        return {**plain, "corpus": facts}


@dataclass(frozen=True)
class Goal:
    """A limit that foxir keeps, the lower one that it aims at, and what was measured."""

    what: str
    measured: float
    limit: float
    aim: float

    @property
    def result(self) -> str:
        """Where the measured value lies."""
        return "aim met" if self.measured <= self.aim else "limit met" if self.measured <= self.limit else "exceeded"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in which the first column is flush left and all others are flush right."""
    cells = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return "\n".join([title, lines[0], "-" * len(lines[0]), *lines[1:], ""])


def paired_ratio(measured: Sequence[float], peer: Sequence[float]) -> float:
    """Return the median of the ratios, each of two measurements of the same repetition."""
    return statistics.median(a / b for a, b in zip(measured, peer, strict=True))


def spread(values: Sequence[float]) -> str:
    """Return the range of the values as a share of their median."""
    return f"{(max(values) - min(values)) / statistics.median(values):.0%}"


def builds_table(builds: dict[str, list[Build]], n_bytes: int) -> str:
    """Return the table of builds; ratios are to the last, the peer."""
    peer = list(builds.values())[-1]
    rows = []
    for name, made in builds.items():
        cpu, wall = [each.usage.cpu_s for each in made], [each.usage.wall_s for each in made]
        rows.append(
            [
                name,
                f"{statistics.median(cpu):.2f}",
                spread(cpu),
                f"{paired_ratio(cpu, [each.usage.cpu_s for each in peer]):.2f}",
                f"{statistics.median(wall):.2f}",
                spread(wall),
                f"{paired_ratio(wall, [each.usage.wall_s for each in peer]):.2f}",
                f"{statistics.median(each.usage.peak_bytes for each in made) / 1e6:.0f}",
                f"{made[-1].size_bytes / n_bytes:.3f}",
                f"{made[-1].counts['documents']:,}",
                f"{made[-1].counts['units']:,}",
            ]
        )
    header = ["build", "CPU s", "spread", "ratio", "wall s", "spread", "ratio", "peak MB", "index/XML"]
    return table(f"Build (ratios to {list(builds)[-1]})", [*header, "documents", "leaves"], rows)


def timings_table(timings: Sequence[Timings], found: dict[str, float], n_queries: int) -> str:
    """Return the table of warm queries; ratios are of the CPU time of all queries together, to the peer's."""
    known = {each.name: each for each in timings}
    rows = []
    for each in timings:
        sums = [sum(times.cpu) for times in each.repetitions]
        peer_sums = [sum(times.cpu) for times in known[each.peer].repetitions]
        numbers = [statistics.median(each.wall), p95(each.wall), statistics.median(each.cpu), p95(each.cpu)]
        ratio = paired_ratio(sums, peer_sums)
        rows.append([each.name, *(f"{number:.2f}" for number in numbers), spread(each.medians), f"{ratio:.2f}"])
    facts = ", ".join(f"{value:,.0f} {name}" for name, value in found.items())
    header = ["query", "wall ms", "p95", "CPU ms", "p95", "spread", "ratio"]
    return table(f"{n_queries} queries, warm; ratio: to FTS5, BM25 (medians: {facts})", header, rows)


def p95(times: Sequence[float]) -> float:
    """Return the smallest time that 95 % of the queries do not pass."""
    return sorted(times)[max(0, -(-len(times) * 95 // 100) - 1)]


def usages_table(title: str, usages: dict[str, list[Usage]]) -> str:
    """Return a table of whole commands."""
    rows = []
    for name, used in usages.items():
        wall = [usage.wall_s for usage in used]
        cpu = statistics.median(usage.cpu_s for usage in used)
        rows.append([name, f"{statistics.median(wall):.3f}", spread(wall), f"{cpu:.3f}"])
    return table(title, ["command", "wall s", "spread", "CPU s"], rows)


def goals_table(goals: Sequence[Goal]) -> str:
    """Return the table of limits."""
    rows = [[goal.what, f"{goal.measured:.3g}", f"{goal.limit:g}", f"{goal.aim:g}", goal.result] for goal in goals]
    return table("Limits", ["", "measured", "limit", "aim", ""], rows)


def as_json(
    builds: dict[str, list[Build]], timings: Sequence[Timings], cold: dict[str, list[Usage]], scoring: Scoring | None
) -> dict[str, Any]:
    """Return every measurement."""
    return {
        "builds": {name: [asdict(build) for build in made] for name, made in builds.items()},
        "queries_ms": {each.name: [times._asdict() for times in each.repetitions] for each in timings},
        "cold": {name: [asdict(usage) for usage in used] for name, used in cold.items()},
        "scoring": asdict(scoring) if scoring else None,
    }
