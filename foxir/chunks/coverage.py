"""How much of the highlighted text chunks contain: what they do not contain, no way to retrieve them can find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from engine.errors import MeasureError
from eval.judgements.judgements import Judgements
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import document_highlights
from eval.text.offsets import with_passage_offsets
from foxir.chunks.collection import Collection, Pieces


def highlights(collection: Collection, judged: Iterable[Judgements], locator: ElementLocator) -> Pieces | None:
    """Return the highlighted text of topics in the documents of a collection, each topic's for itself.

    None where the judgements grade elements and highlight no text.
    """
    try:
        topics = [with_passage_offsets(judgements, locator) for judgements in judged]
    except MeasureError:
        return None
    places = {document: place for place, document in enumerate(collection.ids)}
    found = [each for judgements in topics for each in _of_topic(places, judgements)]
    document, start, end = np.array(sorted(found), np.int64).reshape(-1, 3).T
    return Pieces(document, start, end, np.empty(0, np.int64))


def coverage(collection: Collection, units: Pieces, highlighted: Pieces) -> float | None:
    """Return the share of highlighted words that are in a piece, 0 to 1; None where nothing is highlighted.

    Words, as splitters leave out white space between chunks. A word that several topics highlight counts for each.
    """
    changes = np.zeros(len(collection.words.number) + 1, np.int64)
    for borders, change in zip(collection.word_ranges(units).T, (1, -1), strict=True):
        np.add.at(changes, borders, change)
    before = np.concatenate(([0], np.cumsum(np.cumsum(changes) > 0)))  # words in a piece before each word
    first, end = collection.word_ranges(highlighted).T
    total = int((end - first).sum())
    return int((before[end] - before[first]).sum()) / total if total else None


def _of_topic(places: Mapping[str, int], judgements: Judgements) -> Iterator[tuple[int, int, int]]:
    for row in np.unique(judgements.passages.document_rows).tolist():
        place = places.get(judgements.documents[row])
        if place is not None:
            text = document_highlights(judgements, row)
            for start, end in zip(text.starts.tolist(), text.ends.tolist(), strict=True):
                yield place, start, end
