"""The application: routes, layers, start and end of a service; the pages of status and sign-in."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import cache
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

import foxir
from foxir.service.http.guard import Guard, problem_response
from foxir.service.http.problems import JSONResponse, ProblemError, not_found, problem_of_failure, unavailable
from foxir.service.http.root_path import RootPath
from foxir.service.json import api
from foxir.service.json.openapi import description
from foxir.service.json.requests import only, parameters_of, required
from foxir.service.judging import api as judging_api
from foxir.service.judging import pages as judging_pages
from foxir.service.judging.store import StoreError
from foxir.service.options import ServiceOptions
from foxir.service.pages.document_images import indexed_image
from foxir.service.pages.document_pages import read_page, why_page
from foxir.service.pages.rendering import is_for_people, page, problem_page, static_file
from foxir.service.pages.search_page import search_page, search_with_image
from foxir.service.state import ServiceState, state_of, with_cookie

logger = logging.getLogger("foxir.service")


class Compression(GZipMiddleware):
    """Gzip, also refused as `gzip;q=0`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        accepted = Headers(scope=scope).get("accept-encoding", "") if scope["type"] == "http" else ""
        is_refused = re.search(r"\bgzip\s*;\s*q=0(\.0*)?\s*(,|$)", accepted)
        await (self.app if is_refused else super().__call__)(scope, receive, send)


def make_app(options: ServiceOptions) -> Starlette:
    """Return the application over open indexes.

    Raises: ArgumentError, IndexFormatError and other FoxirErrors where it cannot start.
    """
    state = ServiceState(options)

    mcp_routes, mcp_session = _mcp(state) if options.with_mcp else ([], nullcontext)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(state.keep_current())
        try:
            async with mcp_session():
                yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            state.close()

    app = Starlette(
        routes=[
            Route("/openapi.json", _openapi, methods=["GET"]),
            *api.routes(),
            *judging_api.routes(),
            *page_routes(),
            *judging_pages.routes(),
            *mcp_routes,
        ],
        middleware=[
            Middleware(RootPath, prefix=options.root_path),
            Middleware(
                Guard,
                sessions=state.sessions,
                metrics=state.metrics,
                hosts=[*options.hosts, options.host],
                max_body=options.max_body,
                max_seconds=options.max_transfer_seconds,
                log_queries=options.log_queries,
            ),
            Middleware(Compression, minimum_size=1000, compresslevel=5),
        ],
        exception_handlers={
            ProblemError: _problem,
            HTTPException: _http_problem,
            foxir.FoxirError: _foxir_problem,
            StoreError: _store_problem,
            OSError: _file_problem,
            ClientDisconnect: _broken_off,
            Exception: _failure,
        },
        lifespan=life,
    )
    app.router.redirect_slashes = False  # it redirects to the scheme and host that a proxy calls
    app.state.service = state
    return app


def _mcp(state: ServiceState) -> tuple[list[BaseRoute], Callable[[], Any]]:
    from foxir.service.mcp_server import http_routes, make_mcp, session  # noqa: PLC0415  (an extra of its own)

    server = make_mcp(state)
    return http_routes(server), session(server)


async def _openapi(request: Request) -> Response:
    state = state_of(request)
    content = _described(state.version, judges=state.judges, needs_token=state.sessions.needs_token)
    return Response(content, media_type="application/json")


@cache
def _described(version: str, *, judges: bool, needs_token: bool) -> bytes:
    """Return the description as JSON, made once: that takes as long as several searches, and no queue limits it."""
    operations = [*api.operations(), *(judging_api.operations() if judges else [])]
    return bytes(JSONResponse(description(operations, version, needs_token=needs_token)).body)


async def _answered(request: Request, problem: ProblemError) -> Response:
    """Return a problem as a page to people, as JSON to programs."""
    path = request.url.path
    is_page = not path.startswith(("/api/", "/mcp", "/metrics", "/openapi", "/static/"))
    if is_page and is_for_people(request):
        return problem_page(request, problem)
    return problem_response(problem)


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return await _answered(request, error)


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = error.detail
    if error.status_code == 404 and (address := _without_slash(request)):
        return RedirectResponse(address, 307)
    if error.status_code == 404:
        detail = "there is no such page."
    elif error.status_code == 405:
        detail = f"{request.method} is not for this address: expected {(error.headers or {}).get('Allow', 'GET')}."
    return await _answered(
        request, ProblemError(error.status_code, detail, headers=tuple((error.headers or {}).items()))
    )


def _without_slash(request: Request) -> str:
    """Return the address without the slash at its end, relative to the one with it, if there is a page; else ""."""
    path = request.scope["path"]
    without = path.removesuffix("/")
    if without == path or without.endswith("/"):
        return ""
    scope = {**request.scope, "path": without}
    if all(route.matches(scope)[0] is Match.NONE for route in request.app.routes):
        return ""
    return f"../{quote(without.rpartition('/')[2])}{'?' if request.url.query else ''}{request.url.query}"


async def _foxir_problem(request: Request, error: Exception) -> Response:
    return await _answered(request, problem_of_failure(error, request.url.path))


async def _store_problem(request: Request, error: Exception) -> Response:
    logger.warning("%s: %s", request.url.path, error)
    return await _answered(request, unavailable(error, "storage"))


async def _file_problem(request: Request, error: Exception) -> Response:
    """Return the problem of a file that cannot be written or read now, as where the disk is full."""
    assert isinstance(error, OSError)
    logger.warning("%s: %s", request.url.path, error)
    reason = error.strerror or type(error).__name__
    return await _answered(request, unavailable(f"a file cannot be written or read now: {reason}.", "storage"))


async def _broken_off(request: Request, error: Exception) -> Response:
    """Return what nobody reads any more, for the log and the counts."""
    return problem_response(ProblemError(400, "the request was broken off.", "body"))


async def _failure(request: Request, error: Exception) -> Response:
    return await _answered(request, ProblemError(500, "the service has failed; its log says where.", "failure"))


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
    return page(request, "status.html", status_of=await state.run(state.status, state.work.n_active))


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


def page_routes() -> list[Route]:
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
