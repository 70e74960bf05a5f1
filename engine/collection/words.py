"""The words of a batch in the order of their numbers: leaf by leaf, in each leaf in the order of its own text.

So an element is an interval of words, and its length in words a difference. Stop words are counted; the words of
elements that are left out are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis import Bytes, Words, characters_before
from engine.sentences import find_sentences, trimmed

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class FoundWords:
    """The words of a batch in the order of the text, and the text they were found in."""

    encoded: Bytes  # a border in the place of every tag that is not inline
    borders: Rows  # where the borders stand in it
    words: Words
    text_nodes: Rows  # a word: number of the last border before it, one a text node


class Sentences(NamedTuple):
    """Where a sentence begins inside a leaf, not with it, and where the one before ends; numbers of words ascending."""

    words: Rows  # number of the first word
    text_nodes: NDArray[np.bool_]  # whether a text node of the leaf begins there, too: behind a child element
    starts: Rows  # code points from the start of the document, white space trimmed
    ends: Rows  # of the sentence before


def leaf_by_leaf(leaves: Rows, counted: NDArray[np.bool_]) -> Rows:
    """Return the words (places in the order of the text) that are counted, in the order of their numbers."""
    begins = np.flatnonzero(np.diff(leaves, prepend=-1))  # of runs of words of one leaf, far fewer than words
    counts = np.diff(begins, append=len(leaves))
    runs = np.flatnonzero(counted[begins])
    runs = runs[np.argsort(leaves[begins[runs]], kind="stable")]
    counts = counts[runs]
    ends = np.cumsum(counts)
    order: Rows = np.arange(int(counts.sum())) + np.repeat(begins[runs] - ends + counts, counts)
    return order


def sentences_of_leaves(
    found: FoundWords, order: Rows, leaves: Rows, first_rows: Rows, document_starts: Rows
) -> Sentences:
    """Return where sentences begin inside leaves: where one ends in a text node, and with every new text node.

    Args:
        order: a word's place in the order of the text, by number; `leaves` its leaf.
        first_rows: row of each document's root, then the number of rows; `document_starts` the code points before it.
    """
    words, text_nodes = found.words, found.text_nodes
    marked = find_sentences(found.encoded, words.starts, words.ends, text_nodes)
    end_before = np.zeros(len(text_nodes), np.int64)
    end_before[marked.words] = marked.ends
    node = text_nodes[order]
    is_border = end_before[order] > 0
    is_node = np.zeros(len(order), np.bool_)
    is_node[1:] = (node[1:] != node[:-1]) & (leaves[1:] == leaves[:-1])
    numbers = np.flatnonzero(is_border | is_node)
    is_node = is_node[numbers]

    node_before = node[numbers - 1]
    ends = end_before[order[numbers]]
    starts = ends.copy()
    ends[is_node] = found.borders[node_before[is_node] + 1]
    starts[is_node] = found.borders[node[numbers[is_node]]] + 1
    starts, ends = trimmed(found.encoded, starts, ends)

    places = characters_before(found.encoded, np.concatenate([starts, ends]))
    starts, ends = places[: len(starts)] - node[numbers] - 1, places[len(starts) :] - node_before - 1
    before = document_starts[np.searchsorted(first_rows, leaves[numbers], side="right") - 1]
    return Sentences(numbers, is_node, starts - before, ends - before)
