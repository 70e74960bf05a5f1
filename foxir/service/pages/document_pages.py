"""The pages of a document: the text with outline and heat map, and why an element scored what it did."""

from __future__ import annotations

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
from foxir.service.json.requests import SearchRequest, asked_of, flag, parameters_of, required, whole
from foxir.service.pages.citations import byline, citation, given_names_first, source_of
from foxir.service.pages.document_images import document_images, example_images, image_address
from foxir.service.pages.document_view import DocumentPart, DocumentView, part_at, parts_of, place_of, view_of
from foxir.service.pages.lasting_links import (
    PLACE_PARAMETERS,
    Destination,
    checksum_of,
    destination,
    lasting_link,
    place_parameters,
)
from foxir.service.pages.minimap import minimap
from foxir.service.pages.outline import heat, outline
from foxir.service.pages.rendering import is_for_people, page, templates
from foxir.service.pages.text_html import TextMarks, text_html
from foxir.service.pages.why_summary import bar, sentences
from foxir.service.searching import ask, with_capital
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
    status = 200

    def shown(given: Mapping[str, str], notice: str = "") -> dict[str, Any]:
        opened = opened_place(snapshot, document, given)
        return reading(snapshot, asked, opened, given, is_pane=is_pane, notice=notice)

    try:
        values = await state.run(shown, given)
    except ProblemError as problem:
        is_id = given.get("path", "/")[:1] not in ("/", "")  # of the document as it was, perhaps
        if problem.status != 404 or not is_id or not is_for_people(request):
            raise
        notice, status = with_capital(str(problem.detail)), 404
        values = await state.run(shown, {}, notice)
    template = "reader.html" if is_pane else "read.html"
    return page(request, template, status, query=asked.query, asked=asked, snapshot=snapshot, **values)


@dataclass(frozen=True)
class OpenedPlace:
    """A document and the place in it that an address names; number: of its part, 0 for the first."""

    view: DocumentView
    parts: list[DocumentPart]
    led: Destination
    place: int | None
    number: int


def opened_place(snapshot: Snapshot, document: str, given: Mapping[str, str]) -> OpenedPlace:
    """Return the place that an address names; raises ProblemError 404 where there is none, 422 for a wrong one."""
    view = view_of(snapshot, document)
    parts = parts_of(view)
    led = destination(view, given)
    place = led.element
    if place is None and led.span is not None:
        place = max(each for each in range(len(view)) if view.starts[each] <= led.span[0])
    number = part_at(parts, place or 0)
    if given.get("part"):
        number = whole("part", given["part"], 1, len(parts)) - 1
    return OpenedPlace(view, parts, led, place, number)


def reading(
    snapshot: Snapshot,
    asked: SearchRequest,
    opened: OpenedPlace,
    given: Mapping[str, str],
    *,
    is_pane: bool = False,
    notice: str = "",
) -> dict[str, Any]:
    """Return the values of a document's page, or of the pane beside the answers.

    notice: what a reader should know, of another place than the one that was asked for.
    """
    view, parts, led, place, number = opened.view, opened.parts, opened.led, opened.place, opened.number
    document, element, focus = view.document, led.element, led.span
    scores = document_operations.scores_in(view, asked)
    heats = heat(scores)
    part = parts[number]
    lasting = ""
    if element is not None and focus is None:
        lasting = f"{root_path()}/read?{urlencode(lasting_link(view, element, asked.index))}#focus"
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
    every = _passages(snapshot, asked, view)
    passages = every[:MOST_PASSAGES]
    span = focus or (None if element is None else (view.starts[element], view.stops[element]))
    shown = next((rank for rank, each in enumerate(passages) if each.span == span), None)
    body = text_html(view, part, marks)
    in_focus = place if element is None else element
    (fields,) = view.reader.fields.of_documents(np.array([view.number]))
    (names,) = given_names_first(view.reader, np.array([view.number]))
    return {
        "view": view,
        "is_pane": is_pane,
        "by": byline(fields, names),
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
        "has_more_passages": len(every) > len(passages),
        "shown_rank": shown,
        "part_number": number + 1,
        "n_parts": len(parts),
        "part_of": lambda each: part_at(parts, each) + 1,
        "part_link": lambda each: f"{here}&part={each}",
        "why_link": lambda each: f"{base}&place={each}",
        "why_here": f"{base}&place={place}" if place is not None and scores else "",
        "entry_link": entry_link,
        "whole_link": f"{of_page}&{_place_of(given)}#focus" if _place_of(given) else of_page,
        "lasting_link": lasting,
        "notice": notice or led.notice,
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
    where = " › ".join(each for each in trail if each != view.whole_title)
    address = f"{host}{root_path()}/read?{urlencode(link)}{'' if place is None else '#focus'}"
    return citation(fields, view.whole_title, where, address, source_of(view))


def _place_of(given: Mapping[str, str]) -> str:
    """Return the parameters of a place in a document."""
    return urlencode({name: given[name] for name in PLACE_PARAMETERS if given.get(name)})


@dataclass(frozen=True)
class Passage:
    """An answer in a document: its characters, and its place as parameters of an address."""

    span: tuple[int, int]
    place: str


def _passages(snapshot: Snapshot, asked: SearchRequest, view: DocumentView) -> list[Passage]:
    """Return the answers of a document, best first, up to one more than are stepped through.

    There are none where they depend on those of others, or nothing is asked.
    """
    if not asked.query.strip() or asked.image or "word_budget" in asked.given:
        return []
    asked = replace(asked, given={**asked.given, "documents": pattern_of(view.document)})
    try:
        answers = ask(snapshot, asked, asked.settings(), MOST_PASSAGES + 1)[: MOST_PASSAGES + 1]
    except ProblemError as problem:
        if problem.status == 503:
            raise
        return []
    return [
        Passage(
            (each.start, each.end), urlencode(place_parameters(each, checksum_of(view.text[each.start : each.end])))
        )
        for each in answers
    ]


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
