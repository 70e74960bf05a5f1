"""The files that the pages load: styles, scripts and the icon; browsers keep them until their content changes."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from foxir.service.http.problems import not_found

STATIC = {
    "foxir.css": "text/css; charset=utf-8",
    "judge.js": "text/javascript; charset=utf-8",
    "search.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def static_address(name: str) -> str:
    """Return the address of a file of the pages, which changes with its content."""
    return f"/static/{name}?v={_static(name)[1]}"


@cache
def _static(name: str) -> tuple[bytes, str]:
    content = (files("foxir.service.pages") / "static" / name).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]


async def static_file(request: Request) -> Response:
    """Answer a file of the pages; only the listed ones exist."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise not_found("there is no such page.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_static(name)[0], media_type=STATIC[name], headers=headers)
