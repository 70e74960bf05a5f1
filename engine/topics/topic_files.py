"""Reads the topics of a file or a folder."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.errors import TopicError
from engine.system.input_files import begins_as_xml, read_input
from engine.topics.inex_reader import read_inex_topics
from engine.topics.json_reader import is_json, read_json_topics
from engine.topics.selection import selected_ids
from engine.topics.text_reader import read_text_topics
from engine.topics.topic import NoTopicFileError, Topic, TopicFile, TopicNotice, TopicProblem
from engine.topics.trec_reader import is_trec, read_trec_topics

NO_FILE = "the folder contains no .xml or .xml.gz file: expected one, or a file of topics"


def read_topics(path: str | os.PathLike[str], only: str | None = None) -> TopicFile:
    """Return the topics of a file, or of all `.xml` and `.xml.gz` files in a folder, and the problems found.

    Files of a folder are read in the order of their names, numbers in names by value. An unreadable topic is reported
    as a problem and skipped; so is an unreadable file of a folder.

    Args:
        only: selects topics, such as 99,101-110; see `selected_ids`.
    Raises: TopicError if the file is not a topic file, if no topic can be read, or if `only` selects none.
    """
    folder_or_file = Path(path)
    found = _of_folder(folder_or_file) if os.path.isdir(folder_or_file) else _of_file(folder_or_file)
    topics: dict[str, Topic] = {}
    problems: list[TopicProblem] = []
    notices: list[TopicNotice] = []
    for item in found:
        if isinstance(item, TopicNotice):
            notices.append(item)
        elif isinstance(item, TopicProblem):
            problems.append(item)
        elif first := topics.get(item.topic_id):
            reason = f"duplicate id, first in {first.source}:{first.line}: the second topic is skipped"
            problems.append(TopicProblem(item.source, item.line, item.topic_id, reason))
        else:
            topics[item.topic_id] = item
    if not topics:
        listed = "; ".join(str(problem).removesuffix(".") for problem in problems[:3]) or NO_FILE
        raise TopicError(f"{folder_or_file}: no topic can be read: {listed}.")
    if only is None:
        return TopicFile(tuple(topics.values()), tuple(problems), tuple(notices))
    named = list(dict.fromkeys([*topics, *(problem.topic_id for problem in problems if problem.topic_id)]))
    chosen = set(selected_ids(only, named))
    return TopicFile(
        tuple(topic for topic in topics.values() if topic.topic_id in chosen),
        tuple(problem for problem in problems if not problem.topic_id or problem.topic_id in chosen),
        tuple(notices),
    )


def _of_folder(folder: Path) -> Iterator[Topic | TopicProblem]:
    for file in sorted([*folder.glob("*.xml"), *folder.glob("*.xml.gz")], key=_natural):
        try:
            yield from _of_file(file)
        except NoTopicFileError as error:
            yield error.problem


def _of_file(file: Path) -> Iterator[Topic | TopicProblem]:
    try:
        data = read_input(file, unpacks=True).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}. Expected a file or a folder of topics."
        raise NoTopicFileError(str(file), 0, reason) from None
    yield from _reader(data)(data, str(file))


def _reader(data: bytes) -> Callable[[bytes, str], Iterator[Topic | TopicProblem]]:
    """Return the reader of the format that a file has by its content."""
    if is_trec(data):
        return read_trec_topics
    if begins_as_xml(data):
        return read_inex_topics
    return read_json_topics if is_json(data) else read_text_topics


def _natural(file: Path) -> list[tuple[int, int | str]]:
    """Return a sort key that puts 99.xml before 101.xml."""
    parts = re.split(r"(\d+)", file.name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]
