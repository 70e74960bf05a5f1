"""Reads topics from plain text: a table with a header; an id, a tab and a query per line; or one query per line."""

from __future__ import annotations

from collections.abc import Iterator

from engine.topics.not_queries import EXPECTED, check_queries
from engine.topics.table_reader import check_has_header, read_table, separator_of
from engine.topics.topic import NoTopicFileError, Topic, TopicProblem
from engine.topics.utf8 import decoded


def read_text_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield a topic for every line that is not blank, and the problems found.

    A first line such as `qid,query` makes the file a table (`read_table`). If one line has a tab, all lines must have
    one; without tabs, the line number is the id. A query that begins with `/` is a path query, any other a keyword
    query.

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
