"""The pages of a document: the text with outline and heat map, and why an element scored what it did."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

import foxir
from engine.columns.checked_folder import reads_columns
from engine.errors import FoxirError
from engine.explain.element_explanation import ElementExplanation
from engine.presentation.breadcrumbs import breadcrumbs
from engine.presentation.skipped_text import SkippedText
from engine.presentation.term_spans import SearchedText, term_spans
from engine.ranking.search import plan_query
from engine.settings import Settings
from foxir.service.example_image import mosaic
from foxir.service.http.problems import ProblemError
from foxir.service.http.root_path import root_path
from foxir.service.indexes import Snapshot
from foxir.service.json import document_operations
from foxir.service.json.records import FoundAnswer
from foxir.service.json.requests import SearchRequest, asked_of, flag, parameters_of, required, whole
from foxir.service.pages.citations import byline, citation, source_of
from foxir.service.pages.document_images import document_images, example_images, image_address
from foxir.service.pages.document_view import DocumentPart, DocumentView, part_at, parts_of, place_of, view_of
from foxir.service.pages.minimap import minimap
from foxir.service.pages.outline import heat, outline
from foxir.service.pages.rendering import page, templates
from foxir.service.pages.text_html import TextMarks, text_html
from foxir.service.pages.why_summary import bar, sentences
from foxir.service.searching import ask
from foxir.service.state import state_of


def query_word_spans(
    view: DocumentView, part: DocumentPart, query: str, settings: Settings
) -> list[tuple[int, int, str]]:
    """Return the spans of the words that a search looks for, in a part, as marks without class; none if it fails."""
    try:
        searched = plan_query(view.reader, query, settings).query
    except FoxirError:
        return []
    borders = sorted(
        {
            edge - part.start
            for place in range(part.first, part.end)
            if view.ends_words[place] and not view.is_skipped[place]
            for edge in (view.starts[place], view.stops[place])
            if part.start < edge < part.stop
        }
    )
    skipped = SkippedText(
        (max(view.starts[place], part.start) - part.start, min(view.stops[place], part.stop) - part.start)
        for place, is_skipped in enumerate(view.is_skipped)
        if is_skipped and view.starts[place] < part.stop and view.stops[place] > part.start
    )
    text = SearchedText(*skipped.without(view.text[part.start : part.stop], borders))
    (found,) = term_spans([text], searched, view.reader.analyser)
    spans = (span for start, end, _ in found for span in skipped.restore(start, end))
    return [(start + part.start, end + part.start, "") for start, end in spans]


# Parameters that name a place in a document, beside the document.
PLACE_PARAMETERS = ("path", "start", "end", "part", "checksum")
READ_PARAMETERS = frozenset({"document", "pane", *PLACE_PARAMETERS})
# Answers of a document that one can step through.
MOST_PASSAGES = 50


async def read_page(request: Request) -> Response:
    """Show a document with its outline and heat map; with `pane`, the pane that stands beside the answers, alone."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given, others=READ_PARAMETERS)
    document = required(given, "document")
    snapshot = state.indexes.snapshot(asked.index)
    asked.settings()
    asked.images()
    is_pane = flag(given, "pane")
    values = await state.run(reading, snapshot, asked, document, given, is_pane=is_pane)
    template = "reader.html" if is_pane else "read.html"
    return page(request, template, query=asked.query, asked=asked, snapshot=snapshot, **values)


