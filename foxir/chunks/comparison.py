"""The result of an evaluation of chunks: means with intervals, and each system beside foxir."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from engine.errors import MeasureError
from engine.notices import Message, Notice
from engine.runs import Run
from eval.judgements.judgements import Judgements
from eval.measures import OptionValue
from eval.measures.measure_names import mean_name
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text
from eval.statistics.mean_estimate import Estimate, estimate
from eval.statistics.significance_tests import Resampling
from eval.statistics.testing_options import few_topics_notices
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import document_highlights
from eval.text.offsets import with_passage_offsets
from foxir.chunks.chunkers import Chunks
from foxir.chunks.collection import Collection, Pieces


def highlights(collection: Collection, judged: Iterable[Judgements], locator: ElementLocator) -> Pieces | None:
    """Return the highlighted text of topics in the documents of a collection, each topic's for itself.

    None where the judgements grade elements and highlight no text.
    """
    try:
        topics = [with_passage_offsets(judgements, locator) for judgements in judged]
    except MeasureError:
        return None
    places = {document: place for place, document in enumerate(collection.ids)}
    found = [each for judgements in topics for each in _of_topic(places, judgements)]
    document, start, end = np.array(sorted(found), np.int64).reshape(-1, 3).T
    return Pieces(document, start, end, np.empty(0, np.int64))


def coverage(collection: Collection, units: Pieces, highlighted: Pieces) -> float | None:
    """Return the share of highlighted words that are in a piece, 0 to 1; None where nothing is highlighted.

    Words, as splitters leave out white space between chunks. A word that several topics highlight counts for each.
    """
    changes = np.zeros(len(collection.words.number) + 1, np.int64)
    for borders, change in zip(collection.word_ranges(units).T, (1, -1), strict=True):
        np.add.at(changes, borders, change)
    before = np.concatenate(([0], np.cumsum(np.cumsum(changes) > 0)))  # words in a piece before each word
    first, end = collection.word_ranges(highlighted).T
    total = int((end - first).sum())
    return int((before[end] - before[first]).sum()) / total if total else None


def _of_topic(places: Mapping[str, int], judgements: Judgements) -> Iterator[tuple[int, int, int]]:
    for row in np.unique(judgements.passages.document_rows).tolist():
        place = places.get(judgements.documents[row])
        if place is not None:
            text = document_highlights(judgements, row)
            for start, end in zip(text.starts.tolist(), text.ends.tolist(), strict=True):
                yield place, start, end


# Chunks that contain less of the highlighted text are measured by what they leave out, not by how they are retrieved.
ENOUGH_COVERED = 0.9


@dataclass(frozen=True)
class Cut:
    """Chunks of one chunker: number, median of words, and share of the highlighted text.

    `covered` is None where the judgements highlight no text.
    """

    chunker: str
    n_chunks: int
    median_words: float
    covered: float | None

    @classmethod
    def of(cls, chunks: Chunks, collection: Collection, highlighted: Pieces | None) -> Self:
        """Return the notices on chunks."""
        first, end = collection.word_ranges(chunks.units).T
        covered = None if highlighted is None else coverage(collection, chunks.units, highlighted)
        return cls(chunks.name, len(chunks.units), float(np.median(end - first)), covered)

    @property
    def doubt(self) -> Notice | None:
        """A notice that the chunks leave out much of the highlighted text; None where they do not."""
        if self.covered is None or self.covered >= ENOUGH_COVERED:
            return None
        return Notice("chunks_leave_out", {"chunker": self.chunker, "covered": 100 * self.covered}, "doubt")


@dataclass(frozen=True)
class System:
    """A system under a measure; `compared` has its mean, interval, and ratio and p against foxir."""

    name: str
    cut: Cut | None
    compared: Estimate


@dataclass(frozen=True, repr=False)
class ChunkComparison(PrintableResult):
    """Chunks beside foxir, whose elements are the baseline.

    Attributes:
        table: the scores of all systems, a value for every topic; as `foxir.score` returns it.
        runs: the answers of all systems, foxir's first.
        cuts: what was cut for each run; None for foxir's.
        resampling: draws the topics of intervals and p-values.
    """

    table: ScoreTable
    runs: tuple[Run, ...]
    cuts: tuple[Cut | None, ...]
    resampling: Resampling

    @property
    def notices(self) -> tuple[Message, ...]:
        """The notices: documents left out, doubtful numbers."""
        others = [row for rows in self._by_measure().values() for row in rows[1:]]
        n_topics = [sum(value is not None for value in row.topics.values()) for row in others]
        doubts = dict.fromkeys(cut.doubt for cut in self.cuts if cut is not None)
        return (*self.table.notices, *filter(None, doubts), *few_topics_notices(n_topics))

    @cached_property
    def systems(self) -> Mapping[str, Sequence[System]]:
        """The systems under each measure, by its name with its options, foxir's elements first."""
        return {title: list(self._compared(rows)) for title, rows in self._by_measure().items()}

    def of(self, measure: str) -> Sequence[System]:
        """Return the systems under a measure, such as "AP", foxir's elements first.

        Raises: MeasureError if no table has the measure, or more than one has.
        """
        found = [title for title, (row, *_) in self._by_measure().items() if row.measure == measure]
        if len(found) != 1:
            raise MeasureError(
                f"measure {measure!r} has {len(found)} tables, expected one of {', '.join(self.systems)}."
            )
        return self.systems[found[0]]

    def _by_measure(self) -> dict[str, list[ScoreRow]]:
        found: dict[str, list[ScoreRow]] = {}
        for row in self.table.rows:
            if not row.is_detail:
                options: Mapping[str, OptionValue] = row.options
                found.setdefault(f"{row.family}: {mean_name(row.measure)}  {options_text(options)}", []).append(row)
        return found

    def _compared(self, rows: Sequence[ScoreRow]) -> Iterator[System]:
        """Yield the systems of a measure, compared over the topics where it is defined."""
        topics = [topic for topic, value in rows[0].topics.items() if value is not None]
        if not topics:
            return
        values = [np.array([row.topics[topic] or 0.0 for topic in topics]) for row in rows]
        for row, cut, each in zip(rows, self.cuts, values, strict=True):
            yield System(row.run, cut, estimate(each, None if row is rows[0] else values[0], self.resampling))

    def to_dict(self) -> dict[str, Any]:
        """Return the systems as the values that JSON writes."""
        return {
            "measures": [
                {
                    "measure": row.measure,
                    "family": row.family,
                    "options": dict(row.options),
                    "systems": [_values(system) for system in self.systems[title]],
                }
                for title, (row, *_) in self._by_measure().items()
            ],
            "resamples": self.resampling.resamples,
            "seed": self.resampling.seed,
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return a table for each measure, systems in rows."""
        return tuple(self._table(title, systems) for title, systems in self.systems.items())

    def _table(self, title: str, systems: Sequence[System]) -> PrintedTable:
        columns: list[Column | str] = [
            *("system", Column("chunks", 0), Column("words", 0), Column("covered", 2), Column("mean", 4)),
            *(Column("low", 4), Column("high", 4), Column("× foxir", 2), Column("p", 4, is_p=True)),
        ]
        rows = []
        for system in systems:
            cut, each = system.cut, system.compared
            size = (None, None, None) if cut is None else (cut.n_chunks, cut.median_words, cut.covered)
            rows.append([system.name, *size, each.mean, each.low, each.high, each.ratio, each.p])
        notes = (
            "words: median of a chunk; covered: share of the highlighted text that is in a chunk",
            "low, high: 95 % bootstrap interval; p: paired bootstrap test against foxir",
        )
        return PrintedTable.of(title.strip(), columns, rows, notes=notes)


def _values(system: System) -> dict[str, Any]:
    cut, each = system.cut, system.compared
    return {
        "system": system.name,
        "chunks": None if cut is None else cut.n_chunks,
        "median_words": None if cut is None else rounded(cut.median_words),
        "covered": None if cut is None else rounded(cut.covered),
        "mean": rounded(each.mean),
        "low": rounded(each.low),
        "high": rounded(each.high),
        "ratio": rounded(each.ratio),
        "p": rounded(each.p),
    }
