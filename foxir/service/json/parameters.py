"""The parameters of an address, checked: each is known, given once, and has a legal value."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request

from engine.wording import did_you_mean
from foxir.service.http.problems import ProblemError
from foxir.service.json.requests import SearchRequest, search_request
from foxir.service.state import ServiceState

# No and yes.
FLAGS = ("0", "1")
# What a parameter is that must be given.
EXPECTED = {
    "topic": "the id of a topic, of those that /judge lists",
    "document": "the id of a document, as answers have it",
    "path": "the path of an element, as answers have it",
    "place": "the number of an element in its document",
    "start": "the number of the first character",
    "end": "the number after that of the last character",
    "first": "the name of an assessor",
    "second": "the name of an assessor",
}


def asked_of(state: ServiceState, given: Mapping[str, str], others: frozenset[str] = frozenset()) -> SearchRequest:
    """Return the search that an address asks for, within the limits of the service; raises ProblemError 413, 422."""
    options = state.options
    return search_request(
        given, max_query=options.max_query, max_seconds=options.max_seconds, base=options.settings, others=others
    )


def parameters_of(request: Request) -> dict[str, str]:
    """Return the parameters of the address; raises ProblemError 422 where one is given twice."""
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in given:
            raise ProblemError(422, f"parameter {name[:40]!r} is given twice.", "parameter")
        given[name] = value
    return given


def only(given: Mapping[str, str], known: tuple[str, ...]) -> None:
    """Raise ProblemError 422 for an unknown parameter; none may be known."""
    for name in given:
        if name not in known:
            expected = f"expected {', '.join(known)}" if known else "this address takes none"
            hint = did_you_mean(name[:40], known)
            raise ProblemError(422, f"unknown parameter {name[:40]!r}: {hint}{expected}.", "parameter")


def required(given: Mapping[str, str], name: str) -> str:
    """Return a parameter that must be given; raises ProblemError 422."""
    if not given.get(name):
        found = "is empty" if name in given else "is missing"
        raise ProblemError(422, f"parameter {name!r} {found}: expected {EXPECTED.get(name, 'a value')}.", "parameter")
    return given[name]


def flag(given: Mapping[str, str], name: str) -> bool:
    """Return whether a parameter is 1; raises ProblemError 422 for anything but 0 and 1."""
    value = given.get(name) or "0"
    if value not in FLAGS:
        raise ProblemError(422, f"{name} = {value[:40]!r}: expected 0 or 1.", "parameter")
    return value == "1"
