"""A document, an element and a stretch of text by the names that a user gives; errors with the nearest known ones."""

from __future__ import annotations

import operator
import re
from itertools import chain

import numpy as np

from engine.collection.ingest_report import IngestReport
from engine.collection.markup.attributes import IDS, comparable
from engine.collection.sources.file_names import strip_extension
from engine.errors import QueryError
from engine.index.joined import folders_of
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.wording import MOST_OF_PATH, counted, did_you_mean, nearest, printable, shown_text

# A step without its number: the first of its name.
BARE_STEP = re.compile(r"(?<=/)([^/\[\]]+)(?=/|$)")
# Ids that are compared with a misspelt one; comparing a million would take minutes.
MOST_COMPARED = 20_000
# The codes of the notices on elements that are not there.
NO_PATH, NO_ID = "no_element_at_path", "no_element_with_id"


def number_of(index: IndexReader, document: str) -> int:
    """Return the number of a document.

    Raises: QueryError for an id that is not in the index, with the most similar one.
    """
    number = index.number(document)
    if number is not None:
        return number
    if skipped := _skipped_reason(index, document):
        raise QueryError(f"document {shown_text(document, MOST_OF_PATH)} is not in {index.folder}: {skipped}")
    raise QueryError(
        f"document {shown_text(document, MOST_OF_PATH)} is not in {index.folder}: {id_hint(index, document)}"
    )


def id_hint(index: IndexReader, document: str) -> str:
    """Return the id of a document in the index that an unknown one was probably meant as, or the form of ids."""
    ids = [index.ids[place] for place in index.live_documents[:MOST_COMPARED].tolist()]
    name = document.removesuffix(".xml").rpartition("/")[2]
    ends = [(each.rpartition("/")[2], each) for each in ids]
    same = [each for end, each in ends if end == name]
    same = same or [each for end, each in ends if end.partition(".")[0] == name.partition(".")[0]]
    hint = f"did you mean '{same[0]}'? " if same else did_you_mean(document, ids)
    return f"{hint}ids are paths below the source, without .xml."


def _skipped_reason(index: IndexReader, document: str) -> str:
    """Return the reason for which the last build skipped the file of a document, with its place; "" if it did not."""
    reports = map(IngestReport.load, folders_of(index.folder))
    for skipped in chain.from_iterable(report.skipped for report in reports):
        if f"/{strip_extension(skipped.file).replace('!', '/')}".endswith(f"/{document.removesuffix('.xml')}"):
            place = f"{skipped.file}:{skipped.line}" if skipped.line else skipped.file
            return f"the last build skipped {printable(place)}: {printable(skipped.reason)}"
    return ""


def with_numbers(path: str) -> str:
    """Return a path in which each step has a number.

    >>> with_numbers("/article/body/sec[2]")
    '/article[1]/body[1]/sec[2]'
    """
    return BARE_STEP.sub(r"\1[1]", path)


def row_of(index: IndexReader, document: str, place: str) -> int:
    """Return the row of the element at a path, or with an id (xml:id, id), such as `intro` or `#intro`.

    A step without a number is the first of its name.

    Raises: QueryError for a document, a path or an id that is not in the index, with the nearest that is.
    """
    number = number_of(index, document)
    if not place.startswith("/"):
        return _row_with_id(index, number, place.removeprefix("#"))
    path, locator = with_numbers(place), IndexLocator(index)
    row = locator.row(document, path)
    if row is None:
        near, meant = _near_path(index, number, path)
        fields = {"path": shown_text(path, MOST_OF_PATH), "document": document, "near": near, "meant": meant}
        raise QueryError(Notice(NO_PATH, fields))
    return row


def _near_path(index: IndexReader, number: int, path: str) -> tuple[str, str]:
    """Return the beginning of a path that is in a document, and the path with tags as they are there, "" if unlike."""
    elements, locator, document = index.elements, IndexLocator(index), index.ids[number]
    near, meant, is_whole = "", "", True
    inside = elements.root(np.array([number]))
    for step in path[1:].split("/"):
        name = step.partition("[")[0]
        known = {elements.tags[tag] for tag in elements.tag(inside).tolist()}
        found = nearest(name, sorted(known))
        row = None if found is None else locator.row(document, f"{meant}/{found}{step[len(name) :]}")
        if row is None:
            return near, ""
        meant = f"{meant}/{found}{step[len(name) :]}"
        is_whole = is_whole and found == name
        near = meant if is_whole else near
        below = np.arange(row + 1, int(elements.end(np.array([row]))[0]))
        inside = below.compress(elements.parent(below) == row)
    return near, meant


def _row_with_id(index: IndexReader, number: int, wanted: str) -> int:
    """Return the row of the first element of a document that has an id; raises QueryError."""
    rows, values = index.elements.attributes(sorted(IDS), np.array([number]))
    for row, value in zip(rows.tolist(), values, strict=True):
        if operator.eq(*comparable(value, wanted)):
            return int(row)
    near = nearest(wanted, list(dict.fromkeys(values))[:MOST_COMPARED])
    fields = {"id": shown_text(wanted, MOST_OF_PATH), "document": index.ids[number], "near": near or ""}
    raise QueryError(Notice(NO_ID, {**fields, "has_ids": bool(values)}))


def smallest_element(index: IndexReader, number: int, start: int, end: int) -> int:
    """Return the row of the deepest element of a document that contains the characters from `start` to `end`."""
    root, behind = (
        int(column[0])
        for column in (index.elements.root(np.array([number])), index.elements.document_end(np.array([number])))
    )
    rows = np.arange(root, behind)
    spans = index.spans(number, rows)
    contains = (spans[:, 0] <= start) & (spans[:, 1] >= end)
    return int(rows[contains][-1])  # what contains it is a chain, whose last row is the innermost


STRETCH = re.compile(r"(\d{1,18}):(\d{1,18})")


def stretch_of(index: IndexReader, number: int, place: str) -> tuple[int, int] | None:
    """Return start and end of a stretch of a document, given by its number; None for a place of another form.

    Raises: QueryError for a stretch that ends after the document.
    """
    found = STRETCH.fullmatch(place)
    if found is None:
        return None
    start, length = int(found[1]), int(found[2])
    _, size = index.spans(number, index.elements.root(np.array([number])))[0].tolist()
    if start + length > size:
        raise QueryError(f"'{place}': the text of document '{index.ids[number]}' has {counted(size, 'character')}.")
    return start, start + length
