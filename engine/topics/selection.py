"""Selects topics by a list such as `99,101-110,mm6`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.errors import TopicError

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
                raise TopicError(f"topics {item!r}: the range is reversed: write {meant}.")
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
            raise TopicError(f"topics {item!r}: no topic has this id or is in this range: {_known(ids)}.")
        chosen |= found
    if not chosen:
        raise TopicError(f"topics {only!r}: expected ids and ranges separated by commas, such as 99,101-110.")
    return [name for name in ids if name in chosen]


def _known(ids: Sequence[str]) -> str:
    if not ids:
        return "there are no topics"
    shown = ", ".join(ids[:5])
    return f"the topics are {shown}" if len(ids) <= 5 else f"the topics are {shown} ... {ids[-1]} ({len(ids)} of them)"
