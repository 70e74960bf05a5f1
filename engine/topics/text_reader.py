"""Reads topics from plain text: a table with a header; an id, a tab and a query per line; or one query per line.

The first line of a table names the columns; it is CSV, TSV, or with semicolons.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.notices import Notice
from engine.query.path_or_words import is_path_or_mistake
from engine.topics.fields import FIELDS, ID, QUERIES, decoded, field_of, is_id, topic_of
from engine.topics.topic import NoTopicFileError, Topic, TopicNotice, TopicProblem

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


def read_text_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield a topic for every line that is not blank, the problems found, and a notice of ids without a tab.

    A first line such as `qid,query` makes the file a table (`read_table`). If one line has a tab, all lines must have
    one; without tabs, the line number is the id. A query is a path query or words by the same rule as in a search
    (`engine.query.path_or_words`).

    Raises: NoTopicFileError if the file is not UTF-8, contains no query, looks like anything but queries, or has the
        name of a table without such a header.
    """
    text = decoded(data, source, EXPECTED.removeprefix("expected "))
    queries = [(number, line.strip(" \r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not queries:
        raise NoTopicFileError(source, 0, f"the file is empty: {EXPECTED}.")
    if separator := separator_of(queries[0][1], source, queries[0][0]):
        yield from read_table(text, separator, source)
        return
    check_queries(queries, source)
    check_has_header(queries, source)
    yield from doubtful_ids(queries, source)
    has_ids = any("\t" in line for _, line in queries)
    for number, line in queries:
        topic_id, tab, query = line.partition("\t") if has_ids else (str(number), "\t", line)
        topic_id, query = topic_id.strip(), " ".join(query.split())
        if not tab:
            yield TopicProblem(
                source, number, "", "no tab, though other lines have one: expected an id, a tab, a query"
            )
        elif not topic_id or not query:
            yield TopicProblem(source, number, topic_id, "an id or a query is missing: expected an id, a tab, a query")
        elif is_path_or_mistake(query):
            yield Topic(topic_id, "CAS", castitle=query, source=source, line=number)
        else:
            yield Topic(topic_id, "CO", title=query, source=source, line=number)


EXPECTED = (
    "expected topics: XML of INEX or TREC, a table with a header (qid,query), JSON with a topic per line, "
    "or text with a query, or an id, a tab and a query, per line"
)
# Lines that are compared with the forms below.
MOST_LINES = 50

# What all lines have -> what the file then is.
ALL_LINES = (
    (re.compile(r"\S+\s+Q0\s+\S+\s+\d+(\s|$)"), "this looks like a run or qrels"),
    (re.compile(r"\S+\s+\d+\s+\S+\s+-?\d+$"), "this looks like qrels"),
    (re.compile(r"\S+(\t[^\t ]+){2,}$"), "three or more columns without spaces look like a run or qrels"),
)
# The same, for two lines or more, since a single one may be a query ("1,000 ships").
SEVERAL_LINES = (
    (re.compile(r"\d+\s+\S*[\d._/:-]\S*\s+-?\d$"), "this looks like qrels of three columns"),
    (
        re.compile(r"[\w.-]*\d[\w.-]*\s*[,;|]\s*\S"),
        "an id and a comma, a semicolon or | begin every line: a table without a header",
    ),
    (re.compile(r"[\w.-]*\d[\w.-]*:\s*\S"), "an id and a colon begin every line"),
    (re.compile(r"(-\s+)?(_?id|num|number|qid|query|title|topic)\s*:", re.IGNORECASE), "this looks like YAML"),
)
# What one line has.
ANY_LINE = (
    (re.compile(r"</?[A-Za-z_][\w.-]*(\s[^<>]*)?/?>"), "this looks like markup that begins with text"),
    (re.compile(r'\{\s*"[^"]+"\s*:'), "this looks like JSON after other text"),
    (re.compile(r"#{2,6}\s+\S|(```|~~~)|(={3,}|-{3,}|\*{3,}|_{3,})$"), "this looks like Markdown or another markup"),
)
FIRST_LINE = (
    (re.compile(r"\.I\s+\d+$"), "this looks like queries of SMART (.I, .W)"),
    (re.compile(r"(---|%YAML)(\s|$)"), "this looks like YAML"),
    (re.compile(r"(id|num|number|qid)\s*:\s*\S+$", re.IGNORECASE), "this looks like YAML"),
)

HEADING = re.compile(r"#\s+\S")
# A line of running text that goes on in the next: it ends with a comma, or contains the end of a sentence and does not
# end with one, or is long and ends with a word that no phrase ends with.
SENTENCE_END = re.compile(r"[^\W\d_]{2}[.!?][\"')”’]? +[\"'(“‘]?[^\W\d_]")
LINE_END = (".", "!", "?", ":", '"', "”")
LONG_LINE = 50
INNER_WORD = re.compile(r"\b(a|an|and|are|as|at|by|for|from|in|is|of|on|or|that|the|this|to|which|with)$")
# Lines that go on in the next one, at least, and their share of all, for which a text is not a list of queries.
FEWEST_CONTINUED, SHARE_CONTINUED = 3, 0.1


def check_queries(lines: Sequence[tuple[int, str]], source: str) -> None:
    """Refuse lines, given with their numbers, that have another form than queries.

    Raises: NoTopicFileError.
    """
    first = lines[:MOST_LINES]
    all_lines = ALL_LINES if len(first) == 1 else (*ALL_LINES, *SEVERAL_LINES)
    for form, reason in all_lines:
        if all(form.match(line) for _, line in first):
            raise NoTopicFileError(source, first[0][0], f"{reason}: {EXPECTED}.")
    for form, reason in FIRST_LINE:
        if form.match(first[0][1]):
            raise NoTopicFileError(source, first[0][0], f"{reason}: {EXPECTED}.")
    for number, line in lines:
        for form, reason in ANY_LINE:
            if form.match(line):
                raise NoTopicFileError(source, number, f"{reason}: {EXPECTED}.")
    number, line = lines[0]
    if HEADING.match(line):
        reason = "this looks like a heading of Markdown, or a comment, which is not a query"
        raise NoTopicFileError(source, number, f"{reason}: {EXPECTED}.")
    continued = _continued(lines)
    if len(continued) >= max(FEWEST_CONTINUED, SHARE_CONTINUED * len(lines)):
        reason = f"this looks like running text, whose sentences go on in the next line ({len(continued)} lines do)"
        raise NoTopicFileError(source, continued[0], f"{reason}: {EXPECTED}.")


def _continued(lines: Sequence[tuple[int, str]]) -> list[int]:
    """Return the numbers of lines that go on in the line after them, as lines of running text do and queries do not."""
    return [
        number
        for (number, line), (after, text) in pairwise(lines)
        if after == number + 1 and text[0].islower() and "\t" not in line and _goes_on(line)
    ]


def _goes_on(line: str) -> bool:
    if line.endswith((",", ";")) or (SENTENCE_END.search(line) and not line.endswith(LINE_END)):
        return True
    return len(line) >= LONG_LINE and INNER_WORD.search(line) is not None


# 1, 1., 1), T1, q-12: letters or none, then a number, before a blank and the query.
NUMBERED = re.compile(r"([A-Za-z]{0,8}[-_]?\d+)[.)]? +\S")


def doubtful_ids(lines: Sequence[tuple[int, str]], source: str) -> Iterator[TopicNotice]:
    """Yield a notice if all of two or more lines, given with their numbers, begin with distinct ids and a blank.

    Lines that begin with `#` are queries, too; they are named, and need no id.
    """
    comments = [number for number, line in lines if line.startswith("#")]
    ids = [NUMBERED.match(line) for _, line in lines if not line.startswith("#")]
    found = [match[1] for match in ids if match]
    if len(found) < max(2, len(ids)) or len(set(found)) < len(found):
        return
    first = next(number for number, line in lines if not line.startswith("#"))
    yield TopicNotice(
        source, first, "", Notice("ids_without_tab", {"id": found[0], "comment": comments[0] if comments else 0})
    )
