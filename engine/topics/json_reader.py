"""Reads topics from JSON: an object in each line (JSONL, as the queries of BEIR), or one array of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from engine.topics.fields import decoded, field_of, topic_of
from engine.topics.topic import NoTopicFileError, Topic, TopicProblem

EXPECTED = 'a topic in each line, {"_id": "q1", "text": "fog signal"}, or one array of such objects'
STARTS = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"\]])')


def is_json(data: bytes) -> bool:
    """Return whether a file begins as JSON does."""
    return STARTS.match(data) is not None


def read_json_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield the topics of a file, and the objects without an id or a query as problems.

    Raises: NoTopicFileError if the file is not UTF-8 or not JSON of this form.
    """
    text = decoded(data, source, EXPECTED)
    for line, record in _records(text, source):
        if not isinstance(record, dict):
            yield TopicProblem(source, line, "", f"found {_shown(record)}: expected {EXPECTED}")
            continue
        if _has_surrogate(record):
            yield TopicProblem(source, line, "", "an unpaired surrogate (\\ud800 to \\udfff), which is not a character")
            continue
        texts: dict[str, str] = {}
        for name, value in record.items():
            field = field_of(name)
            if field and field not in texts and (isinstance(value, str) or _is_number(value)):
                texts[field] = str(value)
        yield topic_of(texts, source, line)


def _records(text: str, source: str) -> Iterator[tuple[int, Any]]:
    """Yield each record with its line; in an array, with the line of the array."""
    if text.lstrip().startswith("["):
        yield from ((1, record) for record in _parsed(text, source, 1))
        return
    for line, record in enumerate(text.split("\n"), 1):
        if record.strip():
            yield line, _parsed(record, source, line)


def _parsed(text: str, source: str, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"no JSON ({error.msg}, column {error.colno}): expected {EXPECTED}."
        raise NoTopicFileError(source, line + error.lineno - 1, reason) from None
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        raise NoTopicFileError(source, line, f"JSON that is not a topic: expected {EXPECTED}.") from None


def _has_surrogate(record: dict[str, Any]) -> bool:
    texts = "".join(text for item in record.items() for text in item if isinstance(text, str))
    return any("\ud800" <= character <= "\udfff" for character in set(texts))


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"
