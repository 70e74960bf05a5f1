"""A run: for every topic the results of one system, best first.

Elements and passages have ids for programs that know documents only: `document#path`, `document#offset:length`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.arrays import FloatArray
from engine.errors import ArgumentError
from engine.field_types import check_mapping, check_sequence, check_texts
from engine.notices import Message
from engine.system.host_programs import data_frame
from engine.wording import MOST_CHARACTERS, shortened, shown

if TYPE_CHECKING:
    import pandas as pd


# In starts and lengths: no character offset given.
NOWHERE = -1

_PLACE = re.compile(r"(?P<document>.+)#(?:(?P<path>/[^#]*)|(?P<start>\d{1,18}):(?P<length>\d{1,18}))", re.DOTALL)


class Place(NamedTuple):
    """A document, and the element or the characters in it; `path` is None and `start` -1 for a whole document."""

    document: str
    path: str | None = None
    start: int = NOWHERE
    length: int = NOWHERE


def passage_id(document: str, path: str | None = None, start: int = NOWHERE, length: int = NOWHERE) -> str:
    """Return the id of the characters at an offset, else of the element at a path, else of a whole document.

    >>> passage_id("a", "/article[1]/p[2]"), passage_id("a", "/article[1]/p[2]", 70, 12), passage_id("a")
    ('a#/article[1]/p[2]', 'a#70:12', 'a')
    """
    if NOWHERE not in (start, length):
        return f"{document}#{start}:{length}"
    return document if path is None else f"{document}#{path}"


def place(identifier: str) -> Place:
    """Return the place of an id; one without a path or offset at its end names a whole document.

    >>> place("a#70:12"), place("b#/article[1]").path
    (Place(document='a', path=None, start=70, length=12), '/article[1]')
    """
    match = _PLACE.fullmatch(identifier)
    if match is None:
        return Place(identifier)
    if match["path"] is not None:
        return Place(match["document"], match["path"])
    return Place(match["document"], None, int(match["start"]), int(match["length"]))


IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The results of one topic in rank order, as columns of equal length; row i has rank i + 1.

    A result is a document and, optionally, a location in it:

    * `paths[i]`: the path of an element, or None;
    * `starts[i]`, `lengths[i]`: character offsets, -1 if not given. A start without a length is a best entry point;
    * `pointers[i]`: the two ends of a passage given by pointers into the tree (`<passage>` of INEX 2007, ranges of
      elements of 2009);
    * none of them: the whole document or, in a file of offsets, a result whose offset and length are `X`, which counts
      for its rank and document but has no location.

    `source` is the file of the results, "" for a ranking made in memory.

    Rankings are equal if their topic and results are; where they were read from does not count.

    Shapes: all (n_results,). `ranks` are int64 and always 1, 2, ... n; `rsv` float64, finite; `lines` the line numbers
    in the file, 0 for a ranking made in memory.
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
            raise ArgumentError(f"topic {self.topic!r}: columns of lengths {[len(column) for column in columns]}")
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.ranks, self.rsv, self.starts, self.lengths, self.lines):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"Ranking({shown(self.topic)}, results={len(self)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return (
            self.topic == other.topic
            and list(self.documents) == list(other.documents)
            and list(self.paths) == list(other.paths)
            and np.array_equal(self.rsv, other.rsv)
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.lengths, other.lengths)
            and dict(self.pointers) == dict(other.pointers)
        )

    def __hash__(self) -> int:
        return hash((self.topic, len(self), *self.documents[:1]))

    def place(self, i: int) -> str:
        """Return the origin of row i, for messages: file, line and topic, or topic and rank."""
        i = index(i)
        if self.lines[i]:
            return f"{self.source or 'run'}:{self.lines[i]}: topic {self.topic!r}"
        return f"topic {self.topic!r}, rank {self.ranks[i]}"

    def row_name(self, i: int) -> str:
        """Return the line of row i, or its rank if the ranking was not read from a file; for messages."""
        i = index(i)
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
        """Return the ranking of results in rank order.

        Without ``rsv`` it falls strictly with the rank: n, n - 1, ... 1.

        Raises: TypeError for values of another type; ArgumentError for columns of different lengths, and for numbers
            out of range: rsv are finite, starts and lengths at least 0, or -1 where there is none.
        """
        if not isinstance(topic, str):
            raise TypeError(f"topic: expected str, got {type(topic).__name__} {shown(topic)}.")
        check_sequence("documents", documents, str)
        if paths is not None:
            check_sequence("paths", paths, str | NoneType)
        n = len(documents)
        columns = {"paths": paths, "rsv": rsv, "starts": starts, "lengths": lengths, "lines": lines}
        for name, values in columns.items():
            if values is not None and hasattr(values, "__len__") and len(values) != n:
                raise ArgumentError(
                    f"topic {topic!r}: {name} has {len(values)} values, documents {n}: expected one for each."
                )
        nowhere = np.full(n, NOWHERE, dtype=np.int64)
        return cls(
            topic=topic,
            documents=documents,
            paths=[None] * n if paths is None else paths,
            ranks=np.arange(1, n + 1, dtype=np.int64),
            rsv=np.arange(n, 0, -1, dtype=np.float64) if rsv is None else _finite("rsv", rsv),
            starts=nowhere if starts is None else _whole("starts", starts, NOWHERE),
            lengths=nowhere.copy() if lengths is None else _whole("lengths", lengths, NOWHERE),
            lines=np.zeros(n, dtype=np.int64) if lines is None else _whole("lines", lines, 0),
            pointers={} if pointers is None else pointers,
            source=source,
        )


def _finite(name: str, values: ArrayLike) -> FloatArray:
    """Return a new array of finite numbers, float64, shape (n,)."""
    array = _numbers(name, values, np.float64, "biuf")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected finite numbers, got {array[~np.isfinite(array)][0]}.")
    return array


def _whole(name: str, values: ArrayLike, lowest: int) -> IntArray:
    """Return a new array of whole numbers, the lowest or more, int64, shape (n,)."""
    array = _numbers(name, values, np.int64, "iu")
    if len(array) and array.min() < lowest:
        raise ArgumentError(f"{name}: expected whole numbers, {lowest} or more, got {array.min()}.")
    return array


def _numbers(name: str, values: ArrayLike, kind: type[Any], kinds: str) -> NDArray[Any]:
    """Return a new array of numbers of the given kinds, letters of NumPy, shape (n,)."""
    try:
        given = np.array(values)
        if given.size and given.dtype.kind not in kinds:
            what = "whole numbers" if kind is np.int64 else "numbers"
            raise TypeError(f"{name}: expected a sequence of {what}, got {shown(values)}.")
        array = given.astype(kind)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{name}: expected a sequence of numbers: {shortened(str(error), MOST_CHARACTERS)}."
        ) from None
    if array.ndim != 1:
        raise ArgumentError(f"{name}: expected a sequence of numbers, got {array.ndim} dimensions.")
    return array


@dataclass(frozen=True, repr=False)
class Run:
    """The rankings of one system for a set of topics, with the system's description.

    `settings` are the names and values that produced the run; an INEX file has them, a line each, at the end of
    its description. `origin` has what made the run: foxir's version, the index and its checksum; it is written like
    the settings, or beside a file of text. `notices` count irregularities that were accepted or corrected. `format` is
    "inex", "fol" or "trec"; like `source`, it is "" for a run made in memory.

    Runs are equal if everything but `origin`, `source`, `format` and `notices` is equal.
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
    origin: Mapping[str, str] = field(default_factory=dict, compare=False)
    source: str = field(default="", compare=False)
    format: str = field(default="", compare=False)
    notices: Sequence[Message] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        check_texts(self, "run_id", "participant", "task", "query", "description", "source", "format")
        check_mapping("rankings", self.rankings, Ranking)
        check_mapping("settings", self.settings, str)
        check_mapping("origin", self.origin, str)
        check_mapping("topic_fields", self.topic_fields, str)
        check_sequence("collections", self.collections, str)
        check_sequence("notices", self.notices, Message)
        for topic, ranking in self.rankings.items():
            if topic != ranking.topic:
                raise ArgumentError(f"rankings: topic {shown(topic)} has the ranking of topic {shown(ranking.topic)}.")

    def __repr__(self) -> str:
        return f"Run({shown(self.run_id)}, topics={len(self.rankings)}, results={self.n_results})"

    def __hash__(self) -> int:
        return hash((self.run_id, *self.rankings))

    @property
    def n_results(self) -> int:
        """Number of results over all topics."""
        return sum(map(len, self.rankings.values()))

    def to_frame(self) -> pd.DataFrame:
        """Return the results as a frame: query_id, doc_id, score, rank, document, path, start, length.

        Offsets are -1 if not given. A doc_id is `document#offset:length`, else `document#path`, else the document.
        Raises: MissingHostError without pandas.
        """
        names = ("query_id", "doc_id", "score", "rank", "document", "path", "start", "length")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for ranking in self.rankings.values():
            starts, lengths = ranking.starts.tolist(), ranking.lengths.tolist()
            columns["query_id"] += [ranking.topic] * len(ranking)
            columns["doc_id"] += map(passage_id, ranking.documents, ranking.paths, starts, lengths)
            columns["score"] += ranking.rsv.tolist()
            columns["rank"] += ranking.ranks.tolist()
            columns["document"] += ranking.documents
            columns["path"] += ranking.paths
            columns["start"] += starts
            columns["length"] += lengths
        return data_frame(columns)
