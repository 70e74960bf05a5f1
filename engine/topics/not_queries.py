"""Recognises text that is not a list of queries: it is refused, because searched as words it would find something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.topics.topic import NoTopicFileError

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
    (re.compile(r"[\w.-]*\d[\w.-]*\s*[,;|]\s*\S"), "an id and a comma begin every line: a table without a header"),
    (re.compile(r"[\w.-]*\d[\w.-]*:\s*\S"), "an id and a colon begin every line"),
    (re.compile(r"(-\s+)?(_?id|num|number|qid|query|title|topic)\s*:", re.IGNORECASE), "this looks like YAML"),
)
# What one line has.
ANY_LINE = (
    (re.compile(r"</?[A-Za-z_][\w.-]*(\s[^<>]*)?/?>"), "this looks like markup that begins with text"),
    (re.compile(r'\{\s*"[^"]+"\s*:'), "this looks like JSON after other text"),
)
FIRST_LINE = (
    (re.compile(r"\.I\s+\d+$"), "this looks like queries of SMART (.I, .W)"),
    (re.compile(r"(---|%YAML)(\s|$)"), "this looks like YAML"),
    (re.compile(r"(id|num|number|qid)\s*:\s*\S+$", re.IGNORECASE), "this looks like YAML"),
)


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
