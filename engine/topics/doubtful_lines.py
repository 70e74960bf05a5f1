"""Notices lines of topics that seem to begin with an id, though a tab, which ends an id, is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.notices import Notice
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
    yield TopicNotice(
        source, first, "", Notice("ids_without_tab", {"id": found[0], "comment": comments[0] if comments else 0})
    )
