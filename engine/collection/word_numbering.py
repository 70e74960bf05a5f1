"""Numbers the words of a batch leaf by leaf, within a leaf in the order of its own text.

An element is then an interval of word numbers, and its length in words a difference. Stop words are numbered, words in
skipped elements are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.text.sentences import find_sentences, trimmed
from engine.text.utf8 import Bytes, characters_before
from engine.text.words import Words

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class FoundWords:
    """The words of a batch in document order, and the text in which they were found."""

    encoded: Bytes  # UTF-8, a border in place of every tag that is not inline
    borders: Rows  # byte offsets of the borders
    blanks: Rows  # byte offsets of the spaces inserted at breaks, which are part of no text
    words: Words
    text_nodes: Rows  # per word: number of the last border before it, which identifies its text node


class Sentences(NamedTuple):
    """The second and later sentences of every leaf, ascending by word number."""

    words: Rows  # number of the first word
    text_nodes: NDArray[np.bool_]  # whether a text node begins here too, after a child element
    starts: Rows  # code points from the start of the document, without white space
    ends: Rows  # of the preceding sentence, in the same unit


def order_by_leaf(leaves: Rows, is_indexed: NDArray[np.bool_]) -> Rows:
    """Return the indexed words, as positions in document order, in the order of their numbers.

    Args:
        leaves: the leaf of every word in document order; `is_indexed` is false for words of skipped elements.
    """
    # Sorts runs of words of one leaf, of which there are far fewer than words; stable, to keep the order of the text.
    begins = np.flatnonzero(np.diff(leaves, prepend=-1))
    counts = np.diff(begins, append=len(leaves))
    runs = np.flatnonzero(is_indexed[begins])
    runs = runs[np.argsort(leaves[begins[runs]], kind="stable")]
    counts = counts[runs]
    ends = np.cumsum(counts)
    order: Rows = np.arange(int(counts.sum())) + np.repeat(begins[runs] - ends + counts, counts)
    return order


def sentences_of_leaves(
    found: FoundWords, order: Rows, leaves: Rows, first_rows: Rows, document_starts: Rows
) -> Sentences:
    """Return where sentences begin inside leaves: after the end of another, and with every further text node.

    Args:
        order: position in document order, by word number; `leaves` gives the leaf.
        first_rows: row of each document's root, then n_elements.
        document_starts: code points of the batch before each document.
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

    edges = np.concatenate([starts, ends])
    places = characters_before(found.encoded, edges) - np.searchsorted(found.blanks, edges)
    starts, ends = places[: len(starts)] - node[numbers] - 1, places[len(starts) :] - node_before - 1
    before = document_starts[np.searchsorted(first_rows, leaves[numbers], side="right") - 1]
    return Sentences(numbers, is_node, starts - before, ends - before)
