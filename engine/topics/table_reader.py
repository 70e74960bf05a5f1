"""Reads topics from a table whose first line names the columns: CSV, TSV, or with semicolons."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from engine.topics.fields import FIELDS, ID, QUERIES, field_of, is_id, topic_of
from engine.topics.topic import NoTopicFileError, Topic, TopicProblem

SEPARATORS = ("\t", ",", ";", "|")
RESULTS = {"corpus_id", "docid", "doc_id", "docno", "pid", "passage_id", "score", "rank", "relevance", "iteration"}
# Characters of a header that are shown.
MOST_SHOWN = 80


def separator_of(header: str, source: str, line: int) -> str | None:
    """Return the character between the columns if a line is the header of topics, None if it is not a header.

    Raises: NoTopicFileError for a header of ids without queries.
    """
    for separator in SEPARATORS:
        names = [name.strip().strip('"') for name in header.split(separator)]
        fields = {field_of(name) for name in names}
        if len(names) == 1 or ID not in fields:
            continue
        results = [name for name in names if name.lower().replace("-", "_") in RESULTS]
        if fields.isdisjoint(QUERIES) and "castitle" not in fields and (results or any(map(is_id, names))):
            kind = "a run or qrels" if results else "a table without queries"
            reason = f"the columns {', '.join(names)} are those of {kind}: expected an id and a query (qid,query)."
            raise NoTopicFileError(source, line, reason)
        if not fields.isdisjoint((*QUERIES, "castitle")):
            return separator
    return None


def check_has_header(lines: Sequence[tuple[int, str]], source: str) -> None:
    """Refuse lines, given with their numbers, of a file named as a table: they have no header that is known.

    In `.tsv`, an id, a tab and a query per line need no header; the first line is one if it alone has no digit before
    the tab.

    Raises: NoTopicFileError.
    """
    name = source.lower()
    if not name.endswith((".csv", ".tsv")):
        return
    line, header = lines[0]
    if name.endswith(".tsv") and all(text.count("\t") == 1 for _, text in lines):
        with_digits = [any(map(str.isdigit, text.partition("\t")[0])) for _, text in lines]
        if with_digits[0] or len(lines) == 1 or not all(with_digits[1:]):
            return
    shown = header if len(header) <= MOST_SHOWN else f"{header[:MOST_SHOWN]}…"
    ids, queries = (", ".join(name for name, field in FIELDS.items() if field in of) for of in ((ID,), QUERIES))
    reason = f"no header of topics: {shown!r}: expected a first line such as qid,query, with an id ({ids}) and a query"
    raise NoTopicFileError(source, line, f"{reason} ({queries}); or name the file .txt if each line is a query.")


def read_table(text: str, separator: str, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield the topics of a table with a header; rows without an id or a query are problems.

    Columns that are not of a topic are ignored. Cells may be quoted, as in CSV; in TSV a quotation mark is text.

    Raises: NoTopicFileError if two columns are the same field or a quotation has no end.
    """
    lines = io.StringIO(text, newline="")
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # the length of a topic's text is checked elsewhere
    if separator == "\t":
        rows = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(lines, delimiter=separator, strict=True)
    fields: Sequence[str | None] | None = None
    begin = 1
    try:
        for row in rows:
            line, begin = begin, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if fields is None:
                fields = _fields(row, source, line)
            elif len(row) != len(fields):
                quotes = "" if separator == "\t" else f': a text that contains "{separator}" needs quotes'
                reason = f"{len(row)} columns where the header has {len(fields)}{quotes}"
                yield TopicProblem(source, line, "", reason)
            else:
                yield topic_of({field: cell for field, cell in zip(fields, row, strict=True) if field}, source, line)
    except csv.Error as error:
        raise NoTopicFileError(source, begin, f"not CSV ({error}): quotes inside quotes are doubled.") from None


def _fields(header: Sequence[str], source: str, line: int) -> list[str | None]:
    fields = [field_of(name) for name in header]
    twice = {field for field in fields if field and fields.count(field) > 1}
    if twice:
        names = [name for name, field in zip(header, fields, strict=True) if field in twice]
        raise NoTopicFileError(source, line, f"the columns {', '.join(names)} are the same: expected one of them.")
    return fields
