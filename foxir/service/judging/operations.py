"""The operations of judging, from which OpenAPI is made."""

from __future__ import annotations

from typing import Any

from foxir.service.json.openapi import DOCUMENT, Operation, QueryParameter
from foxir.service.judging.exported_judgements import FORMATS
from foxir.service.judging.records import (
    Imported,
    JudgedDocument,
    JudgingAction,
    SessionName,
    SessionState,
    TopicToJudge,
)

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
