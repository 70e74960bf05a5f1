"""What the tests of trust ask an index, and its answers in a form that can be compared."""

from engine.index.index import Index

QUERIES = ("sea tide", "lamp -fog", '"light house"', "rock")


def answers(index: Index, query: str) -> list[list[str | float]]:
    """Return document, path, score and text of every answer."""
    return [[answer.document, answer.path, answer.rsv, answer.text] for answer in index.search(query)]
