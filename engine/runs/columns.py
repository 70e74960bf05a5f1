"""The results of a whole run file as columns in file order, and their way into one ranking a topic."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.errors import RunFormatError
from engine.runs.run import FloatArray, IntArray, Ranking

NO_RANK = -1
"""Stands in ``Columns.ranks`` where the file gives none; a missing rsv is NaN (no file may give NaN)."""


@dataclass(frozen=True)
class Columns:
    """Every result of a run file, one row each, in the order of the file; ``topics`` holds the topic of each row."""

    topics: Sequence[str]
    documents: Sequence[str]
    paths: Sequence[str | None]
    starts: IntArray
    lengths: IntArray
    ranks: IntArray
    rsv: FloatArray
    lines: IntArray
    pointers: Mapping[int, tuple[str, str]] = field(default_factory=dict)


def rankings(columns: Columns, source: str, topics: Sequence[str] = ()) -> tuple[dict[str, Ranking], list[str]]:
    """Return the ranking of every topic, in the order of the file, and notices of what was put right.

    The rank decides; where a topic gives none, the rsv does; equal ones keep the order of the file. Ranks may start
    anywhere, have gaps and stand out of order: the results are sorted and numbered from 1. A topic without rsv gets
    n, n - 1, ... 1. ``topics`` are named first even if they have no result.

    Raises: RunFormatError if a topic gives a rank twice, if a result has neither rank nor rsv, or if within one topic
    some results have a rank (an rsv) and others have none.
    """
    numbers: dict[str, int] = {topic: number for number, topic in enumerate(topics)}
    codes = np.array([numbers.setdefault(topic, len(numbers)) for topic in columns.topics], dtype=np.int64)
    by_topic = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(numbers)))
    found: dict[str, Ranking] = {}
    notices: Counter[str] = Counter()
    begin = 0
    for topic, end in zip(numbers, ends.tolist(), strict=True):
        found[topic] = _ranking(topic, columns, by_topic[begin:end], source, notices)
        begin = end
    return found, [f"{what} in {count} topic{'s' if count > 1 else ''}" for what, count in sorted(notices.items())]


def _ranking(topic: str, columns: Columns, rows: IntArray, source: str, notices: Counter[str]) -> Ranking:
    """Return the ranking of the given rows, which are all of one topic."""
    ranks, rsv = columns.ranks[rows], columns.rsv[rows]
    where = (topic, columns.lines[rows], source)
    has_rank = _all_or_none(ranks != NO_RANK, "rank", *where)
    has_rsv = _all_or_none(~np.isnan(rsv), "rsv", *where)
    if not has_rank and not has_rsv:
        raise RunFormatError(
            f"{source}:{where[1][0]}: a result of topic {topic!r} has neither rank nor rsv: "
            "expected at least one of them. Write <rank> or <rsv> into every result."
        )
    order = np.argsort(ranks if has_rank else -rsv, kind="stable")
    rows, ranks, rsv = rows[order], ranks[order], rsv[order]
    if has_rank:
        _refuse_repeated(ranks, topic, columns.lines[rows], source)
        notices.update(_rank_notices(ranks, order))
    else:
        notices["ranks missing and taken from the rsv"] += 1
    if not has_rsv:
        notices["rsv missing and made from the rank"] += 1
        rsv = np.arange(len(rows), 0, -1, dtype=np.float64)
    elif (rsv[1:] > rsv[:-1]).any():
        notices["rsv rising with the rank (the rank was followed)"] += 1
    positions = rows.tolist()
    ranking = Ranking.ranked(
        topic,
        [columns.documents[row] for row in positions],
        [columns.paths[row] for row in positions],
        rsv=rsv,
        starts=columns.starts[rows],
        lengths=columns.lengths[rows],
        lines=columns.lines[rows],
        pointers={i: columns.pointers[row] for i, row in enumerate(positions) if row in columns.pointers}
        if columns.pointers
        else {},
        source=source,
    )
    if _has_duplicates(ranking):
        notices["results given twice (kept)"] += 1
    return ranking


def _all_or_none(given: np.typing.NDArray[np.bool_], what: str, topic: str, lines: IntArray, source: str) -> bool:
    """Return whether the results of a topic have the value; raise if some have it and others do not."""
    if not given.any():
        return not len(given)
    if not given.all():
        line = lines[np.argmin(given)]
        raise RunFormatError(
            f"{source}:{line}: a result of topic {topic!r} has no {what}, others of the topic have one: "
            f"expected {what} in all results of a topic or in none. Add the missing {what} or leave it out everywhere."
        )
    return True


def _refuse_repeated(ranks: IntArray, topic: str, lines: IntArray, source: str) -> None:
    """Raise if a rank occurs twice; ``ranks`` are sorted, equal ones in the order of the file."""
    repeated = np.flatnonzero(np.diff(ranks) == 0)
    if len(repeated):
        i = int(repeated[0])
        raise RunFormatError(
            f"{source}:{lines[i + 1]}: rank {ranks[i]} stands twice in topic {topic!r}, first in line {lines[i]}: "
            "expected every rank once a topic. Number the results of each topic 1, 2, 3 ... in the order that is meant."
        )


def _rank_notices(ranks: IntArray, order: IntArray) -> list[str]:
    """Return what is unusual about the ranks of a topic; ``order`` is how they were sorted."""
    if not len(ranks):
        return []
    unusual = []
    if ranks[0] != 1:
        unusual.append("ranks started at 0" if ranks[0] == 0 else "ranks started after 1")
    if (np.diff(ranks) > 1).any():
        unusual.append("ranks had gaps (renumbered)")
    if (np.diff(order) < 0).any():
        unusual.append("results stood out of the order of their ranks (sorted)")
    return unusual


def _has_duplicates(ranking: Ranking) -> bool:
    """Return whether the same document and place occur twice."""
    places = zip(ranking.documents, ranking.paths, ranking.starts.tolist(), ranking.lengths.tolist(), strict=True)
    if ranking.pointers:
        return len({(place, ranking.pointers.get(i)) for i, place in enumerate(places)}) < len(ranking)
    return len(set(places)) < len(ranking)
