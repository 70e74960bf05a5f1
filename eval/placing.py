"""Completes judgements and rankings with what only the documents tell: elements, sizes and character offsets."""

from dataclasses import replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import UNKNOWN, JudgedElements, Judgements
from eval.geometry import Geometry, IntArray, require
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


def highlights(judgements: Judgements, row: int) -> Highlights:
    """Return the highlighted text of the judged document in a row; its passages must have offsets."""
    passages = judgements.passages
    first, end = judgements.passage_bounds[row : row + 2].tolist()
    starts = passages.starts[first:end]
    return Highlights.of(starts, starts + passages.lengths[first:end])


def with_elements(judgements: Judgements, geometry: Geometry | None, *, exhaustivity: int = 1) -> Judgements:
    """Return the judgements with every element that meets a highlight as a judged element.

    Judged elements that are there already are kept as they are. Passages are turned into elements by exact
    intersection: rsize is the highlighted characters of an element, half-open intervals, white space as it stands.
    MeasureError where a document with highlights is not in the index.
    """
    if len(judgements.elements) or not len(judgements.passages):
        return judgements
    lacking = (
        f"{judgements.source}: judgements of topic {judgements.topic!r} are passages, their elements are not known"
    )
    known = require(geometry, lacking)
    judgements = with_offsets(judgements, known)
    rows: list[IntArray] = []
    paths: list[str] = []
    sizes: list[IntArray] = []
    rsizes: list[IntArray] = []
    lengths = judgements.lengths.copy()
    for row in np.unique(judgements.passages.document_rows).tolist():
        document = judgements.documents[row]
        elements = known.elements(document)
        if elements is None:
            raise MeasureError(
                f"{judgements.source}: document {document!r} of topic {judgements.topic!r} is not in the index; "
                f"is it the index of the judged collection?"
            )
        met = highlights(judgements, row).within(elements.starts, elements.ends)
        chosen = np.flatnonzero(met)
        paths.extend(elements.paths[i] for i in chosen.tolist())
        rows.append(np.full(len(chosen), row, dtype=np.int64))
        sizes.append((elements.ends - elements.starts)[chosen])
        rsizes.append(met[chosen])
        lengths[row] = known.length(document) or 0
    all_sizes, all_rsizes = np.concatenate(sizes), np.concatenate(rsizes)
    judged = JudgedElements(
        document_rows=np.concatenate(rows),
        paths=tuple(paths),
        exhaustivity=np.full(len(paths), exhaustivity, dtype=np.int8),
        specificity=all_rsizes / all_sizes,
        sizes=all_sizes,
        rsizes=all_rsizes,
    )
    return replace(judgements, scale="2005", lengths=lengths, elements=judged)


def with_sizes(judgements: Judgements, geometry: Geometry | None) -> Judgements:
    """Return the judgements with the sizes and rsizes of all judged elements, if there are any.

    The earliest files of 2005 give the share of highlighted text only: sizes are then those of the index, and rsize is
    the share of it, rounded. MeasureError for the graded scales of 2002-2004, which say nothing about characters.
    """
    elements = judgements.elements
    if judgements.scale in ("2002", "2003") and len(elements):
        raise MeasureError(
            f"{judgements.source}: judgements of {judgements.scale} grade elements and highlight no text; "
            f"this measure needs judgements from 2005 on."
        )
    missing = np.flatnonzero((elements.sizes < 0) | (elements.rsizes < 0))
    if not len(missing):
        return judgements
    known = require(geometry, f"{judgements.source}: judged elements have no sizes")
    sizes = elements.sizes.copy()
    for row in np.unique(elements.document_rows[missing]).tolist():
        first, end = judgements.element_bounds[row : row + 2].tolist()
        spans = known.spans(judgements.documents[row], elements.paths[first:end])
        if (spans < 0).any():
            path = elements.paths[first + int(np.argmax(spans[:, 0] < 0))]
            raise MeasureError(
                f"{judgements.source}: element {path} of document {judgements.documents[row]!r} is not in the index; "
                f"is it the index of the judged collection?"
            )
        sizes[first:end] = spans[:, 1] - spans[:, 0]
    rsizes = np.rint(np.minimum(elements.specificity, 1.0) * sizes).astype(np.int64)
    return replace(judgements, elements=replace(elements, sizes=sizes, rsizes=rsizes))


def placed(ranking: Ranking, geometry: Geometry | None) -> Ranking:
    """Return the ranking with the offset and length of every result that has a place.

    A result given by its path, by pointers, or as a whole document is looked up in the index; one that the index does
    not have, and one that its file places nowhere (``X``), keep -1.
    """
    todo = unplaced(ranking)
    if not todo:
        return ranking
    known = require(geometry, f"results of topic {ranking.topic!r} are elements, their offsets are not known")
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
