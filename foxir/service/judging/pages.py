"""The pages of judging: topics, queues, documents, comparisons, files, scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import foxir
from engine.presentation.breadcrumbs import document_titles
from engine.settings import Settings
from foxir.service.http.problems import ProblemError
from foxir.service.http.root_path import root_path
from foxir.service.indexes import Snapshot
from foxir.service.json.records import to_dict
from foxir.service.json.requests import SearchRequest, flag, one_of, only, parameters_of, required, whole
from foxir.service.judging import evaluation
from foxir.service.judging.api import assessor_of, check_form_token, chosen_name, topics_to_judge
from foxir.service.judging.desk import ORDERS, Desk
from foxir.service.judging.evaluation import scores_shown
from foxir.service.judging.judged import LONGEST_NOTE, Assignment, compared, intersection, size, united
from foxir.service.judging.judgement_files import FORMATS, imported
from foxir.service.judging.records import judged_document
from foxir.service.pages.document_pages import images_html, pattern_of, query_word_spans
from foxir.service.pages.document_view import part_at, parts_of, places_of_paths, view_of
from foxir.service.pages.minimap import minimap
from foxir.service.pages.outline import outline
from foxir.service.pages.rendering import page
from foxir.service.pages.text_html import TextMarks, text_html
from foxir.service.state import desk_of, session_of, state_of, with_cookie


def address(path: str, **parameters: Any) -> str:
    """Return the address of a page with its parameters; those without a value are left out."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    return root_path() + (f"{path}?{urlencode(given)}" if given else path)


def order_parameters(given: Mapping[str, str]) -> dict[str, str]:
    """Return the order of the documents, and whether ranks are shown; raises ProblemError 422."""
    return {
        "order": one_of("order", given.get("order") or "rank", ORDERS),
        "ranks": one_of("ranks", given.get("ranks") or "shown", ("shown", "hidden")),
    }


