"""A run: for every topic the results of one system, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

NOWHERE = -1
"""Stands in ``starts`` and ``lengths`` where a result gives no character offset."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The results of one topic in rank order: columns of equal length, position i is rank i + 1.

    A result is a document and, more or less exactly, a place in it:

    * ``paths[i]`` is the path of an element, or None;
    * ``starts[i]`` and ``lengths[i]`` are character offsets, -1 where not given. A start without a length is a best
      entry point;
    * ``pointers[i]`` holds the two ends of a passage that is given by pointers into the tree (INEX 2007 ``<passage>``,
      2009 range of elements);
    * with none of them the result is the document as a whole, or, in a file of offsets, a result whose offset and
      length are ``X``: it holds its rank and its article and is placed nowhere.

    ``source`` is the file that the results stand in, empty for a ranking made in memory.

    Shapes: all (n_results,). ``ranks`` are int64 and always 1, 2, ... n; ``rsv`` float64, finite; ``lines`` the line
    numbers in the file, 0 when the ranking was made in memory.
    """

    topic: str
    documents: Sequence[str]
    paths: Sequence[str | None]
    ranks: IntArray
    rsv: FloatArray
    starts: IntArray
    lengths: IntArray
    lines: IntArray
    pointers: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        columns = (self.documents, self.paths, self.ranks, self.rsv, self.starts, self.lengths, self.lines)
        if len({len(column) for column in columns}) != 1:
            raise ValueError(f"topic {self.topic!r}: columns of lengths {[len(column) for column in columns]}")
        for array in (self.ranks, self.rsv, self.starts, self.lengths, self.lines):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.documents)

    def place(self, i: int) -> str:
        """Return where the result in row i stands, for messages: file, line and topic, or topic and rank."""
        if self.lines[i]:
            return f"{self.source or 'run'}:{self.lines[i]}: topic {self.topic!r}"
        return f"topic {self.topic!r}, rank {self.ranks[i]}"

    def row_name(self, i: int) -> str:
        """Return what the result in row i is called beside another one of the topic: its line, or its rank."""
        return f"line {self.lines[i]}" if self.lines[i] else f"rank {self.ranks[i]}"

    @classmethod
    def ranked(
        cls,
        topic: str,
        documents: Sequence[str],
        paths: Sequence[str | None] | None = None,
        *,
        rsv: Sequence[float] | FloatArray | None = None,
        starts: Sequence[int] | IntArray | None = None,
        lengths: Sequence[int] | IntArray | None = None,
        lines: Sequence[int] | IntArray | None = None,
        pointers: Mapping[int, tuple[str, str]] | None = None,
        source: str = "",
    ) -> Self:
        """Return the ranking of results that are already in rank order.

        Without ``rsv`` it falls strictly with the rank: n, n - 1, ... 1.
        """
        n = len(documents)
        nowhere = np.full(n, NOWHERE, dtype=np.int64)
        return cls(
            topic=topic,
            documents=documents,
            paths=[None] * n if paths is None else paths,
            ranks=np.arange(1, n + 1, dtype=np.int64),
            rsv=np.arange(n, 0, -1, dtype=np.float64) if rsv is None else np.array(rsv, dtype=np.float64),
            starts=nowhere if starts is None else np.array(starts, dtype=np.int64),
            lengths=nowhere.copy() if lengths is None else np.array(lengths, dtype=np.int64),
            lines=np.zeros(n, dtype=np.int64) if lines is None else np.array(lines, dtype=np.int64),
            pointers={} if pointers is None else pointers,
            source=source,
        )


@dataclass(frozen=True, eq=False)
class Run:
    """The rankings of one system for a set of topics, and what the file says about the system.

    ``settings`` are names and values that made the run, each value on one line; in an INEX file they stand at the
    end of the description. ``notices`` say, counted, what was accepted although it is not as it should be.
    ``format`` is "inex", "fol" or "trec", empty for a run made in memory, as is ``source``.
    """

    run_id: str
    rankings: Mapping[str, Ranking]
    participant: str = ""
    task: str = ""
    query: str = "automatic"
    description: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    topic_fields: Mapping[str, str] = field(default_factory=dict)
    collections: Sequence[str] = ()
    source: str = ""
    format: str = ""
    notices: Sequence[str] = ()

    @property
    def n_results(self) -> int:
        """The number of results over all topics."""
        return sum(map(len, self.rankings.values()))
