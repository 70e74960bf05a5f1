"""Reads and writes text runs: one result per line, in the format of TREC and its extension by INEX 2009-2010.

    topic Q0 document rank rsv run-id                    6 columns: the document
    topic Q0 document rank rsv run-id path               7 columns: an element
    topic Q0 document rank rsv run-id offset             7 columns: a best entry point
    topic Q0 document rank rsv run-id offset length      8 columns: a passage; X X: no location
    topic Q0 document rank rsv run-id path path          8 columns: from one element to another, both included

Columns are separated by white space. All lines of a file have the same kind of location.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from engine.arrays import FloatArray
from engine.errors import RunFormatError
from engine.notices import Notice
from engine.runs.columns import Columns, is_natural, is_score, rankings
from engine.runs.run import NOWHERE, IntArray, Ranking, Run
from engine.wording import counted

Kind = Literal["document", "path", "entry", "passage", "range"]
Column = list[str]

UNPLACED = "X"

# A line of FOL qrels: topic Q0 document rsize size, optionally followed by bep offset:length ...
JUDGEMENT = re.compile(r"\S+\s+\S+\s+\S+\s+\d+\s+\d+(\s+\d+(\s+\d+:\d+)+)?")

EXPECTED = (
    "expected topic Q0 document rank rsv run-id, then nothing, an element path, an offset, "
    "an offset and a length, or two paths"
)


def read_text(text: str, source: str) -> Run:
    """Return the run in a file of 6, 7 or 8 columns.

    Raises: RunFormatError with the first invalid line.
    """
    columns, lines = _columns(text, source)
    topics, _, documents, rank_column, rsv_column, run_ids = columns[:6]
    kind = _kind([column[0] for column in columns[6:]], lines[0], source)
    _check_kind(kind, columns[6:], lines, source)
    n = len(lines)
    nowhere = np.full(n, NOWHERE, dtype=np.int64)
    offsets = kind in ("entry", "passage")
    starts = _offsets(columns[6], "offset", lines, source) if offsets else nowhere
    lengths = _offsets(columns[7], "length", lines, source) if kind == "passage" else nowhere
    found, notices = rankings(
        Columns(
            topics=topics,
            documents=documents,
            paths=columns[6] if kind == "path" else [None] * n,
            starts=starts,
            lengths=lengths,
            ranks=_integers(rank_column, "rank", lines, source),
            rsv=_scores(rsv_column, lines, source),
            lines=np.array(lines, dtype=np.int64),
            pointers=dict(enumerate(zip(columns[6], columns[7], strict=True))) if kind == "range" else {},
        ),
        source,
    )
    if n_unplaced := int((starts == NOWHERE).sum()) if offsets else 0:
        notices.append(Notice("unplaced_results", {"offset": UNPLACED, "results": n_unplaced}))
    if len(names := dict.fromkeys(run_ids)) > 1:
        notices.append(Notice("several_run_ids", {"ids": len(names), "first": run_ids[0]}))
    return Run(
        run_id=run_ids[0],
        rankings=found,
        source=source,
        format="trec" if kind == "document" else "fol",
        notices=tuple(notices),
    )


def _columns(text: str, source: str) -> tuple[list[Column], list[int]]:
    """Return the columns of a file, and the line number of each row; blank lines are ignored."""
    # One list of strings, not a list per line: a million small lists would slow down the garbage collector.
    rows = text.split("\n")
    widths = [len(row.split()) for row in rows]
    lines = [number for number, width in enumerate(widths, 1) if width]
    if not lines:
        raise RunFormatError(f"{source}: the file contains no result: {EXPECTED}.")
    if JUDGEMENT.fullmatch(first := rows[lines[0] - 1].strip()):
        raise RunFormatError(f"{source}:{lines[0]}: {first[:80]!r} looks like a judgement, not a result: {EXPECTED}.")
    width = widths[lines[0] - 1]
    for line in lines:
        if widths[line - 1] != width or not 6 <= width <= 8:
            raise RunFormatError(f"{source}:{line}: {_wrong_width(rows[line - 1].split(), width)}")
    values = text.split()
    return [values[i::width] for i in range(width)], lines


def _wrong_width(row: Sequence[str], width: int) -> str:
    """Return the message for a wrong number of columns; `width` is that of the first line."""
    shown = " ".join(row)[:80]
    if len(row) != width:
        return (
            f"found {counted(len(row), 'column')} where the first line has {width} ({shown!r}): expected the same "
            "number in all lines. Document ids and paths must not contain blanks; split files that were concatenated."
        )
    hint = " Is it a file of topics? 'foxir run' answers these." if width < 4 else ""
    return f"found {counted(len(row), 'column')} ({shown!r}): {EXPECTED}.{hint}"


def _kind(place: Sequence[str], line: int, source: str) -> Kind:
    """Return the kind of results in a file, recognised by what follows the run id in its first line."""
    if not place:
        return "document"
    if all(value.startswith("/") for value in place):
        return "path" if len(place) == 1 else "range"
    if any(value.startswith("/") for value in place):
        raise RunFormatError(f"{source}:{line}: {' '.join(place)!r} mixes a path and an offset: {EXPECTED}.")
    return "entry" if len(place) == 1 else "passage"


def _check_kind(kind: Kind, place: Sequence[Sequence[str]], lines: Sequence[int], source: str) -> None:
    """Raise RunFormatError for a line that has a path where the first line has an offset, or vice versa."""
    paths_expected = kind in ("path", "range")
    for column in place:
        are_paths = [value[0] == "/" for value in column]
        if (not paths_expected) in are_paths:
            i = are_paths.index(not paths_expected)
            meant, found = ("a path", "an offset") if paths_expected else ("an offset", "a path")
            raise RunFormatError(
                f"{source}:{lines[i]}: {column[i]!r} is {found}; the first line has {meant} in this column: "
                "expected results of a single kind in a file. Split the file."
            )


def _offsets(column: Sequence[str], what: str, lines: Sequence[int], source: str) -> IntArray:
    """Return character offsets or lengths, `NOWHERE` for an X."""
    if UNPLACED not in column:
        return _integers(column, what, lines, source)
    unplaced = [value == UNPLACED for value in column]
    offsets = _integers(["0" if no else value for value, no in zip(column, unplaced, strict=True)], what, lines, source)
    offsets[unplaced] = NOWHERE
    return offsets


def _integers(column: Sequence[str], what: str, lines: Sequence[int], source: str) -> IntArray:
    """Return a column of natural numbers; raises RunFormatError for the first invalid value."""
    together = "".join(column)
    try:
        if together.isdigit() and together.isascii():
            return np.array(list(map(int, column)), dtype=np.int64)
    except (ValueError, OverflowError):
        pass  # the loop below finds the value that is too long
    i = [is_natural(value) for value in column].index(False)
    raise RunFormatError(f"{source}:{lines[i]}: {what} {column[i]!r} is not a whole number below 2^63: {EXPECTED}.")


def _scores(column: Sequence[str], lines: Sequence[int], source: str) -> FloatArray:
    """Return a column of finite numbers; raises RunFormatError for the first invalid value."""
    try:
        scores = np.array(list(map(float, column)), dtype=np.float64)
        if np.isfinite(scores).all() and "_" not in "".join(column):
            return scores
    except ValueError:
        pass  # the loop below finds the value
    line, value = next((line, value) for line, value in zip(lines, column, strict=True) if not is_score(value))
    raise RunFormatError(
        f"{source}:{line}: rsv {value!r} is not a finite number: expected a decimal number such as 0.99. "
        "Remove the result or give it a score."
    )


def fol_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a run.

    All lines have the same kind of location: offset and length, best entry points, ranges of paths, or element paths.
    Offsets are preferred to paths; a result without location is written as `X X`. Description and settings are not
    written, as the format has no comments.

    Raises: RunFormatError if no kind fits all results.
    """
    kinds = {_kind_of_result(ranking, i) for ranking in run.rankings.values() for i in range(len(ranking))}
    kind = _common_kind(kinds, run)
    for topic, ranking in run.rankings.items():
        starts, lengths = ranking.starts.tolist(), ranking.lengths.tolist()
        columns = zip(ranking.documents, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
        for i, (document, rank, rsv) in enumerate(columns):
            yield text_line(topic, document, rank, rsv, run.run_id, *_place(kind, ranking, i, starts[i], lengths[i]))


def _kind_of_result(ranking: Ranking, i: int) -> Kind:
    """Return the kind of location of a result; offsets are preferred to paths."""
    if ranking.starts[i] != NOWHERE:
        return "passage" if ranking.lengths[i] != NOWHERE else "entry"
    if i in ranking.pointers:
        return "range"
    return "document" if ranking.paths[i] is None else "path"


def _common_kind(kinds: set[Kind], run: Run) -> Kind:
    if kinds <= {"passage", "entry", "document"}:
        return "entry" if kinds == {"entry"} else "passage"
    if len(kinds) == 1:
        return kinds.pop()
    raise RunFormatError(
        f"run {run.run_id!r} mixes results of the kinds {', '.join(sorted(kinds))}: expected a single kind in a text "
        "run. Choose the format 'inex', or give every result its offset and length."
    )


def _place(kind: Kind, ranking: Ranking, i: int, start: int, length: int) -> tuple[str, ...]:
    """Return the columns after the run id."""
    match kind:
        case "path":
            return (str(ranking.paths[i]),)
        case "range":
            return ranking.pointers[i]
        case "entry":
            return (str(start),)
        case _:
            return tuple(UNPLACED if value == NOWHERE else str(value) for value in (start, length))


def text_line(topic: str, document: str, rank: int, rsv: float, run_id: str, *place: str) -> str:
    """Return one line of a run, with its line end.

    Raises: RunFormatError if the line could not be read back: a name is empty or contains white space, or a topic
        begins with `<` or a byte order mark.
    """
    values = [topic, "Q0", document, str(rank), repr(rsv), run_id, *place]
    line = " ".join(values)
    if line.split() != values:
        bad = next(value for value in values if value.split() != [value])
        raise RunFormatError(
            f"{bad!r} (topic {topic!r}, rank {rank}) is empty or contains white space, which separates the columns of "
            "a text run: expected a name without blanks. Choose the format 'inex', or rename it."
        )
    if topic.startswith(("<", "\ufeff")):
        raise RunFormatError(
            f"topic {topic!r}: a text run cannot begin with it. Choose the format 'inex', or rename it."
        )
    return line + "\n"
