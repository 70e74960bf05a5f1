"""The JSON interface of judging: a function for each operation, and the operations, from which OpenAPI is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foxir.service.http.authentication import MOST_NAME, Session
from foxir.service.http.problems import JSONResponse, ProblemError, not_found
from foxir.service.json.openapi import DOCUMENT, Operation, QueryParameter
from foxir.service.json.records import to_dict
from foxir.service.json.requests import one_of, only, parameters_of, required
from foxir.service.judging import evaluation
from foxir.service.judging.desk import Seen, text_in
from foxir.service.judging.judged import Assignment, has_surrogates
from foxir.service.judging.judgement_files import FORMATS, as_json, exported, imported
from foxir.service.judging.records import (
    Imported,
    JudgedDocument,
    JudgingAction,
    SessionName,
    SessionState,
    TopicToJudge,
    judged_document,
)
from foxir.service.state import desk_of, session_of, state_of, with_cookie


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


ASSESSOR = QueryParameter("assessor", "Whose judgements; one's own by default.", {"type": "string"})
TOPIC = QueryParameter("topic", "Topic id.", {"type": "string", "minLength": 1}, required=True)


def operations() -> list[Operation]:
    """Return the operations of judging."""
    found, changes = (403, 404, 422, 503), (403, 404, 408, 409, 415, 422, 503)
    form = QueryParameter("format", "json by default.", {"type": "string", "enum": list(FORMATS)})
    people = [
        QueryParameter(name, "Name of an assessor.", {"type": "string", "minLength": 1}, required=True)
        for name in ("first", "second")
    ]
    measures = QueryParameter("measures", "A measure or a family of measures; hixeval by default.", {"type": "string"})
    return [
        Operation("get", "/api/session", "session", "Who asks, and the form token.", (), SessionState, statuses=found),
        Operation(
            "post", "/api/session", "choose_name", "Choose a name.", (), SessionState, SessionName, statuses=changes
        ),
        Operation("get", "/api/topics", "topics", "Topics to judge.", (), list[TopicToJudge], statuses=found),
        Operation(
            "get",
            "/api/judgements",
            "judgements",
            "What an assessor has judged in a document.",
            [TOPIC, DOCUMENT, ASSESSOR],
            JudgedDocument,
            statuses=found,
        ),
        Operation(
            "post",
            "/api/judgements",
            "judge",
            "Judge: one action.",
            (),
            JudgedDocument,
            JudgingAction,
            changes,
            needs_form_token=True,
        ),
        Operation(
            "get",
            "/api/judgements/export",
            "export_judgements",
            "The judgements of an assessor: JSON, INEX XML (zip), FOL or TREC qrels.",
            [form, ASSESSOR],
            dict[str, Any],
            statuses=found,
            media=("text/plain", "application/zip"),
        ),
        Operation(
            "post",
            "/api/judgements/import",
            "import_judgements",
            "Take in a file of judgements: INEX XML, also zipped, FOL or TREC qrels.",
            (),
            Imported,
            statuses=changes,
            takes_file=True,
            needs_form_token=True,
        ),
        Operation(
            "get", "/api/agreement", "agreement", "How far two assessors agree.", people, dict[str, Any], statuses=found
        ),
        Operation(
            "get",
            "/api/scores",
            "scores",
            "Scores of the runs on what is judged so far.",
            [measures, ASSESSOR],
            dict[str, Any],
            statuses=found,
        ),
    ]


async def session(request: Request) -> Response:
    """Answer `/api/session`; a browser that has no session gets one, without a name."""
    state, desk, found = state_of(request), desk_of(request), session_of(request)
    if request.method == "POST":
        found = Session(chosen_name(request, (await body_of(request)).get("name")))
    response_needs_cookie = request.method == "POST" or not (found.key or found.by_token)
    cookie = state.sessions.cookie(found.name) if response_needs_cookie else ""
    signed = state.sessions.read(cookie) if cookie else found
    assert signed is not None
    content = SessionState(found.name, state.sessions.form_token(signed), await state.run(desk.assessors))
    response = JSONResponse(to_dict(content))
    return with_cookie(request, response, cookie) if cookie else response


async def body_of(request: Request) -> Mapping[str, Any]:
    """Return the JSON object of a request; raises ProblemError 415, 422."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ProblemError(415, "expected a body of application/json.", "body")
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise ProblemError(422, "the body is not JSON.", "body") from None
    if not isinstance(found, dict):
        raise ProblemError(422, "the body is not a JSON object.", "body")
    return found


