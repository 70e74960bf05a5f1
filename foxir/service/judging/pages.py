"""The pages of judging: topics, queues, the document to judge, files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from foxir.service.document_pages import images_html
from foxir.service.document_view import view_of
from foxir.service.judging import evaluation_pages
from foxir.service.judging.api import topics_to_judge
from foxir.service.judging.assessors import assessor_of, check_form_token, chosen_name
from foxir.service.judging.desk import LONGEST_NOTE, ORDERS
from foxir.service.judging.exported_judgements import FORMATS
from foxir.service.judging.imported_judgements import imported
from foxir.service.judging.intervals import size
from foxir.service.judging.records import judged_document
from foxir.service.judging.store import Assignment
from foxir.service.outline import outline
from foxir.service.parameters import address_of, only, parameters_of, required
from foxir.service.records import to_dict
from foxir.service.rendering import page
from foxir.service.requests import SearchRequest, one_of, whole
from foxir.service.state import desk_of, session_of, state_of, with_cookie
from foxir.service.text_html import TextMarks, part_at, parts_of, text_html


async def topics_page(request: Request) -> Response:
    """Show the topics with their progress; ask for a name first."""
    state, desk = state_of(request), desk_of(request)
    only(parameters_of(request), ())
    name = session_of(request).name
    topics = await state.run(topics_to_judge, request, name) if name else []
    return page(
        request,
        "judge_topics.html",
        topics=topics,
        assessors=await state.run(desk.assessors),
        formats=FORMATS,
        queue_link=lambda topic: address_of("/judge/topic", topic=topic),
        export_link=lambda form, assessor: address_of("/api/judgements/export", format=form, assessor=assessor),
    )


async def choose_name(request: Request) -> Response:
    """Take the name of an assessor."""
    desk_of(request)
    form = await request.form(max_files=0, max_fields=5)
    name = chosen_name(request, form.get("name"))
    return with_cookie(request, RedirectResponse("/judge", 303), state_of(request).sessions.cookie(name))


def _order(given: Mapping[str, str]) -> dict[str, str]:
    return {
        "order": one_of("order", given.get("order") or "rank", ORDERS),
        "ranks": one_of("ranks", given.get("ranks") or "shown", ("shown", "hidden")),
    }


async def queue_page(request: Request) -> Response:
    """Show the documents of a topic and what is judged of them."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "order", "ranks"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, chosen = desk.topic(required(given, "topic")), _order(given)
    snapshot, assessor = state.indexes.snapshot(), assessor_of(request)

    def compute() -> list[dict[str, Any]]:
        return [
            {
                "document": entry.document,
                "rank": entry.rank,
                "found": entry.found,
                "characters": size(entry.found.marks),
                "title": _title(snapshot, entry.document),
                "link": address_of("/judge/document", topic=topic.topic_id, document=entry.document, **chosen),
            }
            for entry in desk.queue(snapshot, topic, assessor, chosen["order"])
        ]

    return page(
        request,
        "judge_queue.html",
        topic=topic,
        chosen=chosen,
        queue=await state.run(compute),
        others=[name for name in await state.run(desk.assessors, topic.topic_id) if name != assessor],
        order_link=lambda **changed: address_of("/judge/topic", topic=topic.topic_id, **{**chosen, **changed}),
        compare_link=lambda other: address_of("/judge/compare", topic=topic.topic_id, first=assessor, second=other),
    )


def _title(snapshot: Any, document: str) -> str:
    return view_of(snapshot, document).title if snapshot.reader.number(document) is not None else "(not in the index)"


async def document_page(request: Request) -> Response:
    """Show a document to judge."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "document", "order", "ranks", "part"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, document, chosen = desk.topic(required(given, "topic")), required(given, "document"), _order(given)
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
            return address_of("/judge/document", **parameters)

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
            else address_of("/judge/topic", topic=topic.topic_id, **chosen),
            "queue_link": address_of("/judge/topic", topic=topic.topic_id, **chosen),
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


async def import_page(request: Request) -> Response:
    """Import a file of judgements from a form."""
    state, desk = state_of(request), desk_of(request)
    async with request.form(max_files=1, max_fields=5) as form:
        check_form_token(request, str(form.get("form_token", "")))
        file, assessor = form.get("file"), assessor_of(request)
        content = await file.read() if isinstance(file, UploadFile) else b""
        name = (file.filename or "")[:100] if isinstance(file, UploadFile) else ""
    found = await state.run(imported, desk, state.indexes.snapshot(), assessor, content, name)
    return page(request, "judge_imported.html", found=found)


def routes() -> list[Route]:
    """Return the routes of judging."""
    return [
        Route("/judge", topics_page, methods=["GET"]),
        Route("/judge/name", choose_name, methods=["POST"]),
        Route("/judge/topic", queue_page, methods=["GET"]),
        Route("/judge/document", document_page, methods=["GET"]),
        Route("/judge/compare", evaluation_pages.compare_page, methods=["GET"]),
        Route("/judge/import", import_page, methods=["POST"]),
        Route("/evaluate", evaluation_pages.evaluate_page, methods=["GET"]),
    ]
