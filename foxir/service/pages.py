"""The pages: search, read, why, status, sign-in; templates over the records that the JSON interface returns."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.explain.element_explanation import ElementExplanation
from engine.images.reader import EXTRA, can_read_images
from engine.settings.settings import default_settings
from foxir.service import document_operations
from foxir.service.document_images import (
    document_images,
    example_images,
    image_address,
    similar_address,
)
from foxir.service.document_view import DocumentView, place_of, view_of
from foxir.service.drawer_settings import CHOICES, DRAWER
from foxir.service.example_image import example_of, image_text, mosaic, read_example
from foxir.service.images import indexed_image
from foxir.service.indexes import Snapshot
from foxir.service.outline import heat, outline
from foxir.service.parameters import asked_of, only, parameters_of, required
from foxir.service.problems import ProblemError, not_found
from foxir.service.query_words import query_word_spans
from foxir.service.records import FoundAnswer, SearchResult
from foxir.service.rendering import page, templates
from foxir.service.requests import SETTINGS, SearchRequest, whole
from foxir.service.searching import run_search
from foxir.service.state import state_of, with_cookie
from foxir.service.static_files import static_file
from foxir.service.text_html import TextMarks, part_at, parts_of, text_html

SEARCH_PARAMETERS = frozenset({"blocks", "file"})
READ_PARAMETERS = frozenset({"document", "path", "start", "end", "part"})


async def search_page(request: Request) -> Response:
    """Show the search box and, for a query, its answers."""
    given = parameters_of(request)
    asked = asked_of(state_of(request), given, others=SEARCH_PARAMETERS)
    problem: ProblemError | None = None
    if file := given.get("file"):
        problem = ProblemError(
            422, f"{file[:100]} was not sent: choose it again, then press “Search with this image”.", "image"
        )
    return await _answers_page(request, asked, with_blocks=given.get("blocks") != "0", problem=problem)


async def search_with_image(request: Request) -> Response:
    """Take an image file and the rest of the search form, and lead to the page of their search."""
    state = state_of(request)
    only(parameters_of(request), ())
    with state.uploading():
        async with request.form(max_files=1, max_fields=len(SETTINGS) + 20) as form:
            given = {name: value for name, value in form.multi_items() if isinstance(value, str)}
            asked = asked_of(state, given, others=SEARCH_PARAMETERS)
            file = form.get("file")
            try:
                if not isinstance(file, UploadFile) or not file.filename:
                    raise ProblemError(
                        422, "no image was sent: choose a file, then press “Search with this image”.", "image"
                    )
                features = await state.run(read_example, file.file, file.size or 0)
            except ProblemError as problem:
                if problem.status == 503:
                    raise
                return await _answers_page(request, asked, problem=problem)
    return RedirectResponse(asked.address("/", image=image_text(features), offset=None), 303)


async def _answers_page(
    request: Request, asked: SearchRequest, *, with_blocks: bool = True, problem: ProblemError | None = None
) -> Response:
    state = state_of(request)
    snapshot = state.indexes.snapshot(asked.index)
    began = time.perf_counter()
    result: SearchResult | None = None
    if problem is None and not asked.is_empty:
        try:
            result = await state.run(run_search, snapshot, asked, with_facets=True, with_blocks=with_blocks)
        except ProblemError as error:
            if error.status == 503:
                raise
            problem = error
    if result is not None and result.total and result.offset >= result.total:
        last = (result.total - 1) // result.limit * result.limit
        return RedirectResponse(asked.address("/", offset=last or None), 303)
    settings = default_settings().to_dict()
    return page(
        request,
        "search.html",
        200 if problem is None else problem.status,
        query=asked.query,
        asked=asked,
        snapshot=snapshot,
        result=result,
        problem=problem,
        milliseconds=1000 * (time.perf_counter() - began),
        drawer=DRAWER,
        choices=CHOICES,
        defaults={**settings, "named": "none", "image_weight": default_settings().image_weight},
        with_blocks=with_blocks,
        has_examples=result is not None and any(answer.image_score is not None for answer in result.answers),
        can_read_images=can_read_images(),
        extra=EXTRA,
        mosaic=_mosaic(asked),
        read_link=lambda answer: _read_link(asked, answer),
        image_link=lambda answer: image_address(answer.document, answer.image or "", asked.index),
        similar_link=lambda answer: _similar_link(snapshot, asked, answer),
        json_link=asked.address("/api/search", counts=1),
    )


def _mosaic(asked: SearchRequest) -> str:
    """Return the example image in 256 blocks, "" for none or a wrong one."""
    try:
        return mosaic(example_of(asked.image).features) if asked.image else ""
    except ProblemError:
        return ""


def _similar_link(snapshot: Snapshot, asked: SearchRequest, answer: FoundAnswer) -> str:
    images = snapshot.reader.images
    document = snapshot.reader.number(answer.document)
    for number in images.named(answer.image or "").tolist():
        if images.documents[number] == document and images.key(number) == answer.image:
            return similar_address(snapshot, asked, number)
    return ""


def _read_link(asked: SearchRequest, answer: FoundAnswer) -> str:
    where = {"start": answer.start, "end": answer.end} if answer.sentences is not None else {}
    link = asked.address("/read", document=answer.document, path=answer.path, offset=None, limit=None, **where)
    return f"{link}#focus"


async def read_page(request: Request) -> Response:
    """Show a document with its outline and heat map."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given, others=READ_PARAMETERS)
    document = required(given, "document")
    snapshot = state.indexes.snapshot(asked.index)
    asked.settings()
    asked.images()
    values = await state.run(_reading, snapshot, asked, document, given)
    return page(request, "read.html", query=asked.query, asked=asked, snapshot=snapshot, **values)


