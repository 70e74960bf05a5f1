"""Errors of requests as problem details (RFC 9457), one value for pages and JSON; JSON as responses."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

import foxir
from engine.errors import FunctionError, QueryTimeError
from foxir.messages.service import sentence

logger = logging.getLogger("foxir.service")


class ProblemError(Exception):
    """A request that cannot be answered.

    status: of HTTP. detail: what was found, and what to do: text, or an error. kind: a word for programs.
    headers: of the response.
    """

    def __init__(
        self, status: int, detail: object, kind: str = "request", headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.status = status
        self.detail = sentence(detail)
        super().__init__(self.detail)
        self.kind = kind
        self.headers = headers

    @property
    def title(self) -> str:
        """The phrase of the status."""
        return HTTPStatus(self.status).phrase

    def to_dict(self) -> dict[str, Any]:
        """Return the members of `application/problem+json`."""
        return {
            "type": f"urn:foxir:problem:{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }


def problem_of(error: foxir.FoxirError) -> ProblemError:
    """Return the problem of a search whose query, settings or functions raise an error.

    Only the settings of the service name functions: where one failed is for its log.
    """
    if isinstance(error, FunctionError) or (error.notice is not None and error.notice.code == "encoder_fails"):
        logger.error("%s", error)
        return ProblemError(500, "a function of the service's settings has failed: see its log.", "function")
    match error:
        case QueryTimeError():
            return ProblemError(503, error, "limit")
        case foxir.ClusterError():
            return ProblemError(503, error, "cluster")
        case foxir.QueryError():
            return ProblemError(422, error, "query")
        case _:
            return ProblemError(422, error, "setting")


def problem_of_failure(error: Exception, address: str) -> ProblemError:
    """Return the problem of an error, and log what no request is to blame for, an unknown one with its trace."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, foxir.FoxirError):
        logger.warning("%s: %s", address, error)
        return ProblemError(500, error, "index")
    logger.error("%s: %s", address, error, exc_info=error)
    return ProblemError(500, "the service has failed; its log says where.", "failure")


def overloaded(detail: str) -> ProblemError:
    """Return the problem of a service that has too much to do."""
    return unavailable(detail, "overloaded")


def unavailable(detail: object, kind: str) -> ProblemError:
    """Return the problem of something that cannot be done now, but perhaps in a moment."""
    return ProblemError(503, detail, kind, (("Retry-After", "1"),))


def not_found(detail: object) -> ProblemError:
    """Return the problem of something that does not exist."""
    return ProblemError(404, detail, "not-found")


_encoder = msgspec.json.Encoder()


class JSONResponse(Response):
    """A response with a value as JSON; an infinite number, which JSON does not have, becomes null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return a value as JSON in UTF-8."""
        return _encoder.encode(content)
