"""The fields of a topic under the names that tables, JSON and TREC files give them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.query.nexi.terms import without_item_marks
from engine.query.path_or_words import is_path_or_mistake
from engine.topics.topic import NoTopicFileError, Topic, TopicProblem


def decoded(data: bytes, source: str, expected: str) -> str:
    """Return the text of a file.

    Raises: NoTopicFileError if it is not UTF-8 or contains NUL characters.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{data[error.start]:02x} is not UTF-8: expected {expected}."
        raise NoTopicFileError(source, bad, reason) from error
    if "\0" in text:
        reason = f"the file contains NUL characters, so it is not text: expected {expected}."
        raise NoTopicFileError(source, text.count("\n", 0, text.index("\0")) + 1, reason)
    return text


ID = "topic_id"
# The query: the first of these that a record has; what else it contains may be longer texts about the topic.
QUERIES = ("query", "title", "text", "question", "contents")

# Name in lower case with `_` for `-`, blanks removed -> field of `Topic`, or one of QUERIES.
FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("_id", "id", "qid", "query_id", "queryid", "tid", "topic_id", "topicid", "number", "num"), ID),
    **dict.fromkeys(("topic", "topic_number", "query_number"), ID),
    **{name: name for name in QUERIES},
    **dict.fromkeys(("query_text", "querytext", "query_string"), "query"),
    "topic_title": "title",
    "topic_text": "text",
    "castitle": "castitle",
    **dict.fromkeys(("description", "desc"), "description"),
    **dict.fromkeys(("narrative", "narr"), "narrative"),
    "keywords": "keywords",
}


def field_of(name: str) -> str | None:
    """Return the field that a column or key names, None if it is not one of a topic.

    >>> field_of("Query-ID"), field_of("metadata")
    ('topic_id', None)
    """
    return FIELDS.get(name.strip().lower().replace("-", "_").replace(" ", "_"))


def is_id(name: str) -> bool:
    """Return whether a column or key names the id of a topic and can be nothing else, as `qid` and unlike `number`."""
    return field_of(name) == ID and name.strip().lower() not in ("id", "topic", "number", "num")


def topic_of(texts: Mapping[str, str], source: str, line: int) -> Topic | TopicProblem:
    """Return the topic of a record of fields, a problem if it has no id or no query.

    A title that is a path query becomes the castitle; white space is collapsed, and in queries the marks of items in
    several lines are left out, as in a search.
    """
    as_read = {field: without_item_marks(text) if field in QUERIES else text for field, text in texts.items()}
    given = {field: " ".join(text.split()) for field, text in as_read.items()}
    topic_id = given.pop(ID, "")
    if not topic_id:
        return TopicProblem(source, line, "", "no id: expected a field such as id or qid")
    queries = [text for name in QUERIES if (text := given.pop(name, ""))]
    title, castitle = queries[0] if queries else "", given.pop("castitle", "")
    if is_path_or_mistake(title) and not castitle:
        title, castitle = "", title
    if not title and not castitle:
        return TopicProblem(source, line, topic_id, "no query: expected a field such as query, title or text")
    return Topic(
        topic_id=topic_id,
        query_type="CO" if not castitle else "CO+S" if title else "CAS",
        title=title,
        castitle=castitle,
        source=source,
        line=line,
        **given,
    )
