"""The page on which a document is judged."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from foxir.service.json.parameters import only, parameters_of, required
from foxir.service.json.records import to_dict
from foxir.service.json.requests import SearchRequest, whole
from foxir.service.judging.action_bodies import LONGEST_NOTE
from foxir.service.judging.actions import Assignment
from foxir.service.judging.addresses import address, order_parameters
from foxir.service.judging.assessors import assessor_of
from foxir.service.judging.records import judged_document
from foxir.service.pages.document_pages import images_html
from foxir.service.pages.document_parts import part_at, parts_of
from foxir.service.pages.document_view import view_of
from foxir.service.pages.outline import outline
from foxir.service.pages.rendering import page
from foxir.service.pages.text_html import TextMarks, text_html
from foxir.service.state import desk_of, session_of, state_of


async def document_page(request: Request) -> Response:
    """Show a document to judge."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "document", "order", "ranks", "part"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, document, chosen = desk.topic(required(given, "topic")), required(given, "document"), order_parameters(given)
    snapshot, assessor = state.indexes.snapshot(), assessor_of(request)

    def compute() -> dict[str, Any]:
        view = view_of(snapshot, document)
        found = desk.state(snapshot, Assignment(topic.topic_id, assessor, document))
        queue = desk.queue(snapshot, topic, assessor, chosen["order"])
        names = [entry.document for entry in queue]
        here = names.index(document) if document in names else len(names)
        later = [*queue[here + 1 :], *queue[:here]]
        following = next((entry.document for entry in later if not entry.found.is_judged), None)
        parts = parts_of(view)
        number = whole("part", given.get("part") or "1", 1, len(parts)) - 1

        def link(**changed: Any) -> str:
            parameters = {"topic": topic.topic_id, "document": document, **chosen, **changed}
            return address("/judge/document", **parameters)

        def entry_link(place: int) -> str:
            part = part_at(parts, place)
            return f"#e{place}" if part == number else f"{link(part=part + 1)}#e{place}"

        images = images_html(snapshot, view, SearchRequest(), links=False)
        return {
            "view": view,
            "found": found,
            "state_json": json.dumps(
                to_dict(judged_document(topic.topic_id, assessor, document, found, view.text)), ensure_ascii=False
            ),
            "text": Markup(text_html(view, parts[number], TextMarks(images=images))),  # made of escaped text
            "text_start": parts[number].start,
            "outlined": outline(view, {}, part=parts[number]),
            "images": {},
            "scores": {},
            "heats": {},
            "entry_link": entry_link,
            "why_link": lambda _: "",
            "part_number": number + 1,
            "n_parts": len(parts),
            "part_link": lambda part: link(part=part),
            "rank": next((entry.rank for entry in queue if entry.document == document), None),
            "n_judged": sum(entry.found.is_judged for entry in queue),
            "n_queue": len(queue),
            "next_link": link(document=following)
            if following
            else address("/judge/topic", topic=topic.topic_id, **chosen),
            "queue_link": address("/judge/topic", topic=topic.topic_id, **chosen),
        }

    values = await state.run(compute)
    return page(
        request,
        "judge_document.html",
        topic=topic,
        document=document,
        chosen=chosen,
        longest_note=LONGEST_NOTE,
        **values,
    )
