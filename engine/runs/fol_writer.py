"""Writes runs as text: the six columns of TREC, and in the format of INEX 2009-2010 the location in the document."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import RunFormatError
from engine.runs.run import NOWHERE, Ranking, Run
from engine.runs.text_reader import UNPLACED, Kind


def fol_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a run.

    All lines have the same kind of location: offset and length, best entry points, ranges of paths, or element paths.
    Offsets are preferred to paths; a result without location is written as `X X`. Description and settings are not
    written, as the format has no comments.

    Raises: RunFormatError if no kind fits all results.
    """
    kinds = {_kind(ranking, i) for ranking in run.rankings.values() for i in range(len(ranking))}
    kind = _common_kind(kinds, run)
    for topic, ranking in run.rankings.items():
        starts, lengths = ranking.starts.tolist(), ranking.lengths.tolist()
        columns = zip(ranking.documents, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
        for i, (document, rank, rsv) in enumerate(columns):
            yield text_line(topic, document, rank, rsv, run.run_id, *_place(kind, ranking, i, starts[i], lengths[i]))


def _kind(ranking: Ranking, i: int) -> Kind:
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
