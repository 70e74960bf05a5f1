"""The description of the JSON interface (OpenAPI 3.1), made from the records and parameters of its operations."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from foxir.service.json.records import OF_PAGES


@dataclass(frozen=True)
class QueryParameter:
    """A parameter of an address."""

    name: str
    about: str
    schema: Mapping[str, Any]
    required: bool = False


DOCUMENT = QueryParameter("document", "Document id.", {"type": "string", "minLength": 1}, required=True)


@dataclass(frozen=True)
class Operation:
    """An operation of the JSON interface, as OpenAPI describes it.

    answer: the record that it returns. body: the record that it takes. media: other answers. needs_form_token: whether
    a browser must send the form token of its session.
    """

    method: str
    path: str
    name: str
    about: str
    parameters: Sequence[QueryParameter] = ()
    answer: Any = None
    body: type | None = None
    statuses: Sequence[int] = (422,)
    media: Sequence[str] = ()
    takes_file: bool = False
    needs_form_token: bool = False


REASONS = {
    304: "Nothing changed since the given ETag.",
    401: "A token is needed.",
    403: "The request comes from another origin, or lacks its form token.",
    404: "There is no such thing.",
    408: "The request was not sent in time.",
    409: "The judgements were changed meanwhile.",
    413: "The request is too large.",
    415: "The body is of another type.",
    421: "The host name is not one of the service.",
    422: "A parameter or the query is wrong.",
    501: "The service cannot read images: Pillow is not installed.",
    503: "The service has too much to do, or the answer took too long.",
}
ALWAYS = (401, 413, 421)
FORM_TOKEN: Mapping[str, Any] = {
    "name": "X-Form-Token",
    "in": "header",
    "description": "The form token of /api/session; not needed with a bearer token.",
    "required": False,
    "schema": {"type": "string"},
}


def description(operations: Sequence[Operation], version: str, *, needs_token: bool) -> dict[str, Any]:
    """Return the whole description."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation, schemas)
    schemas["Problem"] = {
        "type": "object",
        "description": "An error (RFC 9457).",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
        },
        "required": ["type", "title", "status", "detail"],
    }
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "foxir",
            "version": version,
            "description": "Focused retrieval from XML: search, read, explain, judge.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    if needs_token:
        found["security"] = [{"token": []}]
    return found


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {media: {"schema": {"type": "string"}} for media in operation.media}
    if operation.answer is not None:
        content["application/json"] = {"schema": schema_of(operation.answer, schemas)}
    responses: dict[str, Any] = {"200": {"description": "Done.", "content": content}}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in sorted({*operation.statuses, *ALWAYS}):
        responses[str(status)] = {"description": REASONS[status]}
        if status >= 400:
            responses[str(status)]["content"] = problem
    found: dict[str, Any] = {"operationId": operation.name, "summary": operation.about, "responses": responses}
    parameters = [
        {
            "name": each.name,
            "in": "query",
            "description": each.about,
            "required": each.required,
            "schema": dict(each.schema),
        }
        for each in operation.parameters
    ]
    if operation.needs_form_token:
        parameters.append(dict(FORM_TOKEN))
    if parameters:
        found["parameters"] = parameters
    if operation.body is not None:
        content = {"application/json": {"schema": schema_of(operation.body, schemas)}}
        found["requestBody"] = {"required": True, "content": content}
    if operation.takes_file:
        found["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": {}}}}
    return found


_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def schema_of(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a type; schemas of records are added to `schemas` and referred to."""
    if kind in _SIMPLE:
        return dict(_SIMPLE[kind])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(each, schemas) for each in arguments]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], schemas)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], schemas)}
    if not is_dataclass(kind) or not isinstance(kind, type):
        raise TypeError(f"{kind!r} has no JSON schema here")
    if kind.__name__ not in schemas:
        schemas[kind.__name__] = {}  # a record may contain itself
        hints = get_type_hints(kind)
        described = [each for each in fields(kind) if each.name not in OF_PAGES.get(kind, ())]
        schemas[kind.__name__] = {
            "type": "object",
            "description": (kind.__doc__ or "").partition("\n\n")[0].strip(),
            "properties": {each.name: schema_of(hints[each.name], schemas) for each in described},
            "required": [each.name for each in described if each.default is MISSING],
        }
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
