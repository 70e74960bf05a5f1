"""The flat document: the elements of a batch of documents as columns, one row per element, in document order.

Everything is computed for a whole batch at once: trees and text from the markup (`markup_tree`), then
words, leaves and sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, mask_of, places_of, ranges, ranks_of
from engine.collection.markup.attributes import (
    FlatAttributes,
    ImageReferences,
    image_references,
    indexed_attributes,
    scan_attributes,
    unbroken,
)
from engine.collection.markup.field_values import FieldSources, FoundFields
from engine.collection.markup.markup_tree import (
    BLANK,
    BorderedText,
    Tags,
    document_texts,
    find_text,
    find_tree,
    local_names,
    ordinals,
)
from engine.collection.markup.word_numbering import (
    FoundWords,
    RemovedText,
    Sentences,
    order_by_leaf,
    row_languages,
    sentences_of_leaves,
    word_languages,
)
from engine.collection.profiles.profile import Profile
from engine.records import dataclass
from engine.text.analyser import Analyser
from engine.text.utf8 import characters_before
from engine.text.vocabulary import Surfaces, surfaces_of, term_ids


@dataclass(frozen=True)
class FlatDocuments:
    """The elements of a batch of documents in columns: int64, shape (n_elements,), unless stated otherwise.

    Rows are numbered through the whole batch; offsets are code points from the start of the element's document.
    """

    tags: Sequence[str]  # distinct local names
    tag: Rows  # index into tags
    parent: Rows  # row of the parent; of a root, the root itself
    end: Rows  # one past the last row of the subtree
    depth: Rows  # 1 for roots
    ordinal: Rows  # position among siblings of the same local name, from 1
    start: Rows
    stop: Rows
    first_rows: Rows  # row of each document's root, then n_elements: shape (n_documents + 1,)
    texts: Sequence[bytes]  # per document, UTF-8
    languages: Sequence[str]  # per document, those in which its words are stemmed, joined by blanks; "" if always equal
    first_words: Rows  # number of each element's first word, then n_words: shape (n_elements + 1,)
    word_terms: NDArray[np.int32]  # per word number: term id, -1 for a stop word
    word_leaves: Rows  # per word number: row of the leaf, which is never inline
    terms: Sequence[str]  # term by id
    forms: Sequence[bytes]  # the distinct folded words before stemming, stop words left out, sorted; none if unstemmed
    sentences: Sentences
    attributes: FlatAttributes  # those that the profiles name and those of structure, except in skipped elements
    images: ImageReferences  # except in skipped elements
    fields: FoundFields


def flatten(
    markups: Sequence[bytes], profiles: Sequence[Profile], profile_of: Sequence[int], analyser: Analyser
) -> FlatDocuments:
    """Return the columns of documents given as canonical markup.

    Args:
        markups: per document, its root element as serialised by `xml_reader.read_markup`.
        profiles: the profiles in use. profile_of: per document, an index into them.
    """
    markup = b"".join(markups)
    tree = find_tree(markup)
    tags, end, parent, depth = tree.tags, tree.end, tree.parent, tree.depth
    names, tag = local_names(markup, tree)
    ordinal = ordinals(parent, tag, depth)  # takes the most memory, so it comes before there are other columns
    first_rows = np.append(np.flatnonzero(depth == 1), len(tag))

    text = find_text(markup, tags)
    characters = characters_before(text.encoded, text.borders)
    offsets = characters - np.arange(len(text.borders))  # of each tag in the batch's text without borders
    document_starts = offsets[tags.starts[first_rows[:-1]]]
    shift = np.repeat(document_starts, np.diff(first_rows))

    in_markup = scan_attributes(markup, tags.opens[tags.starts], tags.closes[tags.starts])
    flags = _profile_flags(names, tag, parent, end, first_rows, profiles, profile_of)
    is_inline, is_break, is_apart, is_skipped = flags
    is_break[unbroken(in_markup)] = False
    is_break |= _touching(is_apart, tags, offsets)
    skipped = np.flatnonzero(is_skipped & ~is_skipped[parent])  # the outermost; a root is in none
    found, node_tags, node_words, others = _find_words(text, tags, offsets, is_inline, is_break, skipped, analyser)
    open_after = tags.elements.copy()  # per tag: the element that contains the text after it
    open_after[tags.ends] = parent
    node_leaves = nearest_non_inline(open_after[node_tags], is_inline, parent)
    surfaces = surfaces_of(found.words)
    languages, number_of_language = [""] * len(markups), None
    if analyser.is_multilingual:
        root_nodes = np.searchsorted(node_tags, tags.starts[first_rows[:-1]])
        n_words = np.add.reduceat(node_words, root_nodes)  # per document
        of_row = row_languages(in_markup, end)
        given = of_row[first_rows[:-1]].repeat(n_words)
        if not np.array_equal(of_row, of_row[first_rows[:-1]].repeat(np.diff(first_rows))):
            innermost = found.text_nodes + ranks_of(others, found.words.starts + 1)
            given = of_row[open_after[innermost]]
        document = np.arange(len(markups)).repeat(n_words)
        number_of_language, languages = word_languages(surfaces, given, document, len(markups))
    word_terms, terms = term_ids(surfaces, analyser, number_of_language)
    order = order_by_leaf(node_leaves, node_words, ~is_skipped[node_leaves])

    attributes = indexed_attributes(in_markup, first_rows, profiles, profile_of, is_skipped, names, tag)
    images = image_references(in_markup, names, tag, first_rows, profiles, profile_of)

    sources = FieldSources(names, tag, parent, end, first_rows, is_inline, in_markup, tags, text)

    return FlatDocuments(
        tags=names,
        tag=tag,
        parent=parent,
        end=end,
        depth=depth,
        ordinal=ordinal,
        start=offsets[tags.starts] - shift,
        stop=offsets[tags.ends] - shift,
        first_rows=first_rows,
        texts=document_texts(text, tags.starts[first_rows[:-1]]),
        languages=languages,
        first_words=np.append(0, np.cumsum(np.bincount(order.leaves, minlength=len(tag)))),
        word_terms=word_terms[order.words],
        word_leaves=order.leaves,
        terms=terms,
        forms=_forms(surfaces, order.words, analyser),
        sentences=sentences_of_leaves(found, order, first_rows, document_starts),
        attributes=attributes,
        images=images.select(~is_skipped[images.rows]),
        fields=sources.find(profiles, profile_of),
    )


def _forms(surfaces: Surfaces, words: Rows, analyser: Analyser) -> list[bytes]:
    """Return the forms of the indexed words; none where terms are forms themselves.

    Args:
        words: places of the indexed words.
    """
    if not analyser.has_stems:
        return []
    if len(words) == len(surfaces.numbers):
        return analyser.forms(surfaces.distinct)
    occurs = places_of(mask_of(surfaces.numbers.take(words), len(surfaces.distinct))).tolist()
    return analyser.forms([surfaces.distinct[number] for number in occurs])


def nearest_non_inline(rows: Rows, is_inline: Mask, parent: Rows) -> Rows:
    """Return, for each row, the element itself or its nearest ancestor that is not inline; roots never are."""
    rows = rows.copy()
    while (climbing := np.flatnonzero(is_inline[rows] & (parent[rows] != rows))).size:
        rows[climbing] = parent[rows[climbing]]
    return rows


def _profile_flags(
    names: Sequence[str],
    tag: Rows,
    parent: Rows,
    end: Rows,
    first_rows: Rows,
    profiles: Sequence[Profile],
    profile_of: Sequence[int],
) -> tuple[Mask, Mask, Mask, Mask]:
    """Return, for each element, whether it is inline, whether also a break, and apart, and whether it is skipped."""
    profile = np.repeat(np.asarray(profile_of, np.int64), np.diff(first_rows))
    is_inline = _membership([p.inline for p in profiles], names)[profile, tag]
    is_inline &= parent != np.arange(len(tag))
    is_break = is_inline & _membership([p.breaks for p in profiles], names)[profile, tag]
    is_apart = is_inline & _membership([p.apart for p in profiles], names)[profile, tag]
    skipped = np.flatnonzero(_membership([p.skip for p in profiles], names)[profile, tag])
    # +1 at a skipped element, -1 after its subtree; skipped elements may be nested.
    edges = np.zeros(len(tag) + 1, np.int32)
    np.add.at(edges, skipped, 1)
    np.add.at(edges, end[skipped], -1)
    return is_inline, is_break, is_apart, np.cumsum(edges[:-1]) > 0


def _touching(is_apart: Mask, tags: Tags, offsets: Rows) -> Mask:
    """Return which elements that are words apart begin where another one ends, with nothing between.

    Args:
        offsets: of each tag in the text, in characters.
    """
    found = np.zeros(len(is_apart), np.bool_)
    rows = np.flatnonzero(is_apart)
    if not len(rows):
        return found
    rows = rows.compress(tags.starts[rows] > 0)
    before = tags.starts[rows] - 1  # the tag before the first one of each
    rows, before = (column.compress(offsets[before] == offsets[tags.starts[rows]]) for column in (rows, before))
    element_of_end = np.full(len(tags.opens), -1)
    element_of_end[tags.ends] = np.arange(len(tags.ends))
    ended = element_of_end[before]
    found[rows] = (ended >= 0) & is_apart[ended]
    return found


def _membership(sets: Sequence[frozenset[str]], names: Sequence[str]) -> Mask:
    return np.array([[name in members for name in names] for members in sets], np.bool_)


def _find_words(
    text: BorderedText, tags: Tags, offsets: Rows, is_inline: Mask, is_break: Mask, skipped: Rows, analyser: Analyser
) -> tuple[FoundWords, Rows, Rows, Rows]:
    """Return the words of the batch.

    Args:
        offsets: of each tag in the batch's text, in characters. skipped: the outermost skipped elements.
    Returns: further, for each text node the tag that it follows, which is not inline, and its number of words; and the
        byte offsets of the other tags: inline ones, which are removed from the text, or blanks, and skipped ones.
    """
    encoded, borders = text.encoded, text.borders
    is_border, is_blank = np.ones(len(borders), np.bool_), np.zeros(len(borders), np.bool_)
    inline_rows, break_rows = np.flatnonzero(is_inline), np.flatnonzero(is_break)
    is_border[tags.starts[inline_rows]] = is_border[tags.ends[inline_rows]] = False
    is_blank[tags.starts[break_rows]] = is_blank[tags.ends[break_rows]] = True
    first_tags, last_tags = tags.starts[skipped], tags.ends[skipped]
    begins, n_bytes = borders[first_tags], borders[last_tags] + 1 - borders[first_tags]
    in_skipped = ranges(first_tags, last_tags + 1 - first_tags)
    is_border[in_skipped] = is_blank[in_skipped] = False
    if inline_rows.size or skipped.size:
        # Borders of inline tags are removed before words are split: FEV<sub>1</sub> is one word. Breaks become blanks.
        is_removed = ~(is_border | is_blank)
        stays = np.ones(len(encoded), np.bool_)
        stays[borders[is_removed]] = False
        stays[ranges(begins, n_bytes)] = False
        if break_rows.size:
            encoded = encoded.copy()
            encoded[borders[is_blank]] = BLANK
        encoded = encoded[stays]
        if skipped.size:
            is_removed[in_skipped] = False
            borders = borders.copy()
            borders[in_skipped] = begins.repeat(last_tags + 1 - first_tags)
            borders -= np.append(0, np.cumsum(n_bytes))[begins.searchsorted(borders)]
        borders = borders - np.cumsum(is_removed) + is_removed
    places, n_characters = borders[first_tags], offsets[last_tags] - offsets[first_tags]
    skipped_text = RemovedText(places, np.append(0, np.cumsum(n_characters)))
    words = analyser.words(encoded)
    node_tags = np.flatnonzero(is_border)
    nodes = borders[node_tags]
    node_words = np.diff(ranks_of(words.starts, nodes), append=len(words.starts))
    text_nodes = np.arange(len(nodes)).repeat(node_words)
    found = FoundWords(encoded, nodes, borders[is_blank], skipped_text, words, text_nodes)
    return found, node_tags, node_words, borders[~is_border]
