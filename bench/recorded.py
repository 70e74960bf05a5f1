"""The recorded ratios of an earlier run, and what has moved since beyond noise."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RECORDED = Path(__file__).with_name("recorded.json")
LEAST = 0.05  # smaller changes are noise even where rounds agree: two runs of the same code differ by as much

# For each measurement and each peer, the ratios of all rounds.
Ratios = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Record:
    """The figures of one run. facts: sizes, which have no noise."""

    commit: str
    date: str
    corpus: str
    ratios: Ratios
    facts: Mapping[str, float]

    def write(self, path: Path) -> None:
        """Write the record as JSON."""
        rounded = {
            name: {peer: [round(value, 4) for value in values] for peer, values in peers.items()}
            for name, peers in self.ratios.items()
        }
        path.write_text(json.dumps({**asdict(self), "ratios": rounded}, indent=1) + "\n", encoding="utf-8")


def read_record(path: Path = RECORDED) -> Record | None:
    """Return the recorded run, None if there is none."""
    return Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def compared(now: Record, last: Record | None) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table: now, last, change, and whether the change is beyond noise.

    A record of another corpus is compared with nothing.
    """
    last = last if last and last.corpus == now.corpus else None
    rows = []
    for name, peers in now.ratios.items():
        known = last.ratios.get(name, {}) if last else {}
        direction = direction_of(peers, known)
        for peer, values in peers.items():
            rows.append([name, peer, *_numbers(values, known.get(peer, [])), direction])
    for name, value in now.facts.items():
        before = last.facts.get(name) if last else None
        moved = "" if before is None or before == value else "smaller" if value < before else "larger"
        rows.append([f"{name} / XML", "", f"{value:.3f}", "", "" if before is None else f"{before:.3f}", "", "", moved])
    return ["", "peer", "now", "spread", "last", "spread", "change", ""], rows


def conclusion(now: Record, last: Record | None, *, whole: bool) -> str:
    """Return how to read the table, or why it compares with nothing."""
    if whole:
        return "All trial reports are compared with nothing; what is recorded is of the quick run, without --whole."
    if last is None or last.corpus != now.corpus:
        return "Nothing is recorded for this corpus: --record (make bench RECORD=1) does so."
    return "A change is beyond noise if it exceeds 5 % and the spread of the rounds of both runs, with every peer."


def direction_of(now: Mapping[str, Sequence[float]], last: Mapping[str, Sequence[float]]) -> str:
    """Return `slower` or `faster` if the change is beyond noise with every peer, else "".

    A change is beyond noise if it is larger than LEAST and than the spread of the rounds of either run.

    >>> direction_of({"FTS5": [2.0, 2.1]}, {"FTS5": [1.0, 1.1]})
    'slower'
    >>> direction_of({"FTS5": [1.0, 1.1]}, {"FTS5": [1.02, 1.05]})
    ''
    """
    if not now or now.keys() != last.keys():
        return ""
    changes = [change_of(now[peer], last[peer]) for peer in now]
    noises = [max(LEAST, spread_of(now[peer]), spread_of(last[peer])) for peer in now]
    if not all(abs(change) > noise for change, noise in zip(changes, noises, strict=True)):
        return ""
    return "slower" if min(changes) > 0 else "faster" if max(changes) < 0 else ""


def change_of(now: Sequence[float], last: Sequence[float]) -> float:
    """Return by which share the median has changed."""
    return statistics.median(now) / statistics.median(last) - 1


def spread_of(values: Sequence[float]) -> float:
    """Return the range of the values as a share of their median."""
    return (max(values) - min(values)) / statistics.median(values)


def _numbers(now: Sequence[float], last: Sequence[float]) -> list[str]:
    shown = [f"{statistics.median(now):.2f}", f"{spread_of(now):.0%}"]
    if not last:
        return [*shown, "", "", ""]
    return [*shown, f"{statistics.median(last):.2f}", f"{spread_of(last):.0%}", f"{change_of(now, last):+.0%}"]
