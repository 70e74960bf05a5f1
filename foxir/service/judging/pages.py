"""The pages of judging: topics, queues, files, scores; and the routes of all pages, two of which are modules."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from foxir.service.http.problems import ProblemError
from foxir.service.json.parameters import only, parameters_of, required
from foxir.service.judging import evaluation
from foxir.service.judging.addresses import address, order_parameters
from foxir.service.judging.api import topics_to_judge
from foxir.service.judging.assessors import assessor_of, check_form_token, chosen_name
from foxir.service.judging.comparison_page import comparison_page
from foxir.service.judging.document_page import document_page
from foxir.service.judging.evaluation import scores_shown
from foxir.service.judging.exported_judgements import FORMATS
from foxir.service.judging.imported_judgements import imported
from foxir.service.judging.intervals import size
from foxir.service.pages.document_view import view_of
from foxir.service.pages.rendering import page
from foxir.service.state import desk_of, session_of, state_of, with_cookie

MEASURES = ("hixeval", "inex_eval", "xcg", "focused", "trec")


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
        queue_link=lambda topic: address("/judge/topic", topic=topic),
        export_link=lambda form, assessor: address("/api/judgements/export", format=form, assessor=assessor),
    )


async def choose_name(request: Request) -> Response:
    """Take the name of an assessor."""
    desk_of(request)
    form = await request.form(max_files=0, max_fields=5)
    name = chosen_name(request, form.get("name"))
    return with_cookie(request, RedirectResponse("/judge", 303), state_of(request).sessions.cookie(name))


async def queue_page(request: Request) -> Response:
    """Show the documents of a topic and what is judged of them."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "order", "ranks"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, chosen = desk.topic(required(given, "topic")), order_parameters(given)
    snapshot, assessor = state.indexes.snapshot(), assessor_of(request)

    def compute() -> list[dict[str, Any]]:
        return [
            {
                "document": entry.document,
                "rank": entry.rank,
                "found": entry.found,
                "characters": size(entry.found.marks),
                "title": _title(snapshot, entry.document),
                "link": address("/judge/document", topic=topic.topic_id, document=entry.document, **chosen),
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
        order_link=lambda **changed: address("/judge/topic", topic=topic.topic_id, **{**chosen, **changed}),
        compare_link=lambda other: address("/judge/compare", topic=topic.topic_id, first=assessor, second=other),
    )


def _title(snapshot: Any, document: str) -> str:
    return view_of(snapshot, document).title if snapshot.reader.number(document) is not None else "(not in the index)"


async def import_page(request: Request) -> Response:
    """Take in a file of judgements from a form."""
    state, desk = state_of(request), desk_of(request)
    async with request.form(max_files=1, max_fields=5) as form:
        check_form_token(request, str(form.get("form_token", "")))
        file, assessor = form.get("file"), assessor_of(request)
        content = await file.read() if isinstance(file, UploadFile) else b""
        name = (file.filename or "")[:100] if isinstance(file, UploadFile) else ""
    found = await state.run(imported, desk, state.indexes.snapshot(), assessor, content, name)
    return page(request, "judge_imported.html", found=found)


async def evaluate_page(request: Request) -> Response:
    """Show the scores of the runs on what is judged so far."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("assessor", "measures", "measure"))
    assessors = await state.run(desk.assessors)
    assessor = given.get("assessor") or session_of(request).name or (assessors[0] if assessors else "")
    measures = given.get("measures") or "hixeval"
    table, problem = None, ""
    if assessor:
        try:
            table = await state.run(evaluation.scores, desk, state.indexes.snapshot(), assessor, measures)
        except ProblemError as error:
            if error.status == 503:
                raise
            problem = str(error)
    return page(
        request,
        "evaluate.html",
        assessors=assessors,
        assessor=assessor,
        measures=measures,
        families=MEASURES,
        problem=problem,
        **scores_shown(table, given.get("measure", "")),
        measure_link=lambda measure: address("/evaluate", assessor=assessor, measures=measures, measure=measure),
        json_link=address("/api/scores", assessor=assessor, measures=measures),
    )


def routes() -> list[Route]:
    """Return the routes of judging."""
    return [
        Route("/judge", topics_page, methods=["GET"]),
        Route("/judge/name", choose_name, methods=["POST"]),
        Route("/judge/topic", queue_page, methods=["GET"]),
        Route("/judge/document", document_page, methods=["GET"]),
        Route("/judge/compare", comparison_page, methods=["GET"]),
        Route("/judge/import", import_page, methods=["POST"]),
        Route("/evaluate", evaluate_page, methods=["GET"]),
    ]
