"""Answers by document: together, for those who read a list; and none with more than a few, while others have any."""

from __future__ import annotations

from collections.abc import Sequence

# Answers of one document that a person or a model reads, at most, while other documents have answers.
MOST_OF_ONE = 3
# Answers that are ranked for each one that is wanted, so that there are some of other documents.
RANKED_FOR_ONE = 5


def places_by_document(documents: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of the answers of each document, the document of the best answer first.

    >>> places_by_document(["a", "b", "a"])
    {'a': [0, 2], 'b': [1]}
    """
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document, []).append(place)
    return places


def spread(documents: Sequence[str], wanted: int, most: int = MOST_OF_ONE) -> list[int]:
    """Return the places of so many answers, ascending: those beyond the first ones of a document only if others lack.

    >>> spread(["a", "a", "a", "b"], 3, 1), spread(["a", "a", "a", "b"], 2, 1)
    ([0, 1, 3], [0, 3])
    """
    counts: dict[str, int] = {}
    chosen: list[int] = []
    others: list[int] = []
    for place, document in enumerate(documents):
        counts[document] = counts.get(document, 0) + 1
        (chosen if counts[document] <= most else others).append(place)
        if len(chosen) == wanted:
            break
    return sorted([*chosen, *others[: max(wanted - len(chosen), 0)]])
