"""Topics as plain text: one query a line, or an id, a tab and the query."""

import re
from collections.abc import Iterator

from engine.topics.topic import NoTopicFileError, Topic, TopicProblem

RESULT = re.compile(r"\S+\s+Q0\s+\S+\s+\d+\s")
"""How a line of a run or of judgements begins."""


def read_text_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield a topic for every line that is not blank; one without an id is named after its line number.

    A query that begins with ``/`` is a path query, any other a keyword query. If one line has a tab, all have.

    Raises: NoTopicFileError if the file is no UTF-8 text, holds no query, or is a run or judgements.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise NoTopicFileError(source, bad, f"byte 0x{data[error.start]:02x} is no UTF-8: {_EXPECTED}.") from error
    queries = [(number, line.strip(" \r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not queries:
        raise NoTopicFileError(source, 1, f"the file is empty: {_EXPECTED}.")
    if "\0" in text:
        raise NoTopicFileError(source, 1, f"the file holds NUL characters and is no text: {_EXPECTED}.")
    if RESULT.match(queries[0][1]):
        raise NoTopicFileError(source, queries[0][0], f"this looks like a run or judgements: {_EXPECTED}.")
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


_EXPECTED = "expected topics, as XML of INEX or as text with one query a line"