# Elements of a document that a search retrieves for its assessor where there are no runs.
MOST_RETRIEVED = 10
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
    only(given, ("topic", "order", "ranks", "finished"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, chosen = desk.topic(required(given, "topic")), order_parameters(given)
    snapshot, assessor = state.indexes.first, assessor_of(request)

    finished = flag(given, "finished")

    def compute() -> list[dict[str, Any]]:
        entries = desk.queue(snapshot, topic, assessor, chosen["order"])
        titles = _titles(snapshot, [entry.document for entry in entries])
        return [
            {
                "document": entry.document,
                "rank": entry.rank,
                "found": entry.found,
                "characters": size(entry.found.marks),
                "title": titles[entry.document],
                "link": address("/judge/document", topic=topic.topic_id, document=entry.document, **chosen),
            }
            for entry in entries
        ]

    return page(
        request,
        "judge_queue.html",
        topic=topic,
        chosen=chosen,
        finished=finished,
        next_topic=await state.run(_next_topic, request, topic.topic_id, assessor, chosen) if finished else None,
        queue=await state.run(compute),
        others=[name for name in await state.run(desk.assessors, topic.topic_id) if name != assessor],
        order_link=lambda **changed: address("/judge/topic", topic=topic.topic_id, **{**chosen, **changed}),
        compare_link=lambda other: address("/judge/compare", topic=topic.topic_id, first=assessor, second=other),
    )


def _next_topic(request: Request, topic: str, assessor: str, chosen: Mapping[str, str]) -> dict[str, str] | None:
    """Return the topic with documents to judge that follows one, after the last the first; None where none has."""
    topics = topics_to_judge(request, assessor)
    here = next((number for number, each in enumerate(topics) if each.id == topic), -1)
    for each in [*topics[here + 1 :], *topics[:here]]:
        if each.judged < each.documents:
            link = address("/judge/topic", topic=each.id, **chosen)
            return {"link": link, "title": each.title or each.castitle or each.id}
    return None


def _titles(snapshot: Snapshot, documents: Iterable[str]) -> dict[str, str]:
    """Return the titles of documents, which are read together."""
    numbers = {document: snapshot.reader.number(document) for document in documents}
    known = {document: number for document, number in numbers.items() if number is not None}
    titles = document_titles(snapshot.reader, np.array([*known.values()], np.int64)) if known else []
    return {**dict.fromkeys(numbers, "(not in the index)"), **dict(zip(known, titles, strict=True))}


def _topics_beside(desk: Desk, topic: str, chosen: Mapping[str, str]) -> list[dict[str, str] | None]:
    """Return the topics before and after one, in the order of their file; None where there is none."""
    topics = list(desk.topics)
    here = next(number for number, each in enumerate(topics) if each.topic_id == topic)
    beside = topics[here - 1] if here else None, topics[here + 1] if here + 1 < len(topics) else None
    return [
        None
        if each is None
        else {"link": address("/judge/topic", topic=each.topic_id, **chosen), "title": each.title or each.castitle}
        for each in beside
    ]


async def import_page(request: Request) -> Response:
    """Take in a file of judgements from a form."""
    state, desk = state_of(request), desk_of(request)
    with state.uploading():
        async with request.form(max_files=1, max_fields=5) as form:
            check_form_token(request, str(form.get("form_token", "")))
            file, assessor = form.get("file"), assessor_of(request)
            content = await file.read() if isinstance(file, UploadFile) else b""
            name = (file.filename or "")[:100] if isinstance(file, UploadFile) else ""
    found = await state.run_aside(imported, desk, state.indexes.first, assessor, content, name)
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
            table = await state.run_aside(evaluation.scores, desk, state.indexes.first, assessor, measures)
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
        n_topics=len(desk.topics),
        titles={topic.topic_id: topic.title or topic.castitle for topic in desk.topics},
        problem=problem,
        **scores_shown(table, given.get("measure", ""), [topic.topic_id for topic in desk.topics]),
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


async def document_page(request: Request) -> Response:
    """Show a document to judge."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "document", "order", "ranks", "part"))
    if not session_of(request).name:
        return RedirectResponse("/judge", 303)
    topic, document, chosen = desk.topic(required(given, "topic")), required(given, "document"), order_parameters(given)
    snapshot, assessor = state.indexes.first, assessor_of(request)

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
        here_part = parts[number]
        paths = desk.retrieved(topic, document) if desk.runs else _found_by_search(snapshot, topic, document)
        places = places_of_paths(view, paths)
        inside = [{"start": view.starts[place], "end": view.stops[place]} for place in places]
        retrieved = [span for span in inside if here_part.start <= span["start"] < span["end"] <= here_part.stop]
        titles = _titles(snapshot, names)
        topic_before, topic_after = _topics_beside(desk, topic.topic_id, chosen)
        n_others = sum(entry.found.is_judged for entry in queue if entry.document != document)
        words = query_word_spans(view, here_part, topic.title or topic.castitle, Settings())
        return {
            "view": view,
            "found": found,
            "state_json": json.dumps(
                to_dict(judged_document(topic.topic_id, assessor, document, found, view.text)), ensure_ascii=False
            ),
            "text": Markup(text_html(view, parts[number], TextMarks(words, images=images))),  # made of escaped text
            "text_start": parts[number].start,
            "outlined": outline(view, {}, part=parts[number], is_brief=True),
            "images": {},
            "scores": {},
            "heats": {},
            "entry_link": entry_link,
            "why_link": lambda _: "",
            "part_number": number + 1,
            "n_parts": len(parts),
            "part_link": lambda part: link(part=part),
            "rank": next((entry.rank for entry in queue if entry.document == document), None),
            "n_judged_others": n_others,
            "n_judged_with": n_others + any(entry.document == document for entry in queue),
            "retrieved_by": "" if not retrieved else "a run" if desk.runs else "a search",
            "n_queue": len(queue),
            "next_link": link(document=following)
            if following
            else address("/judge/topic", topic=topic.topic_id, finished=1, **chosen),
            "retrieved": json.dumps(retrieved),
            "queue_link": address("/judge/topic", topic=topic.topic_id, **chosen),
            "queue": [
                {
                    "document": entry.document,
                    "title": titles[entry.document],
                    "link": link(document=entry.document),
                    "is_judged": entry.found.is_judged,
                }
                for entry in queue
            ],
            "topic_before": topic_before,
            "topic_after": topic_after,
            "minimap": minimap(
                view,
                here_part,
                {},
                [start for start, _, _ in words],
                [(span["start"], span["end"]) for span in retrieved],
                marks=found.marks,
            ),
            "passages": [],
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


def _found_by_search(snapshot: Snapshot, topic: foxir.Topic, document: str) -> list[str]:
    """Return the paths of the best answers to a topic in a document."""
    query, pattern = topic.title or topic.castitle, pattern_of(document)
    try:
        return [*snapshot.index.search(query, documents=pattern, max_answers=MOST_RETRIEVED).paths]
    except foxir.FoxirError:
        return []


async def comparison_page(request: Request) -> Response:
    """Show how far two assessors agree, and their highlights side by side."""
    state, desk, given = state_of(request), desk_of(request), parameters_of(request)
    only(given, ("topic", "first", "second", "document"))
    topic = desk.topic(required(given, "topic"))
    first, second = required(given, "first"), required(given, "second")
    snapshot = state.indexes.first

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
        titles = _titles(snapshot, [str(row["document"]) for row in rows])
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
        return {"rows": rows, "titles": titles, "agreed": topics[0] if topics else None, **shown}

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
