"""The forms that words have in texts: where the index has stems, `lenses` for `lens`.

A segment has the forms of all its words, but not where each is: that is read in the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from engine.arrays import Mask, Rows
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.index.texts.own_text import own_text
from engine.index.texts.text_reader import TextReader
from engine.query_limits import check_time
from engine.text.analyser import Analyser


class WordForms:
    """The forms of the words of an index."""

    def __init__(self, segments: Sequence[Segment], analyser: Analyser) -> None:
        self._segments, self._analyser = segments, analyser

    def have_form(self, elements: Elements, rows: Rows, positions: Rows, form: str) -> Mask:
        """Return which words have a form, given by their leaves (ascending) and their positions in the own text.

        Args:
            elements: those of the index; a reference of an object to the elements that have it would be a cycle.
        """
        found = np.zeros(len(rows), np.bool_)
        texts = TextReader(self._segments, elements)
        begins = [*np.flatnonzero(np.diff(rows, prepend=-1)).tolist(), len(rows)]
        for begin, end in pairwise(begins):
            check_time()
            leaf = rows[begin : begin + 1]
            forms = self._analyser.forms_of(own_text(texts, int(elements.document(leaf)[0]), int(leaf[0])))
            found[begin:end] = [forms[position] == form for position in positions[begin:end].tolist()]
        return found
