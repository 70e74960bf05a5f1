"""Who judges: the name in the session of a request, and the token that shows that a form is of this session."""

from __future__ import annotations

from starlette.requests import Request

from foxir.service.http.authentication import MOST_NAME
from foxir.service.http.problems import ProblemError
from foxir.service.state import session_of, state_of


def assessor_of(request: Request) -> str:
    """Return the name of the assessor; raises ProblemError 403 before one is chosen."""
    name = session_of(request).name
    if not name:
        raise ProblemError(403, "choose a name first: POST /api/session, or the page /judge.", "name")
    return name


def chosen_name(request: Request, name: object) -> str:
    """Return a checked name of an assessor; raises ProblemError 422, and 404 where tokens determine the name."""
    if state_of(request).sessions.needs_token:
        raise ProblemError(404, "the name is that of the token.", "not-found")
    text = name.strip() if isinstance(name, str) else ""
    if not 0 < len(text) <= MOST_NAME or not text.isprintable():
        raise ProblemError(422, f"name: expected 1 to {MOST_NAME} printable characters.", "name")
    return text


def check_form_token(request: Request, form_token: str | None = None) -> None:
    """Raise ProblemError 403 unless the request has a token of its session, or came with a bearer token."""
    found = session_of(request)
    given = request.headers.get("x-form-token", "") if form_token is None else form_token
    if not found.by_token and not state_of(request).sessions.accepts(found, given):
        raise ProblemError(403, "the form token is missing or of another session: load the page again.", "form-token")