def reading(
    snapshot: Snapshot, asked: SearchRequest, document: str, given: Mapping[str, str], *, is_pane: bool = False
) -> dict[str, Any]:
    """Return the values of a document's page, or of the pane beside the answers."""
    view = view_of(snapshot, document)
    parts = parts_of(view)
    element, moved = lasting_place(view, given["path"], given.get("checksum", "")) if given.get("path") else (None, "")
    focus: tuple[int, int] | None = None
    if given.get("start") or given.get("end"):
        focus = span_of(given, len(view.text))
    place = element
    if place is None and focus is not None:
        place = max(each for each in range(len(view)) if view.starts[each] <= focus[0])
    number = part_at(parts, place or 0)
    if given.get("part"):
        number = whole("part", given["part"], 1, len(parts)) - 1
    scores = document_operations.scores_in(view, asked)
    heats = heat(scores)
    part = parts[number]
    lasting = {"moved": moved, "lasting_link": ""}
    if element is not None and focus is None:
        lasting["lasting_link"] = f"{root_path()}/read?{urlencode(lasting_link(view, element, asked.index))}#focus"
    in_pane = asked.address("/", open=document)  # of both panes
    of_page = asked.address("/read", document=document, offset=None, limit=None)
    here = in_pane if is_pane else of_page

    def entry_link(each: int) -> str:
        page = part_at(parts, each)
        return f"#e{each}" if page == number else f"{here}&part={page + 1}#e{each}"

    base = asked.address("/why", document=document, offset=None, limit=None)
    images = images_html(snapshot, view, asked)
    words = query_word_spans(view, part, asked.query, asked.settings()) if asked.query.strip() else []
    marks = TextMarks(
        spans=words,
        focus=focus,
        element=element if focus is None else None,
        heat=heats,
        scores=scores,
        images=images,
        link=lambda each: f"{base}&place={each}",
        target=entry_link,
    )
    passages = _passages(snapshot, asked, document)
    span = focus or (None if element is None else (view.starts[element], view.stops[element]))
    shown = next((rank for rank, each in enumerate(passages) if each.span == span), None)
    body = text_html(view, part, marks)
    in_focus = place if element is None else element
    (fields,) = view.reader.fields.of_documents(np.array([view.number]))
    return {
        "view": view,
        "is_pane": is_pane,
        "by": byline(fields),
        "n_metadata": sum(view.is_metadata),
        "is_in_metadata": in_focus is not None and view.is_metadata[in_focus],
        "outlined": outline(view, scores, images, part, is_brief=True),
        "images": images,
        "scores": scores,
        "heats": heats,
        "text": Markup(body),  # made of escaped text
        "minimap": minimap(view, part, heats, [start for start, _, _ in words], [each.span for each in passages], shown)
        if scores or words
        else [],
        "passages": [f"{here}&{each.place}#focus" for each in passages],
        "shown_rank": shown,
        "part_number": number + 1,
        "n_parts": len(parts),
        "part_of": lambda each: part_at(parts, each) + 1,
        "part_link": lambda each: f"{here}&part={each}",
        "why_link": lambda each: f"{base}&place={each}",
        "why_here": f"{base}&place={place}" if place is not None and scores else "",
        "entry_link": entry_link,
        "whole_link": f"{of_page}&{_place_of(given)}#focus" if _place_of(given) else of_page,
        **lasting,
        "citations": partial(_citations, view, element if focus is None else None, asked.index),
        "back": asked.address("/"),
        "has_focus": element is not None or focus is not None,
    }


@reads_columns
def _citations(view: DocumentView, place: int | None, index: str, host: str) -> dict[str, str]:
    """Return the citations of an element, None for the whole document, with a lasting link."""
    (fields,) = view.reader.fields.of_documents(np.array([view.number]))
    link: dict[str, str] = {"document": view.document} | ({"index": index} if index else {})
    trail: list[str] = []
    if place is not None:
        link = lasting_link(view, place, index)
        (trail,) = breadcrumbs(view.reader, np.array([view.number]), np.array([view.first_row + place]))
    where = " › ".join(each for each in trail if each != view.title)
    address = f"{host}{root_path()}/read?{urlencode(link)}{'' if place is None else '#focus'}"
    return citation(fields, view.title, where, address, source_of(view))


def _place_of(given: Mapping[str, str]) -> str:
    """Return the parameters of a place in a document."""
    return urlencode({name: given[name] for name in PLACE_PARAMETERS if given.get(name)})


@dataclass(frozen=True)
class Passage:
    """An answer in a document: its characters, and its place as parameters of an address."""

    span: tuple[int, int]
    place: str


def place_parameters(answer: FoundAnswer | foxir.Answer) -> dict[str, Any]:
    """Return the place of an answer in its document: its path, and of sentences also where they begin and end."""
    where = {"start": answer.start, "end": answer.end} if answer.sentences is not None else {}
    return {"path": answer.path, **where}


def _passages(snapshot: Snapshot, asked: SearchRequest, document: str) -> list[Passage]:
    """Return the answers of a document, best first; none where they depend on those of others, or nothing is asked."""
    if not asked.query.strip() or asked.image or "word_budget" in asked.given:
        return []
    asked = replace(asked, given={**asked.given, "documents": pattern_of(document)})
    try:
        answers = ask(snapshot, asked, asked.settings(), MOST_PASSAGES)[:MOST_PASSAGES]
    except ProblemError as problem:
        if problem.status == 503:
            raise
        return []
    return [Passage((each.start, each.end), urlencode(place_parameters(each))) for each in answers]


