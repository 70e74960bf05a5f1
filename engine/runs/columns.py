"""The results of a run file as columns in file order, and the rankings made from them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.arrays import FloatArray
from engine.errors import RunFormatError
from engine.notices import Notice
from engine.runs.run import IntArray, Ranking

# Largest number that fits into int64.
MAX_NUMBER = 2**63 - 1


def is_natural(value: str) -> bool:
    """Return whether a string is a non-negative whole number that fits into int64."""
    return value.isdigit() and value.isascii() and len(value) <= 19 and int(value) <= MAX_NUMBER


def is_score(value: str) -> bool:
    """Return whether a string is a finite decimal number; Python's `1_000` is not."""
    try:
        return "_" not in value and math.isfinite(float(value))
    except ValueError:
        return False


# In `Columns.ranks`: no rank given. A missing rsv is NaN, which no file may contain.
NO_RANK = -1


@dataclass(frozen=True)
class Columns:
    """Every result of a run file, one row per result, in file order; `topics` has the topic id of each row."""

    topics: Sequence[str]
    documents: Sequence[str]
    paths: Sequence[str | None]
    starts: IntArray
    lengths: IntArray
    ranks: IntArray
    rsv: FloatArray
    lines: IntArray
    pointers: Mapping[int, tuple[str, str]] = field(default_factory=dict)


def rankings(columns: Columns, source: str, topics: Sequence[str] = ()) -> tuple[dict[str, Ranking], list[Notice]]:
    """Return the ranking of every topic, in file order, and notices of corrections.

    Results are sorted by rank or, if a topic has no ranks, by rsv; ties keep file order. Ranks that repeat do not count
    where every two results of one have another rsv. Ranks may start anywhere, have gaps and be out of order: results
    are renumbered from 1. A topic without rsv gets n, n - 1, ... 1.

    Args:
        topics: topics that come first in the result, even without results.
    Raises: RunFormatError if two results of a topic have one rank and no scores that differ, a result has neither rank
        nor rsv, or only some results of a topic have a rank (an rsv).
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
    return found, [Notice(code, {"topics": count}) for code, count in sorted(notices.items())]


def _ranking(topic: str, columns: Columns, rows: IntArray, source: str, notices: Counter[str]) -> Ranking:
    """Return the ranking of the given rows, all of one topic."""
    ranks, rsv = columns.ranks[rows], columns.rsv[rows]
    where = (topic, columns.lines[rows], source)
    has_rank = _all_or_none(ranks != NO_RANK, "rank", *where)
    if has_rank and len(ranks) > 1 and (ranks == ranks[0]).all() and not np.isnan(rsv).any():
        has_rank, ranks = False, np.full_like(ranks, NO_RANK)
        notices["ranks_equal"] += 1
    has_rsv = _all_or_none(~np.isnan(rsv), "rsv", *where)
    if not has_rank and not has_rsv:
        raise RunFormatError(
            f"{source}:{where[1][0]}: a result of topic {topic!r} has neither rank nor rsv: "
            "expected at least one of them. Add <rank> or <rsv> to every result."
        )
    order = np.argsort(ranks if has_rank else -rsv, kind="stable")
    if has_rank and has_rsv and _do_scores_decide(ranks[order], rsv[order]):
        order = order[np.argsort(-rsv[order], kind="stable")]
        has_rank = False
        notices["ranks_repeated"] += 1
    rows, ranks, rsv = rows[order], ranks[order], rsv[order]
    if has_rank:
        _check_distinct(ranks, topic, columns.lines[rows], source)
        notices.update(_rank_notices(ranks, order))
    elif not (columns.ranks[rows] != NO_RANK).all():
        notices["ranks_missing"] += 1
    if not has_rsv:
        notices["rsv_missing"] += 1
        rsv = np.arange(len(rows), 0, -1, dtype=np.float64)
    elif (rsv[1:] > rsv[:-1]).any():
        notices["rsv_rising"] += 1
    elif _are_tied_otherwise(rsv, columns, rows):
        notices["rsv_tied"] += 1
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
        notices["duplicate_results"] += 1
    return ranking


def _are_tied_otherwise(rsv: FloatArray, columns: Columns, rows: IntArray) -> bool:
    """Return whether documents with equal rsv, in 32 bits, are in another order than that of trec_eval."""
    with np.errstate(over="ignore"):
        short = rsv.astype(np.float32)
    places = np.flatnonzero(short[1:] == short[:-1]).tolist()
    at = rows.tolist()
    return any(
        columns.paths[at[place]] is None
        and columns.starts[at[place]] < 0
        and columns.documents[at[place]].encode() < columns.documents[at[place + 1]].encode()
        for place in places
    )


def _all_or_none(given: np.typing.NDArray[np.bool_], what: str, topic: str, lines: IntArray, source: str) -> bool:
    """Return whether the results of a topic have the value; raises RunFormatError if only a part has it."""
    if not given.any():
        return not len(given)
    if not given.all():
        line = lines[np.argmin(given)]
        raise RunFormatError(
            f"{source}:{line}: a result of topic {topic!r} has no {what}, others of the topic have one: "
            f"expected {what} in all results of a topic or in none. Add the missing {what}, or remove it from all."
        )
    return True


def _do_scores_decide(ranks: IntArray, rsv: FloatArray) -> bool:
    """Return whether ranks, which are sorted, repeat, and every two results of one rank have another rsv."""
    if not (ranks[1:] == ranks[:-1]).any():
        return False
    order = np.lexsort((rsv, ranks))
    ranks, rsv = ranks[order], rsv[order]
    return not ((ranks[1:] == ranks[:-1]) & (rsv[1:] == rsv[:-1])).any()


def _check_distinct(ranks: IntArray, topic: str, lines: IntArray, source: str) -> None:
    """Raise RunFormatError if a rank occurs twice; `ranks` are sorted, ties in file order."""
    repeated = np.flatnonzero(np.diff(ranks) == 0)
    if len(repeated):
        i = int(repeated[0])
        raise RunFormatError(
            f"{source}:{lines[i + 1]}: duplicate rank {ranks[i]} in topic {topic!r}, first in line {lines[i]}: "
            "expected every rank once per topic. Number the results of each topic 1, 2, 3 ... in the intended order."
        )


def _rank_notices(ranks: IntArray, order: IntArray) -> list[str]:
    """Return the codes of notices on the ranks of a topic; `order` is the permutation that sorted them."""
    if not len(ranks):
        return []
    unusual = []
    if ranks[0] != 1:
        unusual.append("ranks_from_0" if ranks[0] == 0 else "ranks_after_1")
    if (np.diff(ranks) > 1).any():
        unusual.append("ranks_with_gaps")
    if (np.diff(order) < 0).any():
        unusual.append("ranks_out_of_order")
    return unusual


def _has_duplicates(ranking: Ranking) -> bool:
    """Return whether two results are the same element, passage, entry point or document."""
    places = zip(ranking.documents, ranking.paths, ranking.starts.tolist(), ranking.lengths.tolist(), strict=True)
    if ranking.pointers:
        return len({(place, ranking.pointers.get(i)) for i, place in enumerate(places)}) < len(ranking)
    return len(set(places)) < len(ranking)
