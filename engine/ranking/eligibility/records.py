"""Records, and terms with what is said of them (`Profile.records`): the smallest useful answers.

So are entries (`Profile.entries`) of a text of more than GIANT words: lines of verse without stanzas, citations in a
list of hundreds. Between these and the text around them nothing is an answer.

A record of up to LONGEST_RECORD words is an answer, however short, and nothing inside of it is: one field of a
catalogue's entry, or a term without its definition, answers nothing. Longer ones are elements like others. Where fields
are asked for, by structure, by a scope or by `min_leaf_words` 0, there are no records.
"""

from __future__ import annotations

from engine.arrays import Mask, places_of
from engine.index.elements.containment import is_inside
from engine.index.reader import IndexReader
from engine.ranking.scoring.context import Context
from engine.records import NamedTuple

LONGEST_RECORD, GIANT = 100, 300  # words


class Records(NamedTuple):
    """Which of the scored elements are short records, and which lie in one."""

    are_records: Mask
    are_inside: Mask


def records_among(index: IndexReader, context: Context) -> Records:
    """Return which of the scored elements are short records, and which lie in one."""
    are_records = index.are_records(context.rows)
    entries = places_of(index.are_entries(context.rows))
    around = index.elements.nearest_non_inline(index.elements.parent(context.rows.take(entries)))
    are_records[entries] |= index.elements.n_words(around) > GIANT
    are_records &= context.words <= LONGEST_RECORD
    inside = is_inside(index.elements, context.rows, context.rows.compress(are_records), properly=True)
    return Records(are_records & ~inside, inside)
