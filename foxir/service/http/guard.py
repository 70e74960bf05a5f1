"""Guard of every request: host, size, time, origin, authentication; and the headers of every response."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import time
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foxir.service.http.authentication import COOKIE, Session, Sessions
from foxir.service.http.metrics import Metrics
from foxir.service.http.problems import JSONResponse, ProblemError

logger = logging.getLogger("foxir.service.json.requests")

NOT_IN_HOSTS = frozenset("/?#@\\")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# Pages that show neither documents nor judgements.
OPEN_PAGES = ("/healthz", "/readyz", "/sign-in")
# Files of judgements and images may be larger than other requests: 32 MiB, and the form around them.
FILES = ("/api/judgements/import", "/judge/import", "/api/example-image", "/example-image")
MOST_BYTES = 33 << 20
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
ENCODED = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """The outermost layer of the service: refuses what must not come in, and measures the rest."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        sessions: Sessions,
        metrics: Metrics,
        hosts: Iterable[str],
        max_body: int,
        max_seconds: float,
        log_queries: bool,
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._metrics = metrics
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
        self._max_body = max_body
        self._max_seconds = max_seconds
        self._log_queries = log_queries

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                message["headers"] = given + [header for header in ENCODED if header[0] not in names]
            await send(message)

        try:
            refused = self._refusal(scope)
            if refused is not None:
                await refused(scope, receive, send_guarded)
            else:
                await self._app(scope, self._bounded(scope, receive), send_guarded)
        finally:
            seconds = time.perf_counter() - began
            self._metrics.count(scope["path"], status, seconds)
            query = f"?{scope['query_string'].decode('ascii', 'replace')}" if self._log_queries else ""
            path = quote(scope["path"], safe="/") + query
            logger.info("%s %s %d %.1f ms", scope["method"], path, status, seconds * 1000)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response to a request that does not come in, else None; the session is set in the scope."""
        headers = Headers(scope=scope)
        try:
            check_host(headers.getlist("host"), self._hosts)
            declared, most = headers.get("content-length", "0"), self._most(scope)
            if not declared.isdigit() or int(declared) > most:
                raise ProblemError(413, f"a request has at most {most:,} bytes.", "size")
            session = self._session(headers)
            scope["foxir.session"] = session
            if session is None and not scope["path"].startswith("/static/") and scope["path"] not in OPEN_PAGES:
                return self._sign_in(scope)
            if scope["method"] not in SAFE_METHODS:
                check_origin(headers, scope)
        except ProblemError as problem:
            return problem_response(problem)
        return None

    def _session(self, headers: Headers) -> Session | None:
        """Return who asks: None without a token where one is needed."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if self._sessions.needs_token and kind.lower() == "bearer":
            name = self._sessions.named(token.strip())
            return None if name is None else Session(name, by_token=True)
        # other programs at this host, at whatever port, set cookies for it, too, in any form
        cookie = headers.get("cookie", "")
        session = self._sessions.read(cookie_parser(cookie).get(COOKIE, "")) if COOKIE in cookie else None
        if session is None and not self._sessions.needs_token:
            return Session("")
        return session

    def _sign_in(self, scope: Scope) -> Response:
        is_page = scope["method"] == "GET" and not scope["path"].startswith(("/api/", "/mcp", "/metrics", "/openapi"))
        if is_page:
            query = scope["query_string"].decode("ascii", "replace")
            wanted = scope["path"] + (f"?{query}" if query else "")
            return RedirectResponse(f"/sign-in?next={quote(wanted, safe='')}", 303)
        headers = (("WWW-Authenticate", 'Bearer realm="foxir"'),)
        found = "this token is not known" if Headers(scope=scope).get("authorization") else "a token is needed"
        return problem_response(ProblemError(401, f"{found}: Authorization: Bearer TOKEN.", "token", headers))

    def _most(self, scope: Scope) -> int:
        """Return the most bytes of a request."""
        return max(self._max_body, MOST_BYTES) if scope["path"] in FILES else self._max_body

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Return `receive` with the limits of a request's size and of the time to send it."""
        read = 0
        most = self._most(scope)
        is_complete = False
        deadline = time.monotonic() + self._max_seconds

        async def bounded() -> Message:
            nonlocal read, is_complete
            if is_complete:  # what is left to come is the end of the connection
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise ProblemError(408, "the request was not sent in time.", "time") from None
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if read > most:
                    raise ProblemError(413, f"a request has at most {most:,} bytes.", "size")
            return message

        return bounded


# The value of a Host header, whole: what follows a bracket is no part of an address.
HOST_AND_PORT = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{0,5})?")


def check_host(given: list[str], hosts: set[str]) -> None:
    """Raise ProblemError 421 for a Host that is not one of the service's names, against DNS rebinding.

    IP addresses pass: nobody else can make one lead here.
    """
    found = HOST_AND_PORT.fullmatch(given[0]) if len(given) == 1 and not NOT_IN_HOSTS & set(given[0]) else None
    if found is not None:
        host = found["address"] or found["name"]
        if host.lower() in hosts:
            return
        try:
            ipaddress.ip_address(host)
        except ValueError:
            pass
        else:
            return
    raise ProblemError(
        421, "this service is not known by the host name of the request: start it with --allow-host NAME.", "host"
    )


def check_origin(headers: Headers, scope: Scope) -> None:
    """Raise ProblemError 403 for a request that a page of another origin made a browser send."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    try:
        is_own = origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        is_own = False
    if site not in (None, "same-origin", "none") or not is_own:
        raise ProblemError(403, "the request comes from a page of another origin.", "origin")


def problem_response(problem: ProblemError) -> Response:
    """Return a problem as `application/problem+json`."""
    return JSONResponse(
        problem.to_dict(), problem.status, headers=dict(problem.headers), media_type="application/problem+json"
    )
