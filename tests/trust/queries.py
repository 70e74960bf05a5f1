"""What the tests of trust ask an index, and its answers in a form that can be compared."""

from __future__ import annotations

from engine.index.reader import IndexReader
from tests.engine.small_index import answers_to

QUERIES = ("sea tide", "lamp -fog", '"light house"', "rock")


def answers(index: IndexReader, query: str) -> list[list[str | float]]:
    """Return document, path, score and text of every answer."""
    return [[answer.document, answer.path, answer.rsv, answer.text] for answer in answers_to(index, query)]
