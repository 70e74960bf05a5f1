"""Breadcrumbs: the titles of a document and of the sections down to an element, and the header rows of its table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import numpy as np

from engine.arrays import Mask, Numbers, distinct, is_among, places_of
from engine.collection.profiles.profile import Profile
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.elements.containment import WithAncestors, chains
from engine.index.elements.header_rows import HeaderRows
from engine.index.elements.headings import LONGEST_TITLE, DocumentTitles, following_scopes
from engine.index.reader import IndexReader
from engine.presentation.document_title import titles_of_documents
from engine.presentation.skipped_text import SkippedText
from engine.presentation.title_texts import title_texts

# What is the title of a table whose parent it is.
CAPTION = "caption"


def breadcrumbs(
    index: IndexReader, documents: Numbers, rows: Numbers, above: WithAncestors | None = None
) -> list[list[str]]:
    """Return the titles of documents and of the elements on the paths to rows in them, by the documents' profiles.

    The title of the document is its first title element, unless that names a part of it (`document_title`); the title
    of an element is its first child that is a title, else the first that is a label (`Profile.labels`), but not above
    what this contains.
    A title in the middle of a text, such as the name of a work, is none. Notes in titles are left out.
    Headings with a rank are titles of what follows them (`heading_scopes`). The first header row of a table, and a
    second one that is marked, are titles of what lies in its other rows (`header_rows` of the index), with ` | `
    between their cells.

    Args:
        above: the ancestors of the rows, where they are known.
    """
    known = chains(index.elements, rows) if above is None else above
    titles = _titles(index, distinct(documents))
    are_rows = index.elements.is_tag(index.profile.row_tags).take(index.elements.tag(known.rows))
    of_tables = set(known.rows.compress(are_rows).tolist())
    roots = index.elements.root(documents).tolist()
    rows_of = _title_rows(titles, roots, documents.tolist(), rows, known, of_tables)
    headers = {row for of_document in titles.values() for of_table in of_document.headers.values() for row in of_table}
    labels = {label for of_document in titles.values() for label in of_document.labels}
    text_of = title_texts(index, {title for of_row in rows_of for title in of_row}, headers, labels)
    return [[text for text in dict.fromkeys(text_of[title] for title in of_row) if text] for of_row in rows_of]


def _titles(index: IndexReader, documents: Numbers) -> dict[int, DocumentTitles]:
    """Return the titles of documents (ascending), by their profiles; recent ones are cached."""
    cached = {document: index.document_titles.find(document) for document in documents.tolist()}
    found = {document: titles for document, titles in cached.items() if titles is not None}
    unread: dict[str, list[int]] = {}
    for document in cached.keys() - found.keys():
        unread.setdefault(index.profile_of(document).name, []).append(document)
    for name, of_profile in unread.items():
        some = np.array(sorted(of_profile))
        for document, titles in zip(some.tolist(), _read(index, index.profile_named(name), some), strict=True):
            found[document] = index.document_titles.get(document, partial(_known, titles))
    return found


def _read(index: IndexReader, profile: Profile, documents: Numbers) -> Iterator[DocumentTitles]:
    """Yield the titles of documents (ascending) of one profile."""
    elements = index.elements
    titles = elements.with_tags(places_of(elements.is_tag(index.title_tags(profile))).tolist(), documents)
    titles = titles.compress(elements.n_words(titles) <= LONGEST_TITLE)
    scopes, headers = (
        following_scopes(elements, index.heading_tags(profile), documents),
        index.header_rows.of(documents),
    )
    are_ranked = is_among(titles, scopes.headings)
    are_in_text = np.zeros(len(titles), np.bool_)
    are_in_text[~are_ranked] = _are_in_text(index, titles.compress(~are_ranked))
    titles, are_ranked = titles.compress(~are_in_text), are_ranked.compress(~are_in_text)
    labels = _labels(index, profile, documents)
    roots = elements.root(documents)
    edges = np.stack([roots, elements.end(roots)])
    has_parent = titles.compress(~are_ranked), labels
    pairs = [list(zip(elements.parent(rows).tolist(), rows.tolist(), strict=True)) for rows in has_parent]
    of_documents = [rows.searchsorted(edges).T.tolist() for rows in has_parent]
    headings = list(zip(*(column.tolist() for column in (scopes.first, scopes.end, scopes.headings)), strict=True))
    of_headings, of_tables = (rows.searchsorted(edges).T.tolist() for rows in (scopes.headings, headers.rows))
    of_roots = titles_of_documents(elements, documents, titles).tolist()
    each = zip(of_roots, *of_documents, of_headings, of_tables, strict=True)
    for title, of_titles, of_labels, (low, high), in_tables in each:
        titled, labelled = (
            dict(reversed(some[slice(*ends)])) for some, ends in zip(pairs, (of_titles, of_labels), strict=True)
        )
        named, ranked = labelled | titled, tuple(headings[low:high])
        yield DocumentTitles(title, named, ranked, _by_table(headers, *in_tables), frozenset(labelled.values()))


def _labels(index: IndexReader, profile: Profile, documents: Numbers) -> Numbers:
    """Return the labels in documents (ascending), and the captions of their tables, ascending."""
    elements, labels = index.elements, index.label_tags(profile)
    found = elements.with_tags(places_of(elements.is_tag(labels | {CAPTION})).tolist(), documents)
    if CAPTION not in labels:
        is_caption = elements.is_tag([CAPTION]).take(elements.tag(found))
        is_of_table = elements.is_tag(index.profile.table_tags).take(elements.tag(elements.parent(found)))
        found = found.compress(~is_caption | is_of_table)
    return found.compress(~_are_in_text(index, found))


def _are_in_text(index: IndexReader, titles: Numbers) -> Mask:
    """Return which titles (ascending) come after words of the text of their parent."""
    elements = index.elements
    parents, found = elements.parent(titles), np.zeros(len(titles), np.bool_)
    mixed = places_of(elements.n_own_words(parents) > 0)
    documents, spans = elements.document(titles.take(mixed)).tolist(), index.spans_of(titles.take(mixed))
    columns = mixed.tolist(), documents, index.spans_of(parents.take(mixed))[:, 0].tolist(), spans[:, 0].tolist()
    for place, document, start, end in zip(*columns, strict=True):
        before = np.arange(int(parents[place]) + 1, int(titles[place]))
        beside = SkippedText((index.spans_of(before.compress(~elements.is_inline(before))) - start).tolist())
        found[place] = bool(beside.without(index.text(document)[start:end], ())[0].strip())
    return found


def _by_table(headers: HeaderRows, first: int, end: int) -> dict[int, tuple[int, ...]]:
    """Return the header rows that name the columns of each table, of some of all header rows."""
    found: dict[int, tuple[int, ...]] = {}
    columns = headers.tables[first:end], headers.rows[first:end], headers.are_titles[first:end]
    for table, row, is_title in zip(*(column.tolist() for column in columns), strict=True):
        if is_title:
            found[table] = (*found.get(table, ()), row)
    return found


def _known(titles: DocumentTitles) -> DocumentTitles:
    return titles


def _title_rows(
    titles: Mapping[int, DocumentTitles],
    roots: list[int],
    documents: list[int],
    rows: Numbers,
    known: WithAncestors,
    of_tables: Collection[int],
) -> list[list[int]]:
    """Return the title elements above each row, those of the documents first.

    Args:
        of_tables: those of the known elements that are rows of tables.
    """
    row_at, parent_of = known.rows.tolist(), known.parents.tolist()
    found: list[list[int]] = []
    columns = (rows.tolist(), known.rows.searchsorted(rows).tolist(), roots, documents)
    for row, at, root, document in zip(*columns, strict=True):
        first, of_parents, headings, headers, labels = titles[document]
        from_top = [(heading, heading) for begin, end, heading in headings if begin <= row < end]
        place, inside = at, set[int]()
        while (above := row_at[place]) != root:
            if parent_of[place] == place:
                raise IndexFormatError(f"parent.npy: an element inside a document has no parent: {INDEX_AGAIN}.")
            if above in of_parents and not ((name := of_parents[above]) in labels and name in inside):
                from_top.append((above, name))
            if above in headers and not inside.isdisjoint(of_tables) and inside.isdisjoint(headers[above]):
                from_top += ((above, header) for header in headers[above])
            inside.add(above)
            place = parent_of[place]
        found.append([*([first] if first >= 0 else []), *(title for _, title in sorted(from_top))])
    return found
