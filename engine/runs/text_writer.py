"""Writes one line of a text run."""

from __future__ import annotations

from engine.errors import RunFormatError


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