def _reading(snapshot: Snapshot, asked: SearchRequest, document: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page of a document shows."""
    view = view_of(snapshot, document)
    parts = parts_of(view)
    element = place_of(view, given["path"]) if given.get("path") else None
    focus: tuple[int, int] | None = None
    if given.get("start") and given.get("end"):
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
    base = asked.address("/why", document=document, offset=None, limit=None)
    images = images_html(snapshot, view, asked)
    marks = TextMarks(
        spans=query_word_spans(view, part, asked.query, asked.settings().syntax) if asked.query.strip() else (),
        focus=focus,
        element=element if focus is None else None,
        heat=heats,
        scores=scores,
        images=images,
        link=lambda each: f"{base}&place={each}",
    )
    body = text_html(view, part, marks)
    return {
        "view": view,
        "entries": outline(view, scores, images),
        "images": images,
        "scores": scores,
        "heats": heats,
        "text": Markup(body),  # made of escaped text
        "part_number": number + 1,
        "n_parts": len(parts),
        "part_of": lambda each: part_at(parts, each) + 1,
        "part_link": lambda each: asked.address("/read", document=document, part=each, offset=None, limit=None),
        "why_link": lambda each: f"{base}&place={each}",
        "entry_link": lambda each: (
            f"#e{each}"
            if part_at(parts, each) == number
            else f"{asked.address('/read', document=document, part=part_at(parts, each) + 1)}#e{each}"
        ),
        "back": asked.address("/"),
        "has_focus": element is not None or focus is not None,
    }


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
    start = whole("start", given["start"], 0, length)
    return start, whole("end", given["end"], start, length)


async def why_page(request: Request) -> Response:
    """Show why an element scored what it did, or why it was not returned."""
    state, given = state_of(request), parameters_of(request)
    others = frozenset({"document", "path", "place"})
    asked = asked_of(state, given, others=others)
    document = required(given, "document")
    snapshot = state.indexes.snapshot(asked.index)
    asked.images()
    if asked.is_empty:
        raise ProblemError(422, "parameter 'q' is missing: why for which query?", "parameter")

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
            "compared": _compared(view, asked, why),
            "text_start": view.line(place, 280),
            "read": asked.address("/read", document=document, path=path, place=None) + "#focus",
            "json_link": asked.address("/api/explain", document=document, path=path),
            "why_path": lambda other: asked.address("/why", document=document, path=other),
        }

    values = await state.run(compute)
    return page(request, "why.html", query=asked.query, asked=asked, snapshot=snapshot, **values)


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


async def image_page(request: Request) -> Response:
    """Answer an image that a document of the index refers to, as it was indexed."""
    state, given = state_of(request), parameters_of(request)
    only(given, ("index", "document", "path"))
    snapshot = state.indexes.snapshot(given.get("index", ""))
    found = await state.run(indexed_image, snapshot, required(given, "document"), required(given, "path"))
    status, headers = (200, {"Cache-Control": "private, max-age=600"}) if found.is_shown else (404, {})
    return Response(found.data, status, headers, found.media_type)


async def status_page(request: Request) -> Response:
    """Show what the service has open."""
    state = state_of(request)
    return page(request, "status.html", status_of=await state.run(state.status))


async def sign_in_page(request: Request) -> Response:
    """Ask for a token."""
    only(parameters_of(request), ("next",))
    return page(request, "sign_in.html", wanted=_local(request.query_params.get("next", "/")), wrong=False)


async def sign_in(request: Request) -> Response:
    """Take a token, or on a service without tokens a name, and set the cookie of a session."""
    state = state_of(request)
    form = await request.form(max_files=0, max_fields=5)
    wanted, token = _local(str(form.get("next", "/"))), str(form.get("token", ""))
    if not state.sessions.needs_token:
        raise not_found("this service has no tokens, so there is no sign-in.")
    name = state.sessions.named(token)
    if name is None:
        return page(request, "sign_in.html", 403, wanted=wanted, wrong=True)
    return with_cookie(request, RedirectResponse(wanted, 303), state.sessions.cookie(name))


def _local(address: str) -> str:
    """Return an address of this service, "/" for any other."""
    is_local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_local and address.isprintable() and "\\" not in address else "/"


def routes() -> list[Route]:
    """Return the routes of the pages."""
    handlers: Mapping[str, Callable[[Request], Awaitable[Response]]] = {
        "/": search_page,
        "/read": read_page,
        "/why": why_page,
        "/status": status_page,
        "/sign-in": sign_in_page,
        "/image": image_page,
        "/static/{name}": static_file,
    }
    found = [Route(path, handler, methods=["GET"]) for path, handler in handlers.items()]
    posted = {"/sign-in": sign_in, "/example-image": search_with_image}
    return [*found, *(Route(path, handler, methods=["POST"]) for path, handler in posted.items())]
