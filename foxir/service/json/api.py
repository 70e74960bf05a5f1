"""The JSON interface: a function for each operation, and the operations, from which OpenAPI is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from engine.settings.catalogue import ROWS, Setting
from engine.settings.settings import default_settings
from foxir.searching.search_settings import REPEATED
from foxir.service.example_image import image_text, read_example
from foxir.service.http.problems import JSONResponse, ProblemError
from foxir.service.json import document_operations
from foxir.service.json.openapi import DOCUMENT, Operation, QueryParameter
from foxir.service.json.records import (
    DocumentOutline,
    ExampleImageText,
    ReadText,
    SearchResult,
    ServiceStatus,
    Suggestions,
    to_dict,
)
from foxir.service.json.requests import (
    FACETS,
    FLAGS,
    GROUPS,
    KEYWORDS,
    LAST_RANK,
    MOST_ANSWERS,
    SETTINGS,
    SearchRequest,
    asked_of,
    check_query,
    flag,
    only,
    parameters_of,
    required,
    whole,
)
from foxir.service.searching import run_search
from foxir.service.state import ServiceState, state_of

# Largest offset of a character that a request may ask for; no document is as long.
LARGEST_OFFSET = 10**12
OFFSET: Mapping[str, Any] = {"type": "integer", "minimum": 0, "maximum": LARGEST_OFFSET}
LONGEST_TYPED = 200
TYPED: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": LONGEST_TYPED}
TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
INDEX = QueryParameter(
    "index", "Name of an index; all as one by default, or the first, where that is not possible.", TEXT
)
GROUPED: Mapping[str, Any] = {"type": "string", "enum": list(GROUPS)}
YES_OR_NO: Mapping[str, Any] = {"type": "string", "enum": list(FLAGS)}


def setting_parameters(rows: Sequence[Setting] = ROWS) -> list[QueryParameter]:
    """Return the settings of a search as parameters, by name, with their defaults."""
    about = {row.name: f"{row.described(str)} Default: {row.default}." for row in rows}
    about["syntax"] = about["syntax"].replace(f"Default: {default_settings().syntax}", f"Default: {KEYWORDS}")
    return [
        QueryParameter(name, about.get(name, "Setting of the search."), TEXTS if name in REPEATED else TEXT)
        for name in sorted(SETTINGS | about.keys())
    ]


def query_parameters() -> list[QueryParameter]:
    """Return the parameters of a query."""
    schema = {"type": "string", "maxLength": 10_000}
    return [
        QueryParameter("q", "The query.", schema),
        QueryParameter("image", "An example image, as /api/example-image returns it.", TEXT),
        INDEX,
    ]


def operations() -> list[Operation]:
    """Return the operations of the interface."""
    settings = setting_parameters()
    page = [
        QueryParameter("offset", "Answers skipped.", {"type": "integer", "minimum": 0, "maximum": LAST_RANK}),
        QueryParameter("limit", "Answers returned.", {"type": "integer", "minimum": 1, "maximum": MOST_ANSWERS}),
    ]
    narrowing = [
        QueryParameter(name, f"Only answers of this {name}; given several times, of one of these.", TEXTS)
        for name in FACETS
    ]
    return [
        Operation(
            "get",
            "/api/search",
            "search",
            "Answer a query with elements or passages, best first.",
            [
                *query_parameters(),
                *page,
                *narrowing,
                QueryParameter("counts", "1: rank all answers, and count them by kind, tag and folder.", YES_OR_NO),
                QueryParameter("group", "document: answers by document; offset and limit count documents.", GROUPED),
                QueryParameter("text", "1: with the text of each answer, exact and readable.", YES_OR_NO),
                QueryParameter("blocks", "1: with the blocks in which images match the example.", YES_OR_NO),
                *settings,
            ],
            SearchResult,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/read",
            "read",
            "Return the text of a document, of an element, or of characters.",
            [
                DOCUMENT,
                INDEX,
                QueryParameter("path", "Path of an element.", TEXT),
                QueryParameter("start", "First character.", OFFSET),
                QueryParameter("end", "One past the last.", OFFSET),
                QueryParameter(
                    "readable", "1: in lines, white space collapsed, a row of a table in one line.", YES_OR_NO
                ),
            ],
            ReadText,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/outline",
            "outline",
            "Return the titled elements of a document, with their scores for a query.",
            [DOCUMENT, *query_parameters(), *page, *narrowing, *settings],
            DocumentOutline,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/explain",
            "explain",
            "Return why an element is an answer to a query, or why not.",
            [
                DOCUMENT,
                QueryParameter("path", "Path of an element.", {"type": "string", "minLength": 1}, required=True),
                *query_parameters(),
                *page,
                *narrowing,
                *settings,
            ],
            dict[str, Any],
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "post",
            "/api/example-image",
            "example_image",
            "Read an image file: return it as text that a search takes as an example.",
            (),
            ExampleImageText,
            statuses=(403, 408, 422, 501, 503),
            takes_file=True,
        ),
        Operation(
            "get",
            "/api/suggest",
            "suggest",
            "Return what a query that is being typed may become.",
            [QueryParameter("q", "What is typed.", TYPED, required=True), INDEX],
            Suggestions,
            statuses=(304, 404, 422, 503),
        ),
        Operation("get", "/api/status", "status", "Return what is open.", (), ServiceStatus, statuses=(503,)),
    ]


Handler = Callable[[Request], Awaitable[Response]]

# Parts of a search's answer -> the parameters that ask for them.
PARTS: Mapping[str, str] = {"facets": "counts", "text": "text", "blocks": "blocks"}


async def search(request: Request) -> Response:
    """Answer `/api/search`."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given, others=frozenset({"counts", "text", "blocks"}))
    snapshot = state.indexes.snapshot(asked.index)
    asked.images()
    parts: dict[str, Any] = {f"with_{part}": flag(given, name) for part, name in PARTS.items()}
    return await cached(request, snapshot.tag, lambda: state.run(_search, state, asked, parts))


