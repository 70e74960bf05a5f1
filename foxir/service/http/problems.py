"""Errors of requests as problem details (RFC 9457): one value for pages and JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from foxir.keyword_messages import ELEMENT

# Shows an element: the page, the address under /api and the tool of this name.
READ = "read, with document and path,"


class ProblemError(Exception):
    """A request that cannot be answered.

    status: of HTTP. detail: what was found, and what to do. kind: a word for programs. headers: of the response.
    """

    def __init__(
        self, status: int, detail: str, kind: str = "request", headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
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


def in_service(message: str) -> str:
    """Return a message about a query with what shows an element in the service."""
    return message.replace(ELEMENT, READ)


def wrong_query(error: Exception) -> ProblemError:
    """Return the problem of a query that cannot be read."""
    return ProblemError(422, in_service(str(error)), "query")


def overloaded(detail: str) -> ProblemError:
    """Return the problem of a service that has too much to do."""
    return unavailable(detail, "overloaded")


def unavailable(detail: str, kind: str) -> ProblemError:
    """Return the problem of something that cannot be done now, but perhaps in a moment."""
    return ProblemError(503, detail, kind, (("Retry-After", "1"),))


def not_found(detail: str) -> ProblemError:
    """Return the problem of something that does not exist."""
    return ProblemError(404, detail, "not-found")
