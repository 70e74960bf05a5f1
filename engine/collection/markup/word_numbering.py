"""The numbers and languages of the words of a batch.

Words are numbered leaf by leaf, within a leaf in the order of its own text. An element is then an interval of word
numbers, and its length in words a difference. Stop words are numbered, words in skipped elements are not: words and
sentences go on across these, as if they were not there.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Rows, ranges
from engine.collection.markup.attributes import MarkupAttributes
from engine.records import NamedTuple, dataclass
from engine.text.languages import Numbers, language_names, language_number, recognised_languages
from engine.text.sentences import after_left_over, find_sentences, trimmed
from engine.text.utf8 import Bytes, characters_before
from engine.text.vocabulary import Surfaces
from engine.text.words import Words

XML_LANG = "xml:lang"
# Neither the element nor one above it says a language.
OPEN = -1
# Of the words of a document, the share of a language below which it does not count.
LEAST_SHARE = 0.02


class WordLanguages(NamedTuple):
    """The language number of every word, and of each document the names of all its languages, joined by blanks."""

    numbers: Numbers
    of_documents: list[str]


def row_languages(found: MarkupAttributes, end: Rows) -> Numbers:
    """Return the language that xml:lang gives each element, `OPEN` if it gives none.

    Args:
        found: all attributes. end: one past the last row of each subtree.
    """
    languages = np.full(len(end), OPEN, np.int8)
    is_language = np.array([name == XML_LANG for name in found.names], np.bool_)
    places = np.flatnonzero(is_language[found.spelling]) if is_language.any() else np.empty(0, np.int64)
    for row, value in zip(found.rows[places].tolist(), found.values(places), strict=True):
        number = language_number(value)
        languages[row : end[row]] = OPEN if number is None else number
    return languages


def word_languages(surfaces: Surfaces, given: Numbers, documents: Rows, n_documents: int) -> WordLanguages:
    """Return the languages of all words.

    Args:
        given: of each word, the language that xml:lang gives it, or `OPEN`.
        documents: of each word, its document, ascending.
    """
    names = language_names()
    kinds = np.arange(OPEN, len(names), dtype=np.int8)
    cells = documents * len(kinds) + (given - OPEN)  # of each word; there are few: a document has few languages
    n_words = np.bincount(cells, minlength=n_documents * len(kinds)).reshape(n_documents, len(kinds))
    # A language that few words of a document have is taken to be that of most.
    is_rare = n_words < LEAST_SHARE * n_words.sum(axis=1, keepdims=True)
    language = np.where(is_rare, kinds[n_words.argmax(axis=1)][:, np.newaxis], kinds)
    is_open = (language == OPEN) & (n_words > 0)
    if is_open.any():
        open_words = np.flatnonzero(is_open.ravel().take(cells))
        of_document = recognised_languages(
            surfaces.distinct, surfaces.numbers.take(open_words), documents.take(open_words), n_documents
        )
        language = np.where(is_open, of_document[:, np.newaxis], language)
    found: list[set[str]] = [set() for _ in range(n_documents)]
    used, which = np.nonzero(n_words)
    for document, number in zip(used.tolist(), language[used, which].tolist(), strict=True):
        found[document].add(names[number])
    return WordLanguages(language.ravel().take(cells), [" ".join(sorted(each)) for each in found])


class RemovedText(NamedTuple):
    """Where the text of skipped elements was taken out, ascending, and how many characters there, and before."""

    places: Rows  # byte offsets
    characters: Rows  # sums, from 0: shape (n + 1,)


@dataclass(frozen=True)
class FoundWords:
    """The words of a batch in document order, and the text in which they were found."""

    encoded: Bytes  # UTF-8 without skipped elements, a border in place of every other tag that is not inline
    borders: Rows  # byte offsets of the borders
    blanks: Rows  # byte offsets of the spaces inserted at breaks, which are part of no text
    skipped: RemovedText
    words: Words
    text_nodes: Rows  # per word: number of the last border before it, which identifies its text node


class Sentences(NamedTuple):
    """The second and later sentences of every leaf, ascending by word number."""

    words: Rows  # number of the first word
    text_nodes: Mask  # whether a text node begins here too, after a child element
    starts: Rows  # code points from the start of the document, without white space
    ends: Rows  # of the preceding sentence, in the same unit


class LeafOrder(NamedTuple):
    """The indexed words in the order of their numbers, and the text nodes with such words in the same order."""

    words: Rows  # per word number: position in document order
    leaves: Rows  # per word number: row of the leaf
    nodes: Rows  # text nodes
    node_leaves: Rows  # the leaf of each
    firsts: Rows  # the number of its first word


def order_by_leaf(leaves: Rows, n_words: Rows, is_indexed: Mask) -> LeafOrder:
    """Return the order of the indexed words.

    Args:
        leaves: the leaf of every text node in document order. n_words: its words. is_indexed: not in a skipped element.
    """
    # Sorts text nodes, of which there are far fewer than words; stable, to keep the order of the text.
    nodes = np.flatnonzero(is_indexed & (n_words > 0))
    nodes = nodes[np.argsort(leaves[nodes], kind="stable")]
    counts, node_leaves = n_words[nodes], leaves[nodes]
    words = ranges((np.cumsum(n_words) - n_words)[nodes], counts)
    return LeafOrder(words, node_leaves.repeat(counts), nodes, node_leaves, np.cumsum(counts) - counts)


def sentences_of_leaves(found: FoundWords, order: LeafOrder, first_rows: Rows, document_starts: Rows) -> Sentences:
    """Return where sentences begin inside leaves: after the end of another, and with every further text node.

    Args:
        first_rows: row of each document's root, then n_elements.
        document_starts: code points of the batch before each document.
    """
    marked = find_sentences(found.encoded, found.words.starts, found.words.ends, found.text_nodes)
    place_of_node = np.full(len(found.borders), -1, np.int64)
    place_of_node[order.nodes] = np.arange(len(order.nodes))
    places = place_of_node[found.text_nodes[marked.words]]
    is_indexed = places >= 0
    places, marks, marked_ends = places[is_indexed], marked.words[is_indexed], marked.ends[is_indexed]
    further = np.flatnonzero(order.node_leaves[1:] == order.node_leaves[:-1]) + 1

    firsts = order.firsts[places]
    numbers = np.concatenate([order.firsts[further], firsts + marks - order.words[firsts]])
    by_number = np.argsort(numbers)
    node = order.nodes[np.concatenate([further, places])[by_number]]
    node_before = order.nodes[np.concatenate([further - 1, places])[by_number]]
    starts_of_nodes = after_left_over(found.encoded, found.borders[order.nodes[further]] + 1)
    starts = np.concatenate([starts_of_nodes, marked_ends])[by_number]
    ends = np.concatenate([found.borders[order.nodes[further - 1] + 1], marked_ends])[by_number]
    starts, ends = trimmed(found.encoded, starts, ends)

    edges = np.concatenate([starts, ends])
    offsets = characters_before(found.encoded, edges) - np.searchsorted(found.blanks, edges)
    skipped = found.skipped
    if len(skipped.places):  # a sentence ends before a skipped element that follows it, and begins after one before it
        n_before = skipped.places.searchsorted(starts, "right"), skipped.places.searchsorted(ends, "left")
        offsets = offsets + skipped.characters[np.concatenate(n_before)]
    starts, ends = offsets[: len(starts)] - node - 1, offsets[len(starts) :] - node_before - 1
    numbers, is_node = numbers[by_number], by_number < len(further)
    before = document_starts[np.searchsorted(first_rows, order.leaves[numbers], side="right") - 1]
    return Sentences(numbers, is_node, starts - before, ends - before)
