"""Pages from templates: their common values, their files, and problems as pages."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from engine.presentation.snippets import Snippet
from engine.system.files import package_data
from foxir.service.http.problems import ProblemError, not_found, problem_of_failure
from foxir.service.http.root_path import root_path
from foxir.service.json.records import FoundAnswer
from foxir.service.pages.document_images import overlay_rectangles
from foxir.service.searching import with_capital
from foxir.service.state import session_of, state_of

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC = {
    "foxir.css": "text/css; charset=utf-8",
    "reader.js": "text/javascript; charset=utf-8",
    "judge.js": "text/javascript; charset=utf-8",
    "search.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def static_address(name: str) -> str:
    """Return the address of a file of the pages, which changes with its content."""
    return f"{root_path()}/static/{name}?v={_static(name)[1]}"


@cache
def _static(name: str) -> tuple[bytes, str]:
    content = package_data(__name__, f"static/{name}")
    return content, hashlib.sha256(content).hexdigest()[:12]


async def static_file(request: Request) -> Response:
    """Answer a file of the pages; only the listed ones exist."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise not_found("there is no such page.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_static(name)[0], media_type=STATIC[name], headers=headers)


@cache
def templates() -> Environment:
    """Return the templates of all pages, with what they may call."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (programs need no pages)

    environment = Environment(
        loader=PackageLoader("foxir.service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["sentence"] = with_capital
    environment.globals["part_ends"] = PART_ENDS
    environment.globals["static"] = static_address
    environment.globals["marked"] = marked
    environment.globals["marked_cell"] = lambda cell: Markup(cell.html())  # escapes
    environment.globals["overlay_rectangles"] = overlay_rectangles
    return environment


def common_values(request: Request) -> dict[str, Any]:
    """Return the values that all templates may use."""
    state, session = state_of(request), session_of(request)
    return {
        "service": state,
        "session": session,
        "here": request.url.path,
        "form_token": state.sessions.form_token(session),
        "query": "",
        "root": root_path(),
        "host": f"{request.url.scheme}://{request.url.netloc}",
        "request_address": root_path() + request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    }


def page(
    request: Request, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """Return a page made from a template."""
    text = templates().get_template(template).render({**common_values(request), **values})
    return HTMLResponse(text, status, headers=dict(headers or {}))


# A mark in a template: the page up to here can be sent before the rest is made.
PART_ENDS = Markup("<!-- a part ends -->")


def parts_of_page(template: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a page made from a template, each when it is made."""
    part: list[str] = []
    for piece in templates().get_template(template).generate(values):
        if piece == PART_ENDS:
            yield "".join(part)
            part = []
        else:
            part.append(piece)
    yield "".join(part)


class PageInParts(HTMLResponse):
    """A page that is sent as it is made; where that fails after its beginning, the page says so.

    rest: the parts after the beginning, each with the status of the page. address: of the page.
    """

    def __init__(self, status: int, beginning: str, rest: AsyncGenerator[tuple[int, str]], address: str) -> None:
        super().__init__(beginning, status)
        self._rest, self._address = rest, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the page; to HTTP 1.0, which must know its length, in one part."""
        async with aclosing(self._texts(scope)) as texts:
            if scope["http_version"] == "1.0" and scope["method"] != "HEAD":
                self.body = b"".join([self.body, *[text.encode() async for text in texts]])
                self.headers["content-length"] = str(len(self.body))
                await super().__call__(scope, receive, send)
                return
            del self.headers["content-length"]
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": self.body, "more_body": True})
            if scope["method"] != "HEAD":
                async for text in texts:
                    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    async def _texts(self, scope: Scope) -> AsyncGenerator[str]:
        async with aclosing(self._rest) as rest:
            try:
                async for _, text in rest:
                    yield text
            except Exception as error:
                problem = problem_of_failure(error, scope["path"])
                yield templates().get_template("rest_missing.html").render(detail=problem.detail, address=self._address)


def is_for_people(request: Request) -> bool:
    """Return whether a page is asked for, and not data."""
    return "text/html" in request.headers.get("accept", "")


# What a status means to a person, whom its phrase in HTTP would tell little; of others the phrase.
MEANINGS = {
    403: "This is not allowed",
    404: "Not found",
    405: "This address cannot be used so",
    408: "The request took too long to arrive",
    413: "This is too much",
    422: "This cannot be done",
    500: "The service has failed",
    503: "No answer this time",
}


def problem_page(request: Request, problem: ProblemError) -> Response:
    """Return a problem as a page."""
    title = MEANINGS.get(problem.status, problem.title)
    index = request.query_params.get("index", "")
    return page(
        request,
        "problem.html",
        problem.status,
        dict(problem.headers),
        problem=problem,
        title=title,
        again=request.method == "GET",
        index=index if index in state_of(request).indexes.names else "",
    )


def marked(answer: FoundAnswer) -> Markup:
    """Return a snippet with its query words marked."""
    return Markup(Snippet(answer.snippet, tuple((start, end) for start, end in answer.marks)).html())  # escapes
