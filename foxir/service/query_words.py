"""Where the words of a query are in a part of a document."""

from __future__ import annotations

from engine.errors import QueryError
from engine.query.query import parse_query
from engine.retrieval.snippets import SearchedText, term_spans
from engine.settings.choices import Syntax
from foxir.service.document_view import DocumentView
from foxir.service.text_html import DocumentPart


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
            if view.ends_words[place]
            for edge in (view.starts[place], view.stops[place])
            if part.start < edge < part.stop
        }
    )
    text = SearchedText(view.text[part.start : part.stop], borders)
    (found,) = term_spans([text], parsed, view.reader.analyser)
    return [(start + part.start, end + part.start, "") for start, end, _ in found]
