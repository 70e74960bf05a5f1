"""Links to places in documents that change: a path or an id, and a checksum of the text that was there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import foxir
from engine.errors import QueryError
from engine.index.elements.element_lookup import row_of
from engine.index.reader import IndexReader
from engine.query_limits import check_time
from foxir.service.http.problems import ProblemError
from foxir.service.json.records import FoundAnswer
from foxir.service.json.requests import required, whole
from foxir.service.pages.document_view import DocumentView, place_of

# Parameters that name a place in a document, beside the document.
PLACE_PARAMETERS = ("path", "start", "end", "part", "checksum")
CHECKSUM = re.compile("[0-9a-f]{16}")
# Characters of texts that are read at a time.
AT_ONCE = 1_000_000
# Characters that are looked through for a text that has moved, within a second; an element counts for OF_A_HASH more.
MOST_HASHED, OF_A_HASH = 200_000_000, 1_000
MOVED = "This text has moved since the link was made: it is shown where it is now."
CHANGED = "The document has changed since the link was made: this is what is now at its place."
GONE = "The document has changed since the link was made: what it led to is not found any more."


def checksum_of(text: str) -> str:
    """Return the checksum of a text: SHA-256, 16 hexadecimal digits, as answers have it elsewhere."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def place_parameters(answer: FoundAnswer | foxir.Answer, checksum: str | None) -> dict[str, Any]:
    """Return the place of an answer in its document: its path, of a stretch where it begins and ends, a checksum.

    checksum: of the text of the answer; None where that is not known.
    """
    where = {"start": answer.start, "end": answer.end} if answer.sentences or answer.siblings else {}
    return {"path": answer.path, **where, **({} if checksum is None else {"checksum": checksum})}


def checksums_of_answers(reader: IndexReader, answers: Iterable[FoundAnswer]) -> dict[tuple[str, int, int], str]:
    """Return the checksums of answers by document, start and end; of documents that an index has no more, none."""
    found: dict[tuple[str, int, int], str] = {}
    batch, size = list[tuple[int, tuple[str, int, int]]](), 0
    spans = dict.fromkeys((answer.document, answer.start, answer.end) for answer in answers)
    numbers = {document: reader.number(document) for document, _, _ in spans}

    def read() -> None:
        check_time()
        places = np.array([[start, end] for _, (_, start, end) in batch], np.int64).reshape(-1, 2)
        texts = reader.text_parts([number for number, _ in batch], places) if batch else []
        found.update((span, checksum_of(text)) for (_, span), text in zip(batch, texts, strict=True))
        batch.clear()

    for span in spans:
        document, start, end = span
        if (number := numbers[document]) is None:
            continue
        if size + end - start > AT_ONCE:
            read()
            size = 0
        batch.append((number, span))
        size += end - start
    read()
    return found


def text_at(reader: IndexReader, document: str, path: str) -> str | None:
    """Return the text of an element, None for one that is not there."""
    try:
        return reader.texts_of(np.array([row_of(reader, document, path)]))[0]
    except QueryError:
        return None


def lasting_link(view: DocumentView, place: int, index: str) -> dict[str, str]:
    """Return the parameters of a link that leads to an element after its document has changed.

    That is its id, else its path, and a checksum of its text.
    """
    rows, values = view.reader.elements.attributes(["id"], np.array([view.number]))
    ids = dict(reversed(list(zip(values, rows.tolist(), strict=True))))  # of several with one id, the first
    own = [value for value, row in ids.items() if row == view.first_row + place and not value.startswith("/")]
    path = own[0] if own else view.path(place)
    where = {"document": view.document, "path": path, "checksum": checksum_of(_text(view, place))}
    return where | ({"index": index} if index else {})


@dataclass(frozen=True)
class Destination:
    """The place that a link leads to: an element, None for the document alone, and characters of sentences.

    notice: what a reader should know of it, "" for nothing.
    """

    element: int | None = None
    span: tuple[int, int] | None = None
    notice: str = ""


def destination(view: DocumentView, given: Mapping[str, str]) -> Destination:
    """Return the place that the parameters of a link lead to.

    Where the text there has another checksum, it is the element whose text has it, if only one is found.

    Raises: ProblemError 404 for a path that is not there, of a link without a checksum; 422 for a wrong span.
    """
    checksum, path = given.get("checksum", ""), given.get("path", "")
    is_span = bool(given.get("start") or given.get("end"))
    if not checksum:
        span = span_of(given, len(view.text)) if is_span else None
        return Destination(place_of(view, path) if path else None, span)
    place: int | None = None
    try:
        place = place_of(view, path) if path else None
        span = span_of(given, len(view.text)) if is_span else None
    except ProblemError:  # beyond the end of what the text is now
        span = None
    text = view.text[slice(*span)] if span else "" if place is None else _text(view, place)
    if (span is not None or (place is not None and not is_span)) and checksum_of(text) == checksum:
        return Destination(place, span)
    if CHECKSUM.fullmatch(checksum) and len(found := _places_of(view, checksum)) == 1:
        return Destination(found[0], notice=MOVED)
    return Destination(place, notice=GONE if place is None else CHANGED)


def _places_of(view: DocumentView, checksum: str) -> list[int]:
    """Return the elements whose text has a checksum, the outermost of those with one text.

    The shortest texts are looked at first, and none after MOST_HASHED: in a deep document, all would take seconds.
    """
    starts, stops = np.array(view.starts), np.array(view.stops)
    places = np.unique(starts * (len(view.text) + 1) + stops, return_index=True)[1]
    lengths = stops[places] - starts[places]
    order = np.argsort(lengths, kind="stable")
    n_read = np.count_nonzero(np.cumsum(lengths[order] + OF_A_HASH) <= MOST_HASHED)
    found = list[int]()
    for place in places[order[:n_read]].tolist():
        check_time()
        if not view.is_inline[place] and checksum_of(_text(view, place)) == checksum:
            found.append(place)
    return found


def span_of(given: Mapping[str, str], length: int) -> tuple[int, int]:
    """Return the start and end that the parameters name; raises ProblemError 422."""
    start = whole("start", required(given, "start"), 0, length)
    return start, whole("end", required(given, "end"), start, length)


def _text(view: DocumentView, place: int) -> str:
    return view.text[view.starts[place] : view.stops[place]]
