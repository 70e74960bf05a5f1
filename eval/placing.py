"""Gives passages and results their character offsets, from the files or, where these lack them, from an index."""

from dataclasses import replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import UNKNOWN, Judgements
from eval.geometry import Geometry, require
from eval.highlighted import FAR, highlighted_characters
from eval.intervals import Highlights


def with_offsets(judgements: Judgements, geometry: Geometry | None) -> Judgements:
    """Return the judgements with the offset and length of every passage; MeasureError where they cannot be had."""
    passages = judgements.passages
    missing = np.flatnonzero((passages.starts < 0) | (passages.lengths < 0)).tolist()
    if not len(passages) and len(judgements.elements) and judgements.elements.relevant.any():
        raise MeasureError(
            f"{judgements.source}: topic {judgements.topic!r} has judged elements but no passages; "
            f"this measure needs judgements with passages (FOL qrels or INEX 2006 on)."
        )
    if not missing:
        return judgements
    known = require(geometry, f"{judgements.source}: passages are given by pointers, their offsets are not known")
    starts, lengths = passages.starts.copy(), passages.lengths.copy()
    for row in missing:
        document = judgements.documents[passages.document_rows[row]]
        start, end = span_of(passages.pointers[row] or ("", ""), document, known)
        if start < 0 or end < start:
            raise MeasureError(
                f"{judgements.source}: topic {judgements.topic!r}, document {document!r}: there is no passage "
                f"{passages.pointers[row]} in the index; is it the index of the judged collection?"
            )
        starts[row], lengths[row] = start, end - start
    return replace(judgements, passages=replace(passages, starts=starts, lengths=lengths))


def span_of(pointers: tuple[str, str], document: str, geometry: Geometry) -> tuple[int, int]:
    """Return start and end of a passage between two pointers, -1 where one does not exist.

    A pointer into a text node is that character; a pointer that is an element's path is where the element starts
    (first pointer) or ends (second pointer).
    """
    places = []
    for side, pointer in enumerate(pointers):
        if "text()" in pointer:
            offset = geometry.offset(document, pointer)
            places.append(UNKNOWN if offset is None else offset)
        else:
            places.append(int(geometry.spans(document, [pointer])[0, side]))
    return places[0], places[1]


def with_measures(judgements: Judgements, geometry: Geometry | None) -> Judgements:
    """Return judgements with everything a line of FOL qrels says: offsets, lengths, highlighted text, entry points.

    Where no best entry point is known, it is the start of the first passage; MeasureError where passages have no place.
    """
    judgements = with_offsets(judgements, geometry)
    lengths, points = judgements.lengths.copy(), judgements.entry_points.copy()
    for row, document in enumerate(judgements.documents):
        if lengths[row] < 0 and geometry is not None:
            lengths[row] = geometry.length(document) or UNKNOWN
        first, end = judgements.passage_bounds[row : row + 2].tolist()
        if first < end:
            point = entry_point(judgements, row, geometry)
            points[row] = judgements.passages.starts[first:end].min() if point is None else point
    return replace(judgements, lengths=lengths, entry_points=points, highlighted=highlighted_characters(judgements))


def entry_point(judgements: Judgements, row: int, geometry: Geometry | None) -> int | None:
    """Return where the file says that a document is best entered, None if it does not say or cannot be placed."""
    if judgements.entry_points[row] >= 0:
        return int(judgements.entry_points[row])
    path = judgements.entry_paths[row]
    if path is None or geometry is None:
        return None
    start, _ = span_of((path, path), judgements.documents[row], geometry)
    return start if start >= 0 else None


def highlights(judgements: Judgements, row: int) -> Highlights:
    """Return the highlighted text of the judged document in a row; its passages must have offsets."""
    passages = judgements.passages
    first, end = judgements.passage_bounds[row : row + 2].tolist()
    starts = passages.starts[first:end]
    return Highlights.of(starts, starts + passages.lengths[first:end])


def within_reach(ranking: Ranking) -> Ranking:
    """Return the ranking with offsets and lengths past FAR, where no text is, as FAR: their sums fit into 64 bits."""
    if max(ranking.starts.max(initial=0), ranking.lengths.max(initial=0)) <= FAR:
        return ranking
    return replace(ranking, starts=np.minimum(ranking.starts, FAR), lengths=np.minimum(ranking.lengths, FAR))


def placed(ranking: Ranking, geometry: Geometry | None) -> Ranking:
    """Return the ranking with the offset and length of every result that has a place.

    A result given by its path, by pointers, or as a whole document is looked up in the index; one that the index does
    not have, and one that its file places nowhere (``X``), keep -1.
    """
    todo = unplaced(ranking)
    if not todo:
        return ranking
    known = require(geometry, f"{ranking.place(todo[0])}: results are elements, their offsets are not known")
    starts, lengths = ranking.starts.copy(), ranking.lengths.copy()
    paths_of: dict[str, list[int]] = {}
    for i in todo:
        document = ranking.documents[i]
        if i in ranking.pointers:
            start, end = span_of(ranking.pointers[i], document, known)
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


def unplaced(ranking: Ranking) -> list[int]:
    """Return the rows whose place is given without offsets: by path, by pointers or by the document alone."""
    without = np.flatnonzero(ranking.starts < 0).tolist()
    if len(without) < len(ranking):  # a file of offsets: a result without any place is one that it writes as X
        return [i for i in without if ranking.paths[i] is not None or i in ranking.pointers]
    return without
