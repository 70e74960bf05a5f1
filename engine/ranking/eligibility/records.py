"""Records, and terms with what is said of them (`Profile.records`): the smallest useful answers.

A record of up to LONGEST_RECORD words is an answer, however short, and nothing inside of it is: one field of a
catalogue's entry, or a term without its definition, answers nothing. Longer ones are elements like others. Where fields
are asked for, by structure, by a scope or by `min_leaf_words` 0, there are no records.
"""

from __future__ import annotations

from engine.arrays import Mask
from engine.index.elements.containment import is_inside
from engine.index.reader import IndexReader
from engine.ranking.scoring.context import Context
from engine.records import NamedTuple

LONGEST_RECORD = 100  # words


class Records(NamedTuple):
    """Which of the scored elements are short records, and which lie in one."""

    are_records: Mask
    are_inside: Mask


def records_among(index: IndexReader, context: Context) -> Records:
    """Return which of the scored elements are short records, and which lie in one."""
    are_records = index.are_records(context.rows) & (context.words <= LONGEST_RECORD)
    inside = is_inside(index.elements, context.rows, context.rows.compress(are_records), properly=True)
    return Records(are_records & ~inside, inside)
