"""Pooling: the results to be judged, from the top of several runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias
from xml.sax.saxutils import quoteattr

import numpy as np

from engine.errors import MeasureError, RunFormatError
from engine.notices import Message, about
from engine.runs import Run, read_run
from engine.runs.run import NOWHERE
from engine.system.files import replace_file, unwritable
from eval.output.tables import Column, PrintableResult, PrintedTable

# Document, path, start, length and pointers of a result.
ResultKey: TypeAlias = tuple[str, str | None, int | None, int | None, tuple[str, str] | None]


@dataclass(frozen=True)
class PooledResult:
    """One result to be judged: a whole document, an element, or a passage by offset and length or by pointers.

    ``rank`` is its best rank in any run, ``n_runs`` the number of runs that return it within the depth.
    """

    document: str
    path: str | None
    start: int | None
    length: int | None
    pointers: tuple[str, str] | None
    rank: int
    n_runs: int


@dataclass(frozen=True, repr=False)
class Pool(PrintableResult):
    """The results to be judged for each topic, grouped by document, documents and results by their best rank."""

    depth: int
    runs: tuple[str, ...]
    topics: dict[str, tuple[PooledResult, ...]]
    notices: tuple[Message, ...] = ()

    def documents(self, topic: str) -> tuple[str, ...]:
        """Return the documents to be judged for a topic."""
        return tuple(dict.fromkeys(place.document for place in self.topics[topic]))

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"depth", "runs", "topics": {id: [{"document", "path", "rank", "runs", ...}]}}``."""
        return {
            "depth": self.depth,
            "runs": list(self.runs),
            "topics": {
                topic: [
                    {"document": place.document, **_place(place), "rank": place.rank, "runs": place.n_runs}
                    for place in places
                ]
                for topic, places in self.topics.items()
            },
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the numbers of documents and results to be judged."""
        rows = [(topic, len(self.documents(topic)), len(places)) for topic, places in self.topics.items()]
        return (
            PrintedTable.of(
                f"Pool of the first {self.depth} results of {len(self.runs)} runs",
                ["topic", Column("documents", 0), Column("places", 0)],
                [*rows, ("all", sum(n for _, n, _ in rows), sum(n for _, _, n in rows))],
            ),
        )

    def xml(self) -> str:
        """Return the pool as XML, in the structure of INEX judgements."""
        return "".join(self._xml_lines())

    def _xml_lines(self) -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<pools depth="{self.depth}">\n'
        for topic, places in self.topics.items():
            yield f" <pool topic={quoteattr(topic)}>\n"
            for document, together in groupby(places, key=lambda place: place.document):
                yield f"  <file name={quoteattr(document)}>\n"
                for place in together:
                    given = "".join(f" {name}={quoteattr(str(value))}" for name, value in _place(place).items())
                    kind = "element" if place.path else "passage" if given else "document"
                    yield f'   <{kind}{given} rank="{place.rank}" runs="{place.n_runs}"/>\n'
                yield "  </file>\n"
            yield " </pool>\n"
        yield "</pools>\n"

    def text(self) -> str:
        """Return the pool as tab-separated lines: topic, document, place, best rank, runs."""
        head = "topic\tdocument\tplace\trank\truns\n"
        return head + "".join(
            f"{topic}\t{place.document}\t{' '.join(map(str, _place(place).values()))}\t{place.rank}\t{place.n_runs}\n"
            for topic, places in self.topics.items()
            for place in places
        )

    def write(self, file: str | Path) -> Path:
        """Write the pool atomically, as XML if the name ends in ``.xml``, else as text."""
        file = Path(file)
        text = self.xml() if file.suffix == ".xml" else self.text()
        try:
            replace_file(file, text.encode())
        except OSError as error:
            raise RunFormatError(unwritable(file, error)) from None
        return file


def pool(runs: Sequence[Run | str | Path], *, depth: int) -> Pool:
    """Return the union of the first ``depth`` results of all runs for each topic.

    Topics are in the order of the runs; documents and results by their best rank in any run, equal ranks by document id
    and path, independent of the order of the runs.

    Raises: MeasureError for no run or a depth below 1.
    """
    if not runs:
        raise MeasureError("no run given: expected one or more to pool.")
    if depth < 1:
        raise MeasureError(f"depth={depth}: expected a rank, 1 or more.")
    read = [run if isinstance(run, Run) else read_run(run) for run in runs]
    topics = dict.fromkeys(topic for run in read for topic in run.rankings)
    return Pool(
        depth,
        tuple(run.run_id for run in read),
        {topic: _pooled(topic, read, depth) for topic in topics},
        tuple(about(run.run_id, notice) for run in read for notice in run.notices),
    )


def _pooled(topic: str, runs: Sequence[Run], depth: int) -> tuple[PooledResult, ...]:
    best: dict[ResultKey, int] = {}
    found_by: dict[ResultKey, set[int]] = {}
    for number, run in enumerate(runs):
        ranking = run.rankings.get(topic)
        if ranking is None:
            continue
        for i in range(min(depth, len(ranking))):
            start, length = _known(ranking.starts[i]), _known(ranking.lengths[i])
            place = (ranking.documents[i], ranking.paths[i], start, length, ranking.pointers.get(i))
            best[place] = min(best.get(place, i + 1), i + 1)
            found_by.setdefault(place, set()).add(number)
    of_document: dict[str, int] = {}
    for place, rank in best.items():
        of_document[place[0]] = min(of_document.get(place[0], rank), rank)
    order = sorted(best, key=lambda place: (of_document[place[0]], place[0], best[place], str(place[1:])))
    return tuple(PooledResult(*place, best[place], len(found_by[place])) for place in order)


def _known(offset: np.int64) -> int | None:
    return None if offset == NOWHERE else int(offset)


def _place(place: PooledResult) -> dict[str, str | int]:
    """Return the XML attributes that locate a result in its document; none for the whole document."""
    if place.path is not None:
        return {"path": place.path}
    if place.pointers is not None:
        return {"start": place.pointers[0], "end": place.pointers[1]}
    given = {"offset": place.start, "length": place.length}
    return {name: value for name, value in given.items() if value is not None}
