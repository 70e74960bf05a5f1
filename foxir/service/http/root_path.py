"""The path below which a proxy shows the service: it is before every address of the pages, and may be before requests.

It is that of `foxir serve --root-path`, else what the proxy says in `X-Forwarded-Prefix`. A proxy may take it away from
the requests that it passes on, or leave it.
"""

from __future__ import annotations

from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foxir.service.options import is_prefix

HEADER = "x-forwarded-prefix"
_ROOT: ContextVar[str] = ContextVar("root_path", default="")


def root_path() -> str:
    """Return the path before the addresses of the request that is answered, "" for none."""
    return _ROOT.get()


class RootPath:
    """Takes the prefix away from requests, and puts it before redirections."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "").rstrip("/")
        prefix = self._prefix or (given if is_prefix(given) else "")
        if not prefix:
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path == prefix:
            await RedirectResponse(f"{prefix}/", 307)(scope, receive, send)
            return
        if path.startswith(f"{prefix}/"):
            scope = {**scope, "path": path.removeprefix(prefix), "raw_path": _without(scope.get("raw_path"), prefix)}

        async def send_prefixed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                where = headers.get("location", "")
                if where.startswith("/") and not where.startswith(("//", f"{prefix}/")):
                    headers["location"] = prefix + where
            await send(message)

        token = _ROOT.set(prefix)
        try:
            await self._app(scope, receive, send_prefixed)
        finally:
            _ROOT.reset(token)


def _without(raw: bytes | None, prefix: str) -> bytes | None:
    return None if raw is None else raw.removeprefix(prefix.encode("ascii"))
