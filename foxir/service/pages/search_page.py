"""The search page: the form and the answers to a query, words or an image."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from engine.collection.profiles.profile import INFERRED
from engine.images.reader import EXTRA, can_read_images
from engine.index.elements.nearest_tag import TAG_WORDS
from engine.presentation.breadcrumbs import document_titles
from engine.query.nexi.element_path import is_element_path
from engine.query.path_or_words import is_path_or_mistake
from engine.settings import NAMED
from engine.settings.catalogue import ROWS
from engine.settings.settings import default_settings
from engine.similarity.presets import PRESETS
from foxir.messages.service import CHOICES, sentence_of_page
from foxir.searching.grouping import RANKED_FOR_ONE
from foxir.searching.missing_words import requiring
from foxir.service.example_image import example_of, image_text, mosaic, read_example
from foxir.service.http.problems import ProblemError
from foxir.service.indexes import Indexes, Snapshot
from foxir.service.json.records import FacetValue, FoundAnswer, FoundGroup, SearchResult
from foxir.service.json.requests import (
    FACETS,
    LAST_RANK,
    SETTINGS,
    SearchRequest,
    asked_of,
    in_address,
    once,
    only,
    parameters_of,
)
from foxir.service.pages.citations import byline, given_names_first
from foxir.service.pages.document_images import image_address, similar_address
from foxir.service.pages.document_pages import opened_place, pattern_of, reading
from foxir.service.pages.lasting_links import (
    PLACE_PARAMETERS,
    checksum_of,
    checksums_of_answers,
    place_parameters,
    text_at,
)
from foxir.service.pages.minimap import strips
from foxir.service.pages.narrowing import Narrowing
from foxir.service.pages.rendering import (
    PageInParts,
    common_values,
    is_for_people,
    page,
    parts_of_page,
    templates,
)
from foxir.service.searching import RankedAnswers, check_query, most_ranked, ranked_answers
from foxir.service.state import state_of

# Fields whose values a page counts, and values of each that it shows.
COUNTED_FIELDS, MOST_OF_FIELD = ("type", "year", "author", "journal"), 6
# Orders of answers that a page offers, with their words.
ORDERS: Mapping[str, str] = {"score": "", "newest": "-year", "oldest": "year", "title": "title"}
# Settings in the drawer, with the words beside them; the others can be given in the address.
DRAWER: Mapping[str, str] = {
    **{row.name: row.label for row in sorted(ROWS, key=lambda row: row.topic) if row.label},
    "named": "A run of the thesis",
}
# Setting -> values to choose from; others, such as Q-expressions, can be typed.
NAMES: Mapping[str, tuple[str, ...]] = {"similarity": tuple(sorted(PRESETS)), "named": tuple(NAMED)}

SEARCH_PARAMETERS = frozenset({"blocks", "file", "open", *PLACE_PARAMETERS})


async def search_page(request: Request) -> Response:
    """Show the search box and, for a query, its answers, with `open` beside a document."""
    given = parameters_of(request)
    asked = asked_of(state_of(request), given, others=SEARCH_PARAMETERS)
    for name in PLACE_PARAMETERS:
        if given.get(name) and not given.get("open"):
            raise ProblemError(422, f"{name} is a place in a document: name the document with 'open'.", "parameter")
    if given.get("open") and asked.is_empty:
        raise ProblemError(422, "parameter 'q' is missing: /read shows a document without a query.", "parameter")
    problem: ProblemError | None = None
    if file := given.get("file"):
        problem = ProblemError(
            422, f"{file[:100]} was not sent: choose it again, then press “Search with this image”.", "image"
        )
    return await _answers_page(request, asked, given, with_blocks=given.get("blocks") != "0", problem=problem)


async def search_with_image(request: Request) -> Response:
    """Take an image file and the rest of the search form, and lead to the page of their search."""
    state = state_of(request)
    only(parameters_of(request), ())
    with state.uploading():
        async with request.form(max_files=1, max_fields=len(SETTINGS) + 20) as form:
            given = once([(name, value) for name, value in form.multi_items() if isinstance(value, str)])
            asked = asked_of(state, given, others=SEARCH_PARAMETERS)
            file = form.get("file")
            try:
                if not isinstance(file, UploadFile) or not file.filename:
                    raise ProblemError(
                        422, "no image was sent: choose a file, then press “Search with this image”.", "image"
                    )
                features = await state.run(read_example, file.file, file.size or 0)
            except ProblemError as problem:
                if problem.status == 503:
                    raise
                return await _answers_page(request, asked, {}, problem=problem)
    return RedirectResponse(asked.address("/", image=image_text(features), offset=None), 303)


async def _answers_page(
    request: Request,
    asked: SearchRequest,
    given: Mapping[str, str],
    *,
    with_blocks: bool = True,
    problem: ProblemError | None = None,
) -> Response:
    """Return the page of a request; given: the parameters of its address. problem: why nothing is searched."""
    state = state_of(request)
    snapshot = state.indexes.snapshot(asked.index)
    values = common_values(request) | _form_values(snapshot, asked) | {"with_blocks": with_blocks}
    if problem is None and not asked.is_empty:
        is_for_program = not is_for_people(request)
        parts = state.run_in_parts(partial(_parts, values, snapshot, asked, given, is_for_program=is_for_program))
        try:
            status, beginning = await anext(parts)
        except ProblemError as error:
            if error.status in (404, 503) or error.kind == "parameter":
                raise
            problem = error
        else:
            if status == 303:
                await parts.aclose()
                return RedirectResponse(beginning, 303)
            return PageInParts(status, beginning, parts, values["request_address"])
    if problem is None:
        values["cards"] = _cards(state.indexes)
        snapshot.examples[:] = snapshot.examples or await state.run(example_queries, snapshot)
        values["examples"] = snapshot.examples
    return page(request, "search.html", 200 if problem is None else problem.status, **values | {"problem": problem})


def _form_values(snapshot: Snapshot, asked: SearchRequest) -> dict[str, Any]:
    """Return what the form and the page around it show."""
    return {
        "query": asked.query,
        "asked": asked,
        "snapshot": snapshot,
        "problem": None,
        "answers": None,
        "opened": "",
        "cards": [],
        "drawer": DRAWER,
        "drawer_html": drawer_html(**{name: asked.given[name] for name in DRAWER if name in asked.given}),
        "can_read_images": snapshot.reader.images.n_images > 0 and can_read_images(),
        "extra": EXTRA,
        "mosaic": _mosaic(asked),
    }


@lru_cache(16)
def drawer_html(**given: str) -> Markup:
    """Return the drawer of settings with those given, as HTML; remembered, as most pages have none."""
    usual = default_settings()
    defaults = {**usual.to_dict(), "named": "none", "image_weight": usual.image_weight}
    drawer = templates().get_template("drawer.html")
    return Markup(drawer.render(given=given, drawer=DRAWER, choices=CHOICES, names=NAMES, defaults=defaults))


def _parts(
    values: dict[str, Any],
    snapshot: Snapshot,
    asked: SearchRequest,
    given: Mapping[str, str],
    *,
    is_for_program: bool,
) -> Iterator[tuple[int, str]]:
    """Yield the parts of a page of answers, each with the status of the page; instead of them 303 and an address.

    A program gets the page in one part, whose status is that of all of it.
    """
    began = time.perf_counter()
    # What a word budget chooses, and what is like an image, is looked at one by one.
    group = asked.group or ("none" if asked.image or asked.given.get("word_budget") else "document")
    grouped = replace(asked, group=group)
    ranking = partial(ranked_answers, snapshot, grouped, with_facets=True, counted_fields=COUNTED_FIELDS)
    known: RankedAnswers | None = None
    if is_for_program or asked.offset:
        known = ranking()
        if asked.offset and known.n_listed and asked.offset >= known.n_listed:
            last = (known.n_listed - 1) // asked.limit * asked.limit
            yield 303, asked.address("/", offset=last or None)
            return
    else:  # people see the box while the search goes on
        check_query(snapshot, grouped)
    status, lost, place = 200, "", None
    if given.get("open"):
        try:
            place = opened_place(snapshot, given["open"], given)
        except ProblemError as error:
            if error.status != 404 or is_for_program:
                raise
            status, lost = 404, str(error.detail)
    values = {**values, "opened": given["open"] if place else ""}

    def answers() -> Markup:
        shown = _list_values(snapshot, known or ranking(), values["with_blocks"])
        where = {name: given.get(name) for name in ("open", *PLACE_PARAMETERS)} if place else {}
        shown |= {"lost": lost, "permalink": asked.address("/", **where)}
        shown["milliseconds"] = 1000 * (time.perf_counter() - began)
        return Markup(templates().get_template("answers.html").render({**values, **shown}))

    def reader() -> Markup:
        if place is None:
            return Markup()
        shown = reading(snapshot, asked, place, given, is_pane=True)
        return Markup(templates().get_template("reader.html").render({**values, **shown}))

    parts = parts_of_page("search.html", {**values, "answers": answers, "reader": reader})
    for part in ["".join(parts)] if is_for_program else parts:
        yield status, part


def _list_values(snapshot: Snapshot, ranked: RankedAnswers, with_blocks: bool) -> dict[str, Any]:
    """Return what the list of answers and the choices beside it show."""
    asked = ranked.request
    result = ranked.result(
        sentence=sentence_of_page,
        with_blocks=with_blocks,
        with_missing=True,
        is_brief=True,
        most_of_field=MOST_OF_FIELD,
    )
    groups = _groups(result)
    narrowing = Narrowing.of(asked.given.get("where", ""))
    counts = {name: values for name, values in result.facets.items() if name not in FACETS}
    for name in narrowing.chosen.keys() & counts.keys():
        found = ranked.documents_by_value(name, narrowing.without(name) or f"{name} = *")
        counts[name] = _with_chosen(found, name, narrowing)
    answers = [answer for group in groups for answer in group.answers]
    place_of = _places(checksums_of_answers(snapshot.reader, answers))
    n_first = RANKED_FOR_ONE * (asked.offset + asked.limit) + 1
    read, why = (_with_more(asked.address(page, offset=None, limit=None)) for page in ("/read", "/why"))
    return {
        "result": result,
        "groups": groups,
        "n_listed": ranked.n_listed,
        "n_ranked": max(result.total, most_ranked(asked, asked.settings(), n_first)),
        "follows": asked.offset + asked.limit < min(ranked.n_listed, LAST_RANK + 1),
        "strips": _strips(groups),
        "is_several": snapshot.reader.has_several_indexes,
        "index_of": snapshot.index_of,
        "orders": {name: order for name, order in ORDERS.items() if not order or _is_field(snapshot, order.strip("-"))},
        "tag_of": lambda answer: answer.path.rpartition("/")[2].partition("[")[0],
        "words_for": _words_for(result),
        "is_path": asked.settings().syntax in ("keywords", "plain") and _is_path(asked.query),
        "title_of": _title_of(snapshot, result),
        "language_of": lambda document: _language(snapshot, document),
        "byline": _byline(snapshot, groups),
        "requiring": requiring,
        "within": lambda document: asked.address("/", group="none", documents=pattern_of(document), offset=None),
        "has_examples": any(answer.image_score is not None for answer in result.answers),
        "read_link": lambda answer: f"{read}{place_of(answer)}#focus",
        "also_link": lambda place: _also_link(snapshot, read, place),
        "why_answer": lambda answer: f"{why}{_place_in_address(answer.document, {'path': answer.path})}",
        "counted_fields": counts,
        "narrowing": narrowing,
        "facet_link": lambda name, value: asked.address(
            "/", offset=None, **{name: _toggled(asked.facets.get(name), value)}
        ),
        "image_link": lambda answer: image_address(answer.document, answer.image or "", asked.index),
        "similar_link": lambda answer: _similar_link(snapshot, asked, answer),
        "json_link": asked.address("/api/search", counts=1),
    }


def _with_chosen(values: Sequence[FacetValue], name: str, narrowing: Narrowing) -> list[FacetValue]:
    """Return the most frequent values of a field, and all that are chosen."""
    return [each for place, each in enumerate(values) if place < MOST_OF_FIELD or narrowing.has(name, each.value)]


def _groups(result: SearchResult) -> list[FoundGroup]:
    """Return the cards of a page: a document, or an answer where these are listed one by one."""
    if result.groups is not None:
        return result.groups
    return [FoundGroup(answer.document, "", 1, [answer]) for answer in result.answers]


def _toggled(values: tuple[str, ...] | None, value: str) -> tuple[str, ...]:
    """Return the chosen values of a facet with one more, or without one that was chosen."""
    chosen = values or ()
    return tuple(each for each in chosen if each != value) if value in chosen else (*chosen, value)


def _words_for(result: SearchResult) -> Callable[[str, str], str]:
    """Return a function from a facet and a value of it to words, with the tag where another one has the same words."""
    tags = [str(each.value) for each in result.facets.get("tag", [])]
    several = {words for words, n in Counter(map(_words_of, tags)).items() if n > 1}

    def words_for(facet: str, value: str) -> str:
        words = _words_of(value) if facet == "tag" else value.removeprefix(INFERRED)
        return f"{words} ({value})" if facet == "tag" and words in several else words

    return words_for


# The words for tags, by themselves.
WORDS = {words.casefold(): words for words in TAG_WORDS.values()}


def _words_of(tag: str) -> str:
    """Return the words for a tag, also of one that is such words itself: Paragraph for p and paragraph."""
    return TAG_WORDS.get(tag) or WORDS.get(tag.casefold(), tag)


def _cards(indexes: Indexes) -> list[Snapshot]:
    """Return the indexes to choose from, all of them as one last."""
    return [indexes.snapshot(name) for name in (*filter(None, [indexes.together]), *indexes.names)]


def _strips(groups: Sequence[FoundGroup]) -> list[list[tuple[int, str]]]:
    nothing = np.empty((0, 3))
    return strips(
        [nothing if group.spots is None else group.spots for group in groups], [group.length or 0 for group in groups]
    )


def _title_of(snapshot: Snapshot, result: SearchResult) -> Callable[[str], str]:
    """Return a function from a document on the page to its title."""
    if result.groups is not None:
        return {group.document: group.title for group in result.groups}.__getitem__
    numbers = {
        answer.document: number
        for answer in result.answers
        if (number := snapshot.reader.number(answer.document)) is not None
    }
    titles = document_titles(snapshot.reader, np.array([*numbers.values()], np.int64)) if numbers else []
    known = dict(zip(numbers, titles, strict=True))
    return lambda document: known.get(document, document)


def _byline(snapshot: Snapshot, groups: Sequence[FoundGroup]) -> Callable[[FoundAnswer], str]:
    """Return a function from an answer on the page to authors, year and journal of its document."""
    numbers = {
        group.document: snapshot.reader.number(group.document)
        for group in groups
        if "author" in group.answers[0].fields
    }
    known = {document: number for document, number in numbers.items() if number is not None}
    names = given_names_first(snapshot.reader, np.array([*known.values()], np.int64)) if known else []
    shown = dict(zip(known, names, strict=True))
    return lambda answer: byline(answer.fields, shown.get(answer.document, {}))


def _language(snapshot: Snapshot, document: str) -> str | None:
    """Return the language that a document is in, where it is one and another than that of the page."""
    number = snapshot.reader.number(document)
    code = None if number is None else snapshot.reader.language_code(number)
    return None if code == "en" else code


def _is_field(snapshot: Snapshot, name: str) -> bool:
    return name in snapshot.reader.fields.known


def _is_path(query: str) -> bool:
    """Return whether a text is a path query, right or wrong, and not the path of an element."""
    return is_path_or_mistake(query) and not is_element_path(query)


def _mosaic(asked: SearchRequest) -> str:
    """Return the example image in 256 blocks, "" for none or a wrong one."""
    try:
        return mosaic(example_of(asked.image).features) if asked.image else ""
    except ProblemError:
        return ""


def _similar_link(snapshot: Snapshot, asked: SearchRequest, answer: FoundAnswer) -> str:
    images = snapshot.reader.images
    document = snapshot.reader.number(answer.document)
    for number in images.named(answer.image or "").tolist():
        if images.documents[number] == document and images.key(number) == answer.image:
            return similar_address(snapshot, asked, number)
    return ""


def _with_more(address: str) -> str:
    """Return an address to which parameters can be added."""
    return address if address.endswith("?") else f"{address}&"


def _places(checksums: Mapping[tuple[str, int, int], str]) -> Callable[[FoundAnswer], str]:
    """Return a function from an answer to its document and place as parameters, which several links have.

    checksums: of the answers, by document, start and end.
    """
    known: dict[int, str] = {}

    def place_of(answer: FoundAnswer) -> str:
        if (place := known.get(answer.rank)) is None:
            where = place_parameters(answer, checksums.get((answer.document, answer.start, answer.end)))
            known[answer.rank] = place = _place_in_address(answer.document, where)
        return place

    return place_of


def _place_in_address(document: str, where: dict[str, Any]) -> str:
    path = "%2F".join(map(in_address, where.pop("path").split("/")))
    others = "".join(f"&{name}={value}" for name, value in where.items())
    return f"document={in_address(document)}&path={path}{others}"


def _also_link(snapshot: Snapshot, read: str, place: Mapping[str, str]) -> str:
    """Return the link to an element that says the same as an answer."""
    text = text_at(snapshot.reader, place["document"], place["path"])
    where = {"path": place["path"], **({} if text is None else {"checksum": checksum_of(text)})}
    return f"{read}{_place_in_address(place['document'], where)}#focus"


# Documents whose titles give a query each, and words of one.
N_DOCUMENTS, N_WORDS = 3, 3
_WORD = re.compile(r"[^\W\d_]{4,}")


def example_queries(snapshot: Snapshot) -> list[str]:
    """Return queries that have answers: rare words of titles of the collection; the last is a path query."""
    reader = snapshot.reader
    numbers = reader.live_documents
    chosen = numbers[np.linspace(0, len(numbers) - 1, min(N_DOCUMENTS, len(numbers))).astype(np.int64)]
    queries: dict[str, None] = {}
    for title in document_titles(reader, chosen):
        words = [word for word in dict.fromkeys(_WORD.findall(title.lower())) if word not in reader.function_words]
        counts = [_count(snapshot, word) for word in words]
        rarest = sorted((count == 1, count, place) for place, count in enumerate(counts) if count)[:N_WORDS]
        queries[" ".join(words[place] for place in sorted(place for *_, place in rarest))] = None
    found = [query for query in queries if query]
    return [*found, f"//*[about(., {found[0]})]"] if found else []


def _count(snapshot: Snapshot, word: str) -> int:
    """Return the number of documents with a word."""
    terms = list(snapshot.reader.analyser.alternatives(word))
    return int(snapshot.reader.document_frequencies(terms).sum()) if terms else 0
