"""Where the words of a query are in a part of a document."""

from __future__ import annotations

from engine.errors import QueryError
from engine.presentation.skipped_text import SkippedText
from engine.presentation.term_spans import SearchedText, term_spans
from engine.query.query import parse_query
from engine.settings.choices import Syntax
from foxir.service.pages.document_parts import DocumentPart
from foxir.service.pages.document_view import DocumentView


def query_word_spans(view: DocumentView, part: DocumentPart, query: str, syntax: Syntax) -> list[tuple[int, int, str]]:
    """Return the spans of the query's words in a part, as marks without class; none for an unreadable query."""
    try:
        parsed = parse_query(query, view.reader.analyser, "VV", syntax)
    except QueryError:
        return []
    borders = sorted(
        {
            edge - part.start
            for place in range(part.first, part.end)
            if view.ends_words[place] and not view.is_skipped[place]
            for edge in (view.starts[place], view.stops[place])
            if part.start < edge < part.stop
        }
    )
    skipped = SkippedText(
        (max(view.starts[place], part.start) - part.start, min(view.stops[place], part.stop) - part.start)
        for place, is_skipped in enumerate(view.is_skipped)
        if is_skipped and view.starts[place] < part.stop and view.stops[place] > part.start
    )
    text = SearchedText(*skipped.without(view.text[part.start : part.stop], borders))
    (found,) = term_spans([text], parsed, view.reader.analyser)
    spans = (span for start, end, _ in found for span in skipped.restore(start, end))
    return [(start + part.start, end + part.start, "") for start, end in spans]
