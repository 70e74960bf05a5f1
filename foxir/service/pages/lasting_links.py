"""Links that lead to an element after its document has changed: by its id, else by its path and a checksum of its text.

Where the text at the path has another checksum, the element is the one whose text has it, if there is only one.
"""

from __future__ import annotations

import hashlib

import numpy as np

from foxir.service.http.problems import ProblemError
from foxir.service.pages.document_view import DocumentView, place_of

MOVED = "This text has moved since the link was made: it is shown where it is now."
CHANGED = "The document has changed since the link was made: this is what is now at its place."
GONE = "The document has changed since the link was made: what it led to is not found any more."


def checksum_of(view: DocumentView, place: int) -> str:
    """Return the checksum of the text of an element: SHA-256, 16 hexadecimal digits, as answers have it elsewhere."""
    text = view.text[view.starts[place] : view.stops[place]]
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def lasting_link(view: DocumentView, place: int, index: str) -> dict[str, str]:
    """Return the parameters of a link to an element: its id, else its path and a checksum."""
    rows, values = view.reader.elements.attributes(["id"], np.array([view.number]))
    ids = dict(reversed(list(zip(values, rows.tolist(), strict=True))))  # of several with one id, the first
    own = [value for value, row in ids.items() if row == view.first_row + place and not value.startswith("/")]
    where = {"path": own[0]} if own else {"path": view.path(place), "checksum": checksum_of(view, place)}
    return {"document": view.document, **where} | ({"index": index} if index else {})


def lasting_place(view: DocumentView, path: str, checksum: str) -> tuple[int | None, str]:
    """Return the place that a link leads to, None for the document alone, and what a reader should know of it.

    Raises: ProblemError 404 for a path that is not there, of a link without a checksum.
    """
    try:
        place: int | None = place_of(view, path)
    except ProblemError:
        if not checksum:
            raise
        place = None
    if not checksum or (place is not None and checksum_of(view, place) == checksum):
        return place, ""
    spans: dict[tuple[int, int], int] = {}
    for each in range(len(view)):  # of elements with one text, the outermost
        spans.setdefault((view.starts[each], view.stops[each]), each)
    found = [each for each in spans.values() if not view.is_inline[each] and checksum_of(view, each) == checksum]
    if len(found) == 1:
        return found[0], MOVED
    return place, GONE if place is None else CHANGED
