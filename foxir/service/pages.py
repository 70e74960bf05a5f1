"""The pages: search, read, why, status, sign-in; templates over the records that the JSON interface returns."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from engine.settings.settings import default_settings
from foxir.service import document_operations
from foxir.service.api import asked_of, only, parameters_of, required
from foxir.service.document_view import place_of, view_of
from foxir.service.images import indexed_image
from foxir.service.indexes import Snapshot
from foxir.service.outline import heat, outline
from foxir.service.problems import ProblemError, not_found
from foxir.service.query_words import query_word_spans
from foxir.service.records import FoundAnswer, SearchResult
from foxir.service.requests import SearchRequest, whole
from foxir.service.searching import run_search
from foxir.service.state import session_of, state_of, with_cookie
from foxir.service.text_html import TextMarks, part_at, parts_of, text_html

STATIC = {
    "foxir.css": "text/css; charset=utf-8",
    "judge.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
READ_PARAMETERS = frozenset({"document", "path", "start", "end", "part"})
# Settings in the drawer, with the words beside them; the others can be given in the address.
DRAWER: Mapping[str, str] = {
    "max_sentences": "Sentences of a passage, at most",
    "min_words": "Words of an element, at least",
    "max_words": "Words of an element, at most",
    "max_per_article": "Answers from one document, at most",
    "overlap": "Answers inside one another",
    "reading": "How strictly structure is read",
    "operator": "Words in one element",
    "similarity": "Similarity of documents",
    "named": "A run of the thesis",
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "overlap": ("remove", "keep"),
    "reading": ("auto", "SS", "SV", "VS", "VV"),
    "operator": ("or", "and"),
}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("foxir.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.globals["static"] = static_address
    environment.globals["marked"] = marked
    return environment


def page(
    request: Request, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """Return a page made from a template."""
    state, session = state_of(request), session_of(request)
    common = {
        "service": state,
        "session": session,
        "here": request.url.path,
        "form_token": state.sessions.form_token(session),
        "query": values.pop("query", ""),
        "request_address": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    }
    text = _environment().get_template(template).render({**common, **values})
    return HTMLResponse(text, status, headers=dict(headers or {}))


def problem_page(request: Request, problem: ProblemError) -> Response:
    """Return a problem as a page."""
    return page(request, "problem.html", problem.status, dict(problem.headers), problem=problem)


def marked(answer: FoundAnswer) -> Markup:
    """Return a snippet with its query words marked."""
    parts: list[str | Markup] = []
    last = 0
    for start, end in answer.marks:
        parts += [answer.snippet[last:start], Markup("<mark>{}</mark>").format(answer.snippet[start:end])]
        last = end
    return Markup("").join([*parts, answer.snippet[last:]])


async def search_page(request: Request) -> Response:
    """Show the search box and, for a query, its answers."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given)
    snapshot = state.indexes.snapshot(asked.index)
    began = time.perf_counter()
    result: SearchResult | None = None
    problem: ProblemError | None = None
    if asked.query.strip():
        try:
            result = await state.run(run_search, snapshot, asked, with_facets=True)
        except ProblemError as error:
            if error.status == 503:
                raise
            problem = error
    settings = default_settings().to_dict()
    return page(
        request,
        "search.html",
        200 if problem is None else 422,
        query=asked.query,
        asked=asked,
        snapshot=snapshot,
        result=result,
        problem=problem,
        milliseconds=1000 * (time.perf_counter() - began),
        drawer=DRAWER,
        choices=CHOICES,
        defaults={**settings, "named": "none"},
        read_link=lambda answer: _read_link(asked, answer),
        image_link=lambda answer: _image_link(asked, answer),
        similar_link=lambda answer: asked.address("/", q=f"src:{answer.image}", offset=None, syntax=None),
        json_link=asked.address("/api/search", counts=1),
    )


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
    marks = TextMarks(
        spans=query_word_spans(view, part, asked.query, asked.settings().syntax) if asked.query.strip() else (),
        focus=focus,
        element=element if focus is None else None,
        heat=heats,
        scores=scores,
        link=lambda each: f"{base}&place={each}",
    )
    body = text_html(view, part, marks)
    return {
        "view": view,
        "entries": outline(view, scores),
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
    if not asked.query.strip():
        raise ProblemError(422, "parameter 'q' is missing: why for which query?", "parameter")

    def compute() -> dict[str, Any]:
        view = view_of(snapshot, document)
        if given.get("path"):
            place = place_of(view, given["path"])
        else:
            place = whole("place", required(given, "place"), 0, len(view) - 1)
        path = view.path(place)
        return {
            "view": view,
            "place": place,
            "path": path,
            "why": document_operations.explain(snapshot, document, path, asked),
            "text_start": view.line(place, 280),
            "read": asked.address("/read", document=document, path=path, place=None) + "#focus",
            "json_link": asked.address("/api/explain", document=document, path=path),
            "why_path": lambda other: asked.address("/why", document=document, path=other),
        }

    values = await state.run(compute)
    return page(request, "why.html", query=asked.query, asked=asked, snapshot=snapshot, **values)


async def image_page(request: Request) -> Response:
    """Answer an image that a document of the index refers to, as it was indexed."""
    state, given = state_of(request), parameters_of(request)
    only(given, ("index", "document", "path"))
    snapshot = state.indexes.snapshot(given.get("index", ""))
    found = await state.run(indexed_image, snapshot, required(given, "document"), required(given, "path"))
    return Response(found.data, media_type=found.media_type, headers={"Cache-Control": "private, max-age=600"})


def _image_link(asked: SearchRequest, answer: FoundAnswer) -> str:
    given = {"document": answer.document, "path": answer.image or ""}
    return f"/image?{urlencode({**given, **({'index': asked.index} if asked.index else {})})}"


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
        raise not_found("this service has no tokens: nobody signs in.")
    name = state.sessions.named(token)
    if name is None:
        return page(request, "sign_in.html", 403, wanted=wanted, wrong=True)
    return with_cookie(request, RedirectResponse(wanted, 303), state.sessions.cookie(name))


def _local(address: str) -> str:
    """Return an address of this service, "/" for any other."""
    is_local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_local and address.isprintable() and "\\" not in address else "/"


def static_address(name: str) -> str:
    """Return the address of a file of the pages, which changes with its content."""
    return f"/static/{name}?v={_static(name)[1]}"


@cache
def _static(name: str) -> tuple[bytes, str]:
    content = (files("foxir.service") / "static" / name).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]


async def static_file(request: Request) -> Response:
    """Answer a file of the pages; only the listed ones exist."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise not_found("there is no such page.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_static(name)[0], media_type=STATIC[name], headers=headers)


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
    return [*found, Route("/sign-in", sign_in, methods=["POST"])]