def _search(state: ServiceState, asked: SearchRequest, parts: Mapping[str, Any]) -> Any:
    return to_dict(run_search(state.indexes.snapshot(asked.index), asked, **parts))


async def example_image(request: Request) -> Response:
    """Answer `/api/example-image`: the body is an image file."""
    state = state_of(request)
    only(parameters_of(request), ())
    with state.uploading():
        data = await request.body()
        features = await state.run(read_example, BytesIO(data), len(data))
    return JSONResponse(to_dict(ExampleImageText(image_text(features))))


async def read(request: Request) -> Response:
    """Answer `/api/read`."""
    state, given = state_of(request), parameters_of(request)
    only(given, ("index", "document", "path", "start", "end", "readable"))
    snapshot = state.indexes.snapshot(given.get("index", ""))
    document, path = required(given, "document"), given.get("path") or None
    start = whole("start", given.get("start") or "0", 0, LARGEST_OFFSET)
    end = whole("end", given["end"], 0, LARGEST_OFFSET) if given.get("end") else None
    readable = flag(given, "readable")
    return await cached(
        request,
        snapshot.tag,
        lambda: state.run(
            lambda: to_dict(document_operations.read_text(snapshot, document, path, start, end, readable=readable))
        ),
    )


async def outline(request: Request) -> Response:
    """Answer `/api/outline`."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given, others=frozenset({"document"}))
    snapshot, document = state.indexes.snapshot(asked.index), required(given, "document")
    asked.settings()
    asked.images()
    return await cached(
        request,
        snapshot.tag,
        lambda: state.run(lambda: to_dict(document_operations.document_outline(snapshot, document, asked))),
    )


async def explain(request: Request) -> Response:
    """Answer `/api/explain`."""
    state, given = state_of(request), parameters_of(request)
    asked = asked_of(state, given, others=frozenset({"document", "path"}))
    snapshot = state.indexes.snapshot(asked.index)
    document, path = required(given, "document"), required(given, "path")
    asked.images()
    if asked.is_empty:
        raise ProblemError(422, "parameter 'q' is missing: why for which query?", "parameter")
    return await cached(
        request,
        snapshot.tag,
        lambda: state.run(lambda: to_dict(document_operations.explain(snapshot, document, path, asked).to_dict())),
    )


async def suggest(request: Request) -> Response:
    """Answer `/api/suggest`."""
    state, given = state_of(request), parameters_of(request)
    only(given, ("index", "q"))
    snapshot, text = state.indexes.snapshot(given.get("index", "")), required(given, "q")
    check_query(text, LONGEST_TYPED)
    return await cached(
        request, snapshot.tag, lambda: state.run(lambda: to_dict(document_operations.suggestions(snapshot, text)))
    )


async def status(request: Request) -> Response:
    """Answer `/api/status`."""
    state = state_of(request)
    return JSONResponse(to_dict(await state.run(state.status, state.work.n_active)))


async def health(request: Request) -> Response:
    """Answer `/healthz`: the process answers."""
    return PlainTextResponse("ok\n")


async def ready(request: Request) -> Response:
    """Answer `/readyz`: the service takes requests; 503 while it stops."""
    if state_of(request).is_stopping:
        return PlainTextResponse("stopping\n", 503)
    return PlainTextResponse("ready\n")


async def metrics(request: Request) -> Response:
    """Answer `/metrics`."""
    state = state_of(request)
    work = state.work
    values = {
        "foxir_searches_running": ("gauge", "Requests that compute or wait for their turn.", float(work.n_active)),
        "foxir_searches_refused_total": ("counter", "Requests refused under load.", float(work.n_refused)),
        "foxir_searches_late_total": ("counter", "Requests that took too long.", float(work.n_late)),
    }
    for name in state.indexes.names:
        found = state.indexes.snapshot(name)
        values[f'foxir_index_generation{{index="{_label(name)}"}}'] = (
            "gauge",
            "Generation of an open index.",
            float(found.generation.number),
        )
    return PlainTextResponse(state.metrics.text(values), media_type="text/plain; version=0.0.4; charset=utf-8")


def _label(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


async def cached(request: Request, tag: str, compute: Callable[[], Awaitable[Any]]) -> Response:
    """Return the result of `compute` as JSON with an ETag; 304 without computing it if the client's ETag matches.

    tag: of the generation; the ETag stands for the served settings, too. What a cluster answers without some shards may
    be another answer a moment later, so it has none.
    """
    state = state_of(request)
    headers = {"Cache-Control": "private, no-cache", "Vary": "Accept-Encoding, Cookie, Authorization"}
    if state.options.partial:
        return JSONResponse(await compute(), headers=headers)
    etag = f'W/"{tag}-{state.version}-{state.settings_tag[:16]}"'
    headers["ETag"] = etag
    wanted = {each.strip() for each in request.headers.get("if-none-match", "").split(",")}
    if etag in wanted or "*" in wanted:
        return Response(status_code=304, headers=headers)
    return JSONResponse(await compute(), headers=headers)


def routes() -> list[Route]:
    """Return the routes of the interface."""
    handlers: Mapping[str, Handler] = {
        "/api/search": search,
        "/api/read": read,
        "/api/outline": outline,
        "/api/explain": explain,
        "/api/suggest": suggest,
        "/api/status": status,
        "/healthz": health,
        "/readyz": ready,
        "/metrics": metrics,
    }
    found = [Route(path, handler, methods=["GET"]) for path, handler in handlers.items()]
    return [*found, Route("/api/example-image", example_image, methods=["POST"])]
