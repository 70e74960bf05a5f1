"""The pages and their addresses: status and sign-in here, others in `search_page` and `document_pages`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from foxir.service.http.problems import not_found
from foxir.service.json.requests import only, parameters_of, required
from foxir.service.pages.document_images import indexed_image
from foxir.service.pages.document_pages import read_page, why_page
from foxir.service.pages.rendering import page, static_file
from foxir.service.pages.search_page import search_page, search_with_image
from foxir.service.state import state_of, with_cookie


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