async def topics(request: Request) -> Response:
    """Answer `/api/topics`."""
    name = session_of(request).name
    desk_of(request)
    return JSONResponse(to_dict(await state_of(request).run(lambda: topics_to_judge(request, name))))


def topics_to_judge(request: Request, assessor: str) -> list[TopicToJudge]:
    """Return the topics with their progress."""
    desk, snapshot = desk_of(request), state_of(request).indexes.first
    found = []
    for topic in desk.topics:
        queue = desk.queue(snapshot, topic, assessor)
        found.append(
            TopicToJudge(
                id=topic.topic_id,
                title=topic.title,
                castitle=topic.castitle,
                description=topic.description,
                narrative=topic.narrative,
                documents=len(queue),
                judged=sum(entry.found.is_judged for entry in queue),
            )
        )
    return found


async def judgements(request: Request) -> Response:
    """Answer `/api/judgements`: what is judged (GET), or an action (POST)."""
    state, desk = state_of(request), desk_of(request)
    snapshot = state.indexes.first
    if request.method == "GET":
        given = parameters_of(request)
        only(given, ("topic", "document", "assessor"))
        assignment = Assignment(
            required(given, "topic"), given.get("assessor") or assessor_of(request), required(given, "document")
        )
        desk.topic(assignment.topic)
        found = await state.run(desk.state, snapshot, assignment)
        if not found.checksum and text_in(snapshot, assignment.document) is None:
            raise not_found(f"document {assignment.document!r} is not in the index.")
    else:
        check_form_token(request)
        body = await body_of(request)
        assignment = Assignment(_word(body, "topic"), assessor_of(request), _word(body, "document"))
        kind, seen = _word(body, "kind"), Seen(_text_or_none(body, "version"), _text_or_none(body, "checksum"))
        found = await state.run(desk.act, snapshot, assignment, kind, body, seen)
    text = desk.text(snapshot, assignment.document, found)
    return JSONResponse(
        to_dict(judged_document(assignment.topic, assignment.assessor, assignment.document, found, text))
    )


def _word(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise ProblemError(422, f"{name}: expected a text.", "action")
    if has_surrogates(value):
        raise ProblemError(422, f"{name}: contains characters that are not text.", "action")
    return value


def _text_or_none(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise ProblemError(422, f"{name}: expected a text.", "action")
    return value


async def export(request: Request) -> Response:
    """Answer `/api/judgements/export`."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("format", "assessor"))
    form = one_of("format", given.get("format") or "json", FORMATS)
    snapshot, assessor = state.indexes.first, given.get("assessor") or assessor_of(request)
    if form == "json":
        return JSONResponse(await state.run_aside(as_json, desk, snapshot, assessor))
    content, media, name = await state.run_aside(exported, desk, snapshot, assessor, form)
    return Response(content, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def import_file(request: Request) -> Response:
    """Answer `/api/judgements/import`."""
    state, desk = state_of(request), desk_of(request)
    check_form_token(request)
    assessor = assessor_of(request)
    with state.uploading():
        content = await request.body()
    found = await state.run_aside(imported, desk, state.indexes.first, assessor, content)
    return JSONResponse(to_dict(found))


async def agreement(request: Request) -> Response:
    """Answer `/api/agreement`."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("first", "second"))
    first, second = required(given, "first"), required(given, "second")
    found = await state.run_aside(evaluation.agreement, desk, state.indexes.first, first, second)
    return JSONResponse(found.to_dict())


async def scores(request: Request) -> Response:
    """Answer `/api/scores`."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("assessor", "measures"))
    assessor, measures = given.get("assessor") or assessor_of(request), given.get("measures") or "hixeval"
    table = await state.run_aside(evaluation.scores, desk, state.indexes.first, assessor, measures)
    return Response(table.json(), media_type="application/json")


def routes() -> list[Route]:
    """Return the routes of judging."""
    return [
        Route("/api/session", session, methods=["GET", "POST"]),
        Route("/api/topics", topics, methods=["GET"]),
        Route("/api/judgements", judgements, methods=["GET", "POST"]),
        Route("/api/judgements/export", export, methods=["GET"]),
        Route("/api/judgements/import", import_file, methods=["POST"]),
        Route("/api/agreement", agreement, methods=["GET"]),
        Route("/api/scores", scores, methods=["GET"]),
    ]
