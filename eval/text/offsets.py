"""Places of passages and results: character offsets and elements, from the files or from an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Ranking
from eval.judgements.judgements import UNKNOWN, Judgements
from eval.numbers import IntArray
from eval.text.element_locator import ElementLocator, require
from eval.text.highlighted_text import DOCUMENT_STRIDE, highlighted_characters
from eval.text.paths import root


def with_passage_offsets(judgements: Judgements, locator: ElementLocator | None) -> Judgements:
    """Return the judgements with the offset and length of every passage; MeasureError if they cannot be determined."""
    passages = judgements.passages
    missing = np.flatnonzero((passages.starts < 0) | (passages.lengths < 0)).tolist()
    if not len(passages) and len(judgements.elements) and judgements.elements.relevant.any():
        raise MeasureError(
            f"{judgements.source}: topic {judgements.topic!r} has judged elements but no passages; "
            f"this measure needs judgements with passages (FOL qrels or INEX 2006 on)."
        )
    if not missing:
        return judgements
    known = require(locator, f"{judgements.source}: passages are given by pointers, their offsets are not known")
    starts, lengths = passages.starts.copy(), passages.lengths.copy()
    for row in missing:
        document = judgements.documents[passages.document_rows[row]]
        start, end = pointer_span(passages.pointers[row] or ("", ""), document, known)
        if start < 0 or end < start:
            raise MeasureError(
                f"{judgements.source}: topic {judgements.topic!r}, document {document!r}: there is no passage "
                f"{passages.pointers[row]} in the index; is it the index of the judged collection?"
            )
        starts[row], lengths[row] = start, end - start
    return replace(judgements, passages=replace(passages, starts=starts, lengths=lengths))


def pointer_span(pointers: tuple[str, str], document: str, locator: ElementLocator) -> tuple[int, int]:
    """Return start and end of a passage between two pointers, -1 where one does not exist.

    A pointer into a text node is that character; a pointer that is an element's path is where the element starts
    (first pointer) or ends (second pointer).
    """
    places = []
    for side, pointer in enumerate(pointers):
        if "text()" in pointer:
            offset = locator.offset(document, pointer)
            places.append(UNKNOWN if offset is None else offset)
        else:
            places.append(int(locator.spans(document, [pointer])[0, side]))
    return places[0], places[1]


def with_fol_fields(judgements: Judgements, locator: ElementLocator | None) -> Judgements:
    """Return the judgements with all fields of FOL qrels: offsets, lengths, highlighted characters, entry points.

    A best entry point that is not known is set to the start of the first passage.

    Raises: MeasureError for passages whose offsets cannot be determined.
    """
    judgements = with_passage_offsets(judgements, locator)
    lengths, points = judgements.lengths.copy(), judgements.entry_points.copy()
    for row, document in enumerate(judgements.documents):
        if lengths[row] < 0 and locator is not None:
            lengths[row] = locator.length(document) or UNKNOWN
        first, end = judgements.passage_bounds[row : row + 2].tolist()
        if first < end:
            point = entry_point(judgements, row, locator)
            points[row] = judgements.passages.starts[first:end].min() if point is None else point
    return replace(judgements, lengths=lengths, entry_points=points, highlighted=highlighted_characters(judgements))


def entry_point(judgements: Judgements, row: int, locator: ElementLocator | None) -> int | None:
    """Return the offset of the best entry point of a document, None if it is not judged or cannot be located."""
    if judgements.entry_points[row] >= 0:
        return int(judgements.entry_points[row])
    path = judgements.entry_paths[row]
    if path is None or locator is None:
        return None
    start, _ = pointer_span((path, path), judgements.documents[row], locator)
    return start if start >= 0 else None


def with_clipped_offsets(ranking: Ranking) -> Ranking:
    """Return the ranking with offsets and lengths of at most DOCUMENT_STRIDE, so that their sums fit into 64 bits."""
    if max(ranking.starts.max(initial=0), ranking.lengths.max(initial=0)) <= DOCUMENT_STRIDE:
        return ranking
    return replace(
        ranking,
        starts=np.minimum(ranking.starts, DOCUMENT_STRIDE),
        lengths=np.minimum(ranking.lengths, DOCUMENT_STRIDE),
    )


def with_result_offsets(ranking: Ranking, locator: ElementLocator | None) -> Ranking:
    """Return the ranking with the offset and length of every result that can be located.

    Results given by path, by pointers or as whole documents are looked up in the index; those that it does not have,
    and those with ``X`` for offset and length in their file, keep -1.
    """
    todo = results_without_offsets(ranking)
    if not todo:
        return ranking
    known = require(locator, f"{ranking.place(todo[0])}: results are elements, their offsets are not known")
    starts, lengths = ranking.starts.copy(), ranking.lengths.copy()
    paths_of: dict[str, list[int]] = {}
    for i in todo:
        document = ranking.documents[i]
        if i in ranking.pointers:
            start, end = pointer_span(ranking.pointers[i], document, known)
            if 0 <= start <= end:
                starts[i], lengths[i] = start, end - start
        elif ranking.paths[i] is None:
            length = known.length(document)
            if length is not None:
                starts[i], lengths[i] = 0, length
        else:
            paths_of.setdefault(document, []).append(i)
    for document, rows in paths_of.items():
        spans = known.spans(document, [ranking.paths[i] or "" for i in rows])
        starts[rows], lengths[rows] = spans[:, 0], np.where(spans[:, 0] < 0, -1, spans[:, 1] - spans[:, 0])
    return replace(ranking, starts=starts, lengths=lengths)


def results_without_offsets(ranking: Ranking) -> list[int]:
    """Return the rows of results given by path, by pointers or by their document alone, without offsets."""
    without = np.flatnonzero(ranking.starts < 0).tolist()
    if len(without) < len(ranking):  # a file of offsets: a result without any place is one that it writes as X
        return [i for i in without if ranking.paths[i] is not None or i in ranking.pointers]
    return without


class NoElementError(MeasureError):
    """A result is a passage, where a measure is defined on elements."""


# Path of the root element of a document if neither judgements nor results name it.
UNNAMED_ROOT = ""


def element_paths(ranking: Ranking, judgements: Judgements, family: str) -> list[str]:
    """Return the path of every result; a result that names only a document is its root element.

    Raises: NoElementError for a result that is a passage of text, as ``family`` scores whole elements.
    """
    return [
        path if path is not None else _root_path(ranking, i, judgements, family) for i, path in enumerate(ranking.paths)
    ]


def element_rows(ranking: Ranking, paths: Sequence[str], judgements: Judgements) -> IntArray:
    """Return the row of every result among the judged elements, -1 for one not judged, int64, shape (n_results,)."""
    rows = judgements.row_of_element
    return np.array([rows.get(key, -1) for key in zip(ranking.documents, paths, strict=True)], dtype=np.int64)


def is_document(ranking: Ranking, i: int) -> bool:
    """Return whether result i names a document, but neither an element nor a passage of it."""
    return ranking.paths[i] is None and ranking.starts[i] < 0 and i not in ranking.pointers


def _root_path(ranking: Ranking, i: int, judgements: Judgements, family: str) -> str:
    if not is_document(ranking, i):
        needs_paths = Notice("needs_paths", {"place": ranking.place(i), "family": family})
        raise NoElementError(Notice("no_element_measure", {"reason": needs_paths}))
    document = ranking.documents[i]
    row = judgements.row_of_document.get(document)
    path = None if row is None else judgements.root_path(row)
    if path is not None:
        return path
    others = zip(ranking.documents, ranking.paths, strict=True)
    return next((root(other) for name, other in others if name == document and other is not None), UNNAMED_ROOT)
