"""The page that compares the judgements of two assessors."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from foxir.service.http.problems import ProblemError
from foxir.service.json.parameters import only, parameters_of, required
from foxir.service.judging import evaluation
from foxir.service.judging.addresses import address
from foxir.service.judging.intervals import compared, intersection, size, united
from foxir.service.pages.document_parts import parts_of
from foxir.service.pages.document_view import view_of
from foxir.service.pages.rendering import page
from foxir.service.pages.text_html import TextMarks, text_html
from foxir.service.state import desk_of, state_of


async def comparison_page(request: Request) -> Response:
    """Show how far two assessors agree, and their highlights side by side."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "first", "second", "document"))
    topic = desk.topic(required(given, "topic"))
    first, second = required(given, "first"), required(given, "second")
    snapshot = state.indexes.snapshot()

    def compute() -> dict[str, Any]:
        judged = [desk.all_judged(snapshot, name, [topic.topic_id]).get(topic.topic_id, {}) for name in (first, second)]
        rows = []
        for document in sorted(judged[0].keys() & judged[1].keys()):
            one, other = judged[0][document].marks, judged[1][document].marks
            common = intersection(one, other)
            rows.append(
                {
                    "document": document,
                    "first": size(one),
                    "second": size(other),
                    "common": size(common),
                    "share": size(common) / size(united([*one, *other])) if one or other else 1.0,
                    "link": address(
                        "/judge/compare", topic=topic.topic_id, first=first, second=second, document=document
                    )
                    + "#text",
                }
            )
        rows.sort(key=lambda row: (row["share"], row["document"]))
        shown: dict[str, Any] = {"view": None, "text": "", "notes": ()}
        if given.get("document"):
            view = view_of(snapshot, given["document"])
            marks = [each[view.document].marks if view.document in each else () for each in judged]
            parts = parts_of(view, max(len(view.text), 1))
            spans = compared(marks[0], marks[1])
            notes = [
                (name, each[view.document].note)
                for name, each in zip((first, second), judged, strict=True)
                if view.document in each
            ]
            shown = {"view": view, "text": Markup(text_html(view, parts[0], TextMarks(spans=spans))), "notes": notes}
        try:
            found = evaluation.agreement(desk, snapshot, first, second)
            topics = [each for each in found.topics if each.topic == topic.topic_id]
        except ProblemError:
            topics = []
        return {"rows": rows, "agreed": topics[0] if topics else None, **shown}

    values = await state.run(compute)
    return page(
        request,
        "judge_compare.html",
        topic=topic,
        first=first,
        second=second,
        queue_link=address("/judge/topic", topic=topic.topic_id),
        **values,
    )
