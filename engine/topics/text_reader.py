"""Reads topics from plain text: one query per line, or an id, a tab and a query per line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.topics.topic import NoTopicFileError, Topic, TopicProblem

# Beginning of a line of a run or of qrels.
RESULT = re.compile(r"\S+\s+Q0\s+\S+\s+\d+\s")


def read_text_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield a topic for every line that is not blank, and the problems found.

    A query that begins with `/` is a path query, any other a keyword query. If one line has a tab, all lines must have
    one; without tabs, the line number is the id.

    Raises: NoTopicFileError if the file is not UTF-8, contains no query, or is a run or qrels.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise NoTopicFileError(source, bad, f"byte 0x{data[error.start]:02x} is not UTF-8: {_EXPECTED}.") from error
    queries = [(number, line.strip(" \r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not queries:
        raise NoTopicFileError(source, 1, f"the file is empty: {_EXPECTED}.")
    if "\0" in text:
        raise NoTopicFileError(source, 1, f"the file contains NUL characters, so it is not text: {_EXPECTED}.")
    if RESULT.match(queries[0][1]):
        raise NoTopicFileError(source, queries[0][0], f"this looks like a run or qrels: {_EXPECTED}.")
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
        elif query.startswith("/"):
            yield Topic(topic_id, "CAS", castitle=query, source=source, line=number)
        else:
            yield Topic(topic_id, "CO", title=query, source=source, line=number)


_EXPECTED = "expected topics, as XML of INEX or as text with one query per line"