def pattern_of(document: str) -> str:
    """Return the pattern of the setting `documents` (`*`, `?`, `[]`) that this id alone fits."""
    return re.sub(r"([*?\[])", r"[\1]", document)


def images_html(
    snapshot: Snapshot, view: DocumentView, asked: SearchRequest, *, links: bool = True
) -> dict[int, list[str]]:
    """Return place -> images of the elements of a document, as HTML without text.

    links: whether they lead to a search for images like them.
    """
    template = templates().get_template("image_in_text.html")
    return {
        place: [template.render(image=image, links=links).strip() for image in images]
        for place, images in document_images(snapshot, view, asked).items()
    }


def span_of(given: Mapping[str, str], length: int) -> tuple[int, int]:
    """Return the start and end that the parameters name; raises ProblemError 422."""
    start = whole("start", required(given, "start"), 0, length)
    return start, whole("end", required(given, "end"), start, length)


async def why_page(request: Request) -> Response:
    """Show why an element scored what it did, or why it was not returned."""
    state, given = state_of(request), parameters_of(request)
    others = frozenset({"document", "path", "place", "pane"})
    asked = asked_of(state, given, others=others)
    document = required(given, "document")
    snapshot = state.indexes.snapshot(asked.index)
    asked.images()
    if asked.is_empty:
        raise ProblemError(422, "parameter 'q' is missing: why for which query?", "parameter")
    if given.get("path") and given.get("place"):
        raise ProblemError(422, "path and place both name an element: omit one.", "parameter")

    def compute() -> dict[str, Any]:
        view = view_of(snapshot, document)
        if given.get("path"):
            place = place_of(view, given["path"])
        else:
            place = whole("place", required(given, "place"), 0, len(view) - 1)
        path = view.path(place)
        why = document_operations.explain(snapshot, document, path, asked)
        return {
            "view": view,
            "place": place,
            "path": path,
            "why": why,
            "said": [*sentences(why, snapshot.reader)],
            "bar": bar(why),
            "why_score": why.score,
            "compared": _compared(view, asked, why),
            "text_start": view.line(place, 280),
            "read": asked.address("/read", document=document, path=path, place=None) + "#focus",
            "why_link": asked.address("/why", document=document, path=path),
            "json_link": asked.address("/api/explain", document=document, path=path),
            "why_path": lambda other: asked.address("/why", document=document, path=other),
        }

    is_pane = flag(given, "pane")
    values = await state.run(compute)
    return page(
        request, "why_pane.html" if is_pane else "why.html", query=asked.query, asked=asked, snapshot=snapshot, **values
    )


def _compared(view: DocumentView, asked: SearchRequest, why: ElementExplanation) -> list[dict[str, Any]]:
    """Return the images that an explanation compares with examples: address, blocks, and the example in 256 blocks."""
    examples = example_images(view, asked)
    parts = [] if why.element is None else [part for part in why.element.find("image") if "example" in part.facts]
    return [
        {
            "key": part.facts["image"],
            "address": image_address(view.document, part.facts["image"], asked.index),
            "blocks": part.facts["blocks"],
            "score": part.value,
            "example": part.facts["example"],
            "mosaic": next((mosaic(each.features) for each in examples if each.name == part.facts["example"]), ""),
        }
        for part in parts
    ]


MOVED = "This text has moved since the link was made: it is shown where it is now."
CHANGED = "The document has changed since the link was made: this is what is now at its place."
GONE = "The document has changed since the link was made: what it led to is not found any more."


def checksum_of(view: DocumentView, place: int) -> str:
    """Return the checksum of the text of an element: SHA-256, 16 hexadecimal digits, as answers have it elsewhere."""
    text = view.text[view.starts[place] : view.stops[place]]
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def lasting_link(view: DocumentView, place: int, index: str) -> dict[str, str]:
    """Return the parameters of a link that leads to an element after its document has changed.

    That is its id, else its path and a checksum of its text: where the text at the path has another checksum, the
    element is the one whose text has it, if there is only one.
    """
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
