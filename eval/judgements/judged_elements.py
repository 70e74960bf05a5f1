"""Judged elements and their sizes, from the judgement files or from an index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import MeasureError
from engine.wording import listed
from eval.judgements.judgements import NOT_JUDGED, JudgedElements, Judgements
from eval.text.element_locator import ElementLocator, require
from eval.text.highlighted_text import document_highlights
from eval.text.offsets import with_passage_offsets


def with_elements(judgements: Judgements, locator: ElementLocator | None, *, skips_missing: bool = False) -> Judgements:
    """Return the judgements with judged elements: those of the file, else every element that intersects a passage.

    Exhaustivity is not judged for elements derived from passages.

    Args:
        skips_missing: whether documents with passages that are not in the index are removed, as the caller says.

    Raises: MeasureError for a document with passages that is not in the index, unless it is removed.
    """
    if len(judgements.elements) or not len(judgements.passages):
        return judgements
    lacking = (
        f"{judgements.source}: judgements of topic {judgements.topic!r} are passages, their elements are not known"
    )
    expanded, missing = expand_topic(judgements, require(locator, lacking), exhaustivity=NOT_JUDGED)
    if missing and not skips_missing:
        raise MeasureError(
            f"{judgements.source}: judged documents of topic {judgements.topic!r} that are not in the index: "
            f"{listed(missing)}; is it the index of the judged collection? 'foxir judgements check' lists what differs."
        )
    return expanded


def expand_topic(
    judgements: Judgements, locator: ElementLocator, *, exhaustivity: int = 1
) -> tuple[Judgements, tuple[str, ...]]:
    """Return the judgements with every element that intersects a passage, and the documents missing from the index.

    Size and rsize are the characters of an element's text and the highlighted ones among them, by exact intersection
    of half-open intervals, white space preserved. A judged element keeps its exhaustivity, others get the one given.
    Documents with passages that are not in the index are removed.
    """
    rows = np.unique(judgements.passages.document_rows).tolist()
    missing = [row for row in rows if locator.length(judgements.documents[row]) is None]
    names = tuple(judgements.documents[row] for row in missing)
    judgements = with_passage_offsets(judgements.without(missing), locator)
    lengths = judgements.lengths.copy()
    parts: list[tuple[int, str, int, int, int]] = []  # document row, path, exhaustivity, size, rsize
    for row, document in enumerate(judgements.documents):
        length = locator.length(document)
        lengths[row] = lengths[row] if length is None else length
        elements = locator.elements(document)
        if elements is None:
            continue
        met = document_highlights(judgements, row).count_within(elements.starts, elements.ends)
        for i in np.flatnonzero(met).tolist():
            judged = judgements.row_of_element.get((document, elements.paths[i]))
            grade = exhaustivity if judged is None else int(judgements.elements.exhaustivity[judged])
            size = int(elements.ends[i] - elements.starts[i])
            parts.append((row, elements.paths[i], grade, size, int(met[i])))
    columns = list(zip(*parts, strict=True)) if parts else [()] * 5
    sizes, rsizes = (np.array(column, dtype=np.int64) for column in columns[3:])
    judged_elements = JudgedElements(
        document_rows=np.array(columns[0], dtype=np.int64),
        paths=tuple(str(path) for path in columns[1]),
        exhaustivity=np.array(columns[2], dtype=np.int8),
        specificity=rsizes / np.maximum(sizes, 1),
        sizes=sizes,
        rsizes=rsizes,
    )
    return replace(judgements, scale="2005", lengths=lengths, elements=judged_elements), names


def with_sizes(judgements: Judgements, locator: ElementLocator | None) -> Judgements:
    """Return the judgements with a size for all judged elements; where one was missing, sizes are those of the index.

    The earliest files of 2005 contain only the share of highlighted text; then size is that of the index and rsize the
    share of it, rounded.

    Raises: MeasureError for the graded scales of 2002-2004, which do not count characters.
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
    known = require(locator, f"{judgements.source}: judged elements have no sizes")
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
