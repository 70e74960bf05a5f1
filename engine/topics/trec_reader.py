"""Reads topics of TREC: `<top>` with `<num>`, `<title>`, `<desc>` and `<narr>`, whose end tags are often missing."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from engine.topics.fields import ID, decoded, topic_of
from engine.topics.topic import NoTopicFileError, Topic, TopicProblem

TOP = re.compile(r"<top\s*>", re.IGNORECASE)
END = re.compile(r"</top\s*>", re.IGNORECASE)
TAG = re.compile(r"</?([A-Za-z][\w-]*)[^<>]*>")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ENTITY = re.compile(r"&#?\w+;")

FIELDS = {
    "num": ID,
    "title": "title",
    "query": "query",
    "castitle": "castitle",
    "desc": "description",
    "narr": "narrative",
    "con": "keywords",
}
# Tags that begin another part of a topic, which is not read.
OTHERS = {"head", "dom", "smry", "fac", "def", "nat", "time", "lang", "querytime", "querytweettime"}
# What TREC writes before the text of a field.
LABEL = re.compile(r"\s*(?:Number|Topic|Description|Narrative|Concept\(s\))\s*:", re.IGNORECASE)


def is_trec(data: bytes) -> bool:
    """Return whether a file contains topics of TREC."""
    return re.search(rb"<top\s*>", data, re.IGNORECASE) is not None


def read_trec_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield the topics of a file, and those without an id or a query as problems.

    Leading zeros of numbers are dropped (`Number: 051` is topic 51), as in the qrels of TREC.

    Raises: NoTopicFileError if the file is not UTF-8, or has no topic outside comments.
    """
    text = decoded(data, source, "topics of TREC (<top>)")
    text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    begins = [match.span() for match in TOP.finditer(text)]
    if not begins:
        raise NoTopicFileError(source, 1, "every <top> is in a comment: expected topics of TREC (<top>).")
    limits = [begin for begin, _ in begins[1:]] + [len(text)]
    line, counted = 1, 0
    for (begin, after), limit in zip(begins, limits, strict=True):
        line, counted = line + text.count("\n", counted, begin), begin
        end = END.search(text, after, limit)
        try:
            texts = _fields(text[after : end.start() if end else limit])
        except ValueError as error:
            yield TopicProblem(source, line, "", str(error))
        else:
            yield topic_of(texts, source, line)


def _fields(body: str) -> dict[str, str]:
    """Return the texts of the fields of one topic.

    Raises: ValueError for a field that occurs twice: two topics, perhaps, of which the first has no end.
    """
    texts: dict[str, str] = {}
    marks = [mark for mark in TAG.finditer(body) if mark[1].lower() in FIELDS or mark[1].lower() in OTHERS]
    limits = [mark.start() for mark in marks[1:]] + [len(body)]
    for mark, limit in zip(marks, limits, strict=True):
        field = FIELDS.get(mark[1].lower())
        if field is None or mark[0].startswith("</"):
            continue
        if field in texts:
            raise ValueError(f"duplicate {mark[0]}: expected one in each <top>")
        texts[field] = _text(body[mark.end() : limit])
    if texts.get(ID, "").isdecimal():
        texts[ID] = texts[ID].lstrip("0") or "0"
    return texts


def _text(raw: str) -> str:
    """Return the text of a field: without its label and tags, entities replaced."""
    raw = LABEL.sub("", raw, count=1) if LABEL.match(raw) else raw
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), TAG.sub(" ", raw)).strip()
