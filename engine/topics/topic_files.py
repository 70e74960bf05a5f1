"""Reads the topics of a file or a folder, all or those of a list such as `99,101-110,mm6`; writes such lists."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from engine.errors import TopicError
from engine.system.input_files import begins_as_xml, read_input
from engine.topics.inex_reader import read_inex_topics
from engine.topics.json_reader import is_json, read_json_topics
from engine.topics.text_reader import read_text_topics
from engine.topics.topic import NoTopicFileError, Topic, TopicFile, TopicNotice, TopicProblem
from engine.topics.trec_reader import is_trec, read_trec_topics
from engine.wording import shown

# Longer digit strings are names, not numbers, so converting a huge one costs no time.
MOST_DIGITS = 18

RANGE = re.compile(rf"(.*?)(\d{{1,{MOST_DIGITS}}})-\1(\d{{1,{MOST_DIGITS}}})")


def selected_ids(only: str, ids: Sequence[str]) -> list[str]:
    """Return the ids that a list selects, in the order of `ids`.

    An item is an id, or a range of numbers, both ends included; the same text may be before both
    (`CU01-CU03`). An item that is an id is never read as a range (`2009-Eff-228`, or `12-15` if a
    topic has this name).

    Raises: TopicError if an item selects no topic.

    >>> selected_ids("99, 101-110", ["98", "99", "100", "101", "mm6", "110"])
    ['99', '101', '110']
    >>> selected_ids("CU01-CU03", ["CU1", "CU03", "CU04", "2"])
    ['CU1', 'CU03']
    """
    known = set(ids)
    chosen: set[str] = set()
    for item in filter(None, (part.strip() for part in only.split(","))):
        if item in known:
            found = {item}
        elif match := RANGE.fullmatch(item):
            before, first, last = match[1], int(match[2]), int(match[3])
            if first > last:
                meant = f"{before}{match[3]}-{before}{match[2]}"
                raise TopicError(f"topics {shown(item)}: the range is reversed: write {meant}.")
            found = {
                name
                for name in known
                if name.startswith(before)
                and (number := name[len(before) :]).isdecimal()
                and len(number) <= MOST_DIGITS
                and first <= int(number) <= last
            }
        else:
            found = set()
        if not found:
            raise TopicError(f"topics {shown(item)}: no topic has this id or is in this range: {_known(ids)}.")
        chosen |= found
    if not chosen:
        raise TopicError(f"topics {shown(only)}: expected ids and ranges separated by commas, such as 99,101-110.")
    return [name for name in ids if name in chosen]


def selection_of(chosen: Collection[str], ids: Sequence[str], most: int) -> str:
    """Return a list of at most `most` characters by which `selected_ids` selects `chosen` from `ids`.

    It is "" if no list of ranges of neighbours and of single ids does so.

    >>> selection_of(["1", "2", "3", "10"], ["1", "10", "2", "3", "4"], most=40)
    '1-3,10'
    """
    streaks = list(_streaks(set(chosen), ids))
    if 2 * len(streaks) - 1 > most:  # characters and commas between them; many ranges take long to check
        return ""
    only = ",".join(item for streak in streaks for item in _items(streak, ids))
    return only if len(only) <= most and _is_selected(only, chosen, ids) else ""


def _streaks(chosen: Collection[str], ids: Sequence[str]) -> Iterator[list[str]]:
    """Yield the chosen ids, in the order of their numbers, parted where another id is between them."""
    streak: list[str] = []
    for name in sorted(ids, key=_by_number):
        if name in chosen:
            streak.append(name)
        elif streak:
            yield streak
            streak = []
    if streak:
        yield streak


def _by_number(name: str) -> tuple[str, int, str]:
    digits = name[len(name.rstrip("0123456789")) :]
    significant = digits.lstrip("0")
    return name[: len(name) - len(digits)], len(significant), significant


def _items(streak: list[str], ids: Sequence[str]) -> list[str]:
    """Return the range of neighbouring ids, or the ids where they are few or no range selects them."""
    between = f"{streak[0]}-{streak[-1]}"
    return [between] if len(streak) > 2 and _is_selected(between, streak, ids) else streak


def _is_selected(only: str, chosen: Collection[str], ids: Sequence[str]) -> bool:
    try:
        return set(selected_ids(only, ids)) == set(chosen)
    except TopicError:
        return False


def _known(ids: Sequence[str]) -> str:
    if not ids:
        return "there are no topics"
    shown = ", ".join(ids[:5])
    return f"the topics are {shown}" if len(ids) <= 5 else f"the topics are {shown} ... {ids[-1]} ({len(ids)} of them)"


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
