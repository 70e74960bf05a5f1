"""JSON as responses: encoded by msgspec, which takes a tenth of the time of the standard library."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

_encoder = msgspec.json.Encoder()


class JSONResponse(Response):
    """A response with a value as JSON; an infinite number, which JSON does not have, becomes null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return a value as JSON in UTF-8."""
        return _encoder.encode(content)
