"""Reading topics from a file or a folder of files."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from engine.errors import TopicError
from engine.topics.inex import read_inex_topics
from engine.topics.selection import selected_ids
from engine.topics.text import read_text_topics
from engine.topics.topic import NoTopicFileError, Topic, TopicFile, TopicProblem

UTF8_MARK = b"\xef\xbb\xbf"
XML_STARTS = (b"<", b"\xff\xfe", b"\xfe\xff")
"""How XML begins: a tag, or the byte order mark of UTF-16."""


def read_topics(path: str | os.PathLike[str], only: str | None = None) -> TopicFile:
    """Return the topics of a file, or of all ``.xml`` files in a folder, and what could not be read.

    Files of a folder come in the order of their names, numbers in them by value. A topic that cannot be read becomes a
    problem, and the others go on; in a folder so does a file. ``only`` keeps the topics of a list such as 99,101-110.

    Raises: TopicError if the file is no topic file, if nothing in it can be read, or if ``only`` names no topic.
    """
    folder_or_file = Path(path)
    found = _of_folder(folder_or_file) if folder_or_file.is_dir() else _of_file(folder_or_file)
    topics: dict[str, Topic] = {}
    problems: list[TopicProblem] = []
    for item in found:
        if isinstance(item, TopicProblem):
            problems.append(item)
        elif first := topics.get(item.topic_id):
            reason = f"this id stands twice, first in {first.source}:{first.line}: the second topic is left out"
            problems.append(TopicProblem(item.source, item.line, item.topic_id, reason))
        else:
            topics[item.topic_id] = item
    if not topics:
        listed = "; ".join(map(str, problems[:3])) or "there are no .xml files"
        raise TopicError(f"{folder_or_file}: no topic can be read: {listed}.")
    if only is None:
        return TopicFile(tuple(topics.values()), tuple(problems))
    named = list(dict.fromkeys([*topics, *(problem.topic_id for problem in problems if problem.topic_id)]))
    chosen = set(selected_ids(only, named))
    return TopicFile(
        tuple(topic for topic in topics.values() if topic.topic_id in chosen),
        tuple(problem for problem in problems if not problem.topic_id or problem.topic_id in chosen),
    )


def _of_folder(folder: Path) -> Iterator[Topic | TopicProblem]:
    for file in sorted(folder.glob("*.xml"), key=_natural):
        try:
            yield from _of_file(file)
        except NoTopicFileError as error:
            yield error.problem


def _of_file(file: Path) -> Iterator[Topic | TopicProblem]:
    try:
        data = file.read_bytes().removeprefix(UTF8_MARK)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}. Expected a file or a folder of topics."
        raise NoTopicFileError(str(file), 1, reason) from error
    is_xml = data.lstrip().startswith(XML_STARTS)
    yield from (read_inex_topics if is_xml else read_text_topics)(data, str(file))


def _natural(file: Path) -> list[tuple[int, int | str]]:
    """Return a sort key that puts 99.xml before 101.xml."""
    parts = re.split(r"(\d+)", file.name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]
