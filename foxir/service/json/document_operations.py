"""Documents and their outlines for JSON and MCP; explanations of an element."""

from __future__ import annotations

import foxir
from engine.answers.document_scores import document_scores
from engine.explain.element_explanation import ElementExplanation
from engine.index.elements.element_lookup import NO_ID, NO_PATH, id_hint
from engine.presentation.readable_text import readable_text
from foxir.searching.completions import completed, titles_with
from foxir.service.http.problems import ProblemError, not_found, problem_of
from foxir.service.indexes import Snapshot
from foxir.service.json.records import DocumentOutline, OutlineElement, ReadText, Suggestions, TitledDocument
from foxir.service.json.requests import SearchRequest
from foxir.service.pages.document_view import DocumentView, place_of, view_of
from foxir.service.pages.outline import heat, outline

# Characters of one response.
MOST_CHARACTERS = 1_000_000


def read_text(
    snapshot: Snapshot,
    document: str,
    path: str | None = None,
    start: int = 0,
    end: int | None = None,
    *,
    most: int = MOST_CHARACTERS,
    readable: bool = False,
) -> ReadText:
    """Return the text of a document, of an element, or of characters; at most `most`, `end` says how far.

    Args:
        readable: whether it is the readable text; offsets count the exact one.

    Raises: ProblemError 404 for an unknown document or element, 422 for characters beyond the text, or beside a path.
    """
    if path is not None and (start or end is not None):
        raise ProblemError(
            422, "start and end count characters of the whole text: omit them, or the path.", "parameter"
        )
    view = view_of(snapshot, document)
    length, row = len(view.text), view.first_row
    if path is not None:
        place = place_of(view, path)
        path = view.path(place)
        start, end, row = view.starts[place], view.stops[place], row + place
    last = length if end is None else end
    if end is not None and end < start:
        raise ProblemError(422, f"characters {start:,} to {end:,}: the end is before the start.", "parameter")
    if not start <= last <= length:
        raise ProblemError(422, f"characters {start:,} to {last:,}: the text has {length:,}.", "parameter")
    last = min(last, start + most)
    return ReadText(
        index=snapshot.name,
        generation=snapshot.generation.number,
        document=document,
        title=view.title,
        kind=view.profile.name,
        path=path,
        start=start,
        end=last,
        length=length,
        text=readable_text(view.reader, view.number, row, start, last) if readable else view.text[start:last],
    )


def scores_in(view: DocumentView, request: SearchRequest) -> dict[int, float]:
    """Return place -> score of the elements of a document; empty for a query that cannot be read, or none."""
    if request.is_empty:
        return {}
    try:
        return _scores_in(view, request)
    except foxir.FoxirError:
        return {}


def _scores_in(view: DocumentView, request: SearchRequest) -> dict[int, float]:
    found = document_scores(view.reader, request.query, request.settings(), view.number, request.images())
    return {row - view.first_row: score for row, score in found.items()}


def document_outline(snapshot: Snapshot, document: str, request: SearchRequest) -> DocumentOutline:
    """Return the outline of a document, with scores for a query if there is one; raises ProblemError 404, 422, 503."""
    view = view_of(snapshot, document)
    try:
        scores = {} if request.is_empty else _scores_in(view, request)
    except foxir.FoxirError as error:
        raise problem_of(error) from None
    heats = heat(scores)
    paths = view.paths
    outlined = outline(view, scores)
    return DocumentOutline(
        index=snapshot.name,
        generation=snapshot.generation.number,
        document=document,
        title=view.title,
        kind=view.profile.name,
        length=len(view.text),
        query=request.query,
        elements=[
            OutlineElement(
                path=paths[entry.place],
                tag=view.tags[entry.place],
                depth=entry.depth,
                title=entry.title,
                start=view.starts[entry.place],
                end=view.stops[entry.place],
                words=view.words[entry.place],
                score=scores.get(entry.place),
                heat=heats.get(entry.place),
            )
            for entry in outlined.entries
        ],
        left_out=outlined.n_left_out,
    )


def suggestions(snapshot: Snapshot, text: str) -> Suggestions:
    """Return what a text that is being typed may become."""
    ids, titles = snapshot.titled
    return Suggestions(
        index=snapshot.name,
        generation=snapshot.generation.number,
        queries=completed(snapshot.reader, text),
        documents=[TitledDocument(ids[place], titles[place]) for place in titles_with(titles, text)],
    )


def explain(snapshot: Snapshot, document: str, path: str, request: SearchRequest) -> ElementExplanation:
    """Return why an element is an answer, or why not; raises ProblemError 404, 422."""
    if snapshot.reader.number(document) is None:
        hint = id_hint(snapshot.reader, document)
        raise not_found(f"document {document!r} is not in index {snapshot.name!r}: {hint}")
    request.check_image_weight()
    try:
        return snapshot.index.explain(request.query, document, path, request.settings(), image=request.images())
    except foxir.FoxirError as error:
        if error.notice is not None and error.notice.code in (NO_PATH, NO_ID):
            raise not_found(error) from None
        raise problem_of(error) from None
