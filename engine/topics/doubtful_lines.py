"""Notices lines of topics that seem to begin with an id, though a tab, which ends an id, is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.topics.topic import TopicNotice

# 1, 1., 1), T1, q-12: letters or none, then a number, before a blank and the query.
ID = re.compile(r"([A-Za-z]{0,8}[-_]?\d+)[.)]? +\S")


def doubtful_ids(lines: Sequence[tuple[int, str]], source: str) -> Iterator[TopicNotice]:
    """Yield a notice if all of two or more lines, given with their numbers, begin with distinct ids and a blank.

    Lines that begin with `#` are queries, too; they are named, and need no id.
    """
    comments = [number for number, line in lines if line.startswith("#")]
    ids = [ID.match(line) for _, line in lines if not line.startswith("#")]
    found = [match[1] for match in ids if match]
    if len(found) < max(2, len(ids)) or len(set(found)) < len(found):
        return
    first = next(number for number, line in lines if not line.startswith("#"))
    reason = (
        f"every line seems to begin with an id, such as {found[0]!r}, and a blank: it was read as a word of the query, "
        "and the line number is the id. Write a tab after each id"
    )
    if comments:
        reason += f"; lines that begin with # are queries, not comments (line {comments[0]}): remove them"
    yield TopicNotice(source, first, "", f"{reason}.")
