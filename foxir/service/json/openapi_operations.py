"""The operations of the JSON interface and their parameters, from which OpenAPI is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.settings.rows import ROWS, Setting
from engine.settings.settings import default_settings
from foxir.service.json.openapi import DOCUMENT, Operation, QueryParameter
from foxir.service.json.parameters import FLAGS
from foxir.service.json.records import DocumentOutline, ExampleImageText, ReadText, SearchResult, ServiceStatus
from foxir.service.json.requests import FACETS, KEYWORDS, LAST_RANK, MOST_ANSWERS, SETTINGS

# Largest offset of a character that a request may ask for; no document is as long.
LARGEST_OFFSET = 10**12
OFFSET: Mapping[str, Any] = {"type": "integer", "minimum": 0, "maximum": LARGEST_OFFSET}
TEXT: Mapping[str, Any] = {"type": "string"}
INDEX = QueryParameter("index", "Name of an index; the first one by default.", TEXT)
YES_OR_NO: Mapping[str, Any] = {"type": "string", "enum": list(FLAGS)}


def setting_parameters(rows: Sequence[Setting] = ROWS) -> list[QueryParameter]:
    """Return the settings of a search as parameters, by name, with their defaults."""
    about = {row.name: f"{row.described(str)} Default: {row.default}." for row in rows}
    about["syntax"] = about["syntax"].replace(f"Default: {default_settings().syntax}", f"Default: {KEYWORDS}")
    return [
        QueryParameter(name, about.get(name, "Setting of the search."), TEXT)
        for name in sorted(SETTINGS | about.keys())
    ]


def query_parameters() -> list[QueryParameter]:
    """Return the parameters of a query."""
    schema = {"type": "string", "maxLength": 10_000}
    return [
        QueryParameter("q", "The query.", schema),
        QueryParameter("image", "An example image, as /api/example-image returns it.", TEXT),
        INDEX,
    ]


def operations() -> list[Operation]:
    """Return the operations of the interface."""
    settings = setting_parameters()
    page = [
        QueryParameter("offset", "Answers skipped.", {"type": "integer", "minimum": 0, "maximum": LAST_RANK}),
        QueryParameter("limit", "Answers returned.", {"type": "integer", "minimum": 1, "maximum": MOST_ANSWERS}),
    ]
    narrowing = [QueryParameter(name, f"Only answers of this {name}.", TEXT) for name in FACETS]
    return [
        Operation(
            "get",
            "/api/search",
            "search",
            "Answer a query with elements or passages, best first.",
            [
                *query_parameters(),
                *page,
                *narrowing,
                QueryParameter("counts", "1: rank all answers, and count them by kind, tag and folder.", YES_OR_NO),
                QueryParameter("text", "1: with the text of each answer.", YES_OR_NO),
                QueryParameter(
                    "readable",
                    "1: with texts in lines, white space collapsed, a row of a table in one line.",
                    YES_OR_NO,
                ),
                QueryParameter("blocks", "1: with the blocks in which images match the example.", YES_OR_NO),
                *settings,
            ],
            SearchResult,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/read",
            "read",
            "Return the text of a document, of an element, or of characters.",
            [
                DOCUMENT,
                INDEX,
                QueryParameter("path", "Path of an element.", TEXT),
                QueryParameter("start", "First character.", OFFSET),
                QueryParameter("end", "One past the last.", OFFSET),
                QueryParameter(
                    "readable", "1: in lines, white space collapsed, a row of a table in one line.", YES_OR_NO
                ),
            ],
            ReadText,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/outline",
            "outline",
            "Return the titled elements of a document, with their scores for a query.",
            [DOCUMENT, *query_parameters(), *page, *narrowing, *settings],
            DocumentOutline,
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "get",
            "/api/explain",
            "explain",
            "Return why an element is an answer to a query, or why not.",
            [
                DOCUMENT,
                QueryParameter("path", "Path of an element.", {"type": "string", "minLength": 1}, required=True),
                *query_parameters(),
                *page,
                *narrowing,
                *settings,
            ],
            dict[str, Any],
            statuses=(304, 404, 422, 503),
        ),
        Operation(
            "post",
            "/api/example-image",
            "example_image",
            "Read an image file: return it as text that a search takes as an example.",
            (),
            ExampleImageText,
            statuses=(403, 408, 422, 501, 503),
            takes_file=True,
        ),
        Operation("get", "/api/status", "status", "Return what is open.", (), ServiceStatus, statuses=(503,)),
    ]
