"""Breadcrumbs: the titles of a document and of the sections down to an element, and the header rows of its table.

The title of a document is its first title, unless that names one of several like parts. Minutes without a title of
their own have items with headings, and the first of these is no title of the others. Parts are like if they are
siblings with the same tag, have titles, and are more text than titles: repeated groups of titles, as in bibliographic
records, are none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import islice, pairwise

import numpy as np

from engine.arrays import Mask, Numbers, Rows, distinct, is_among, places_of, ranges
from engine.collection.inference.title_names import words_of_name
from engine.collection.profiles.profile import ATTRIBUTE_TITLE, Profile
from engine.collection.profiles.profile_files import is_known
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.elements.containment import WithAncestors, chains
from engine.index.elements.element_store import Elements
from engine.index.elements.header_rows import HeaderRows
from engine.index.elements.headings import (
    LEAD_IN_SIGNS,
    LONGEST_OPENER,
    LONGEST_TITLE,
    DocumentTitles,
    following_scopes,
)
from engine.index.reader import IndexReader
from engine.presentation.attribute_titles import attribute_titles
from engine.presentation.skipped_text import SkippedText, skipped_in
from engine.wording import shortened

# Notes of JATS and DITA, DocBook, and TEI; a title is without them.
NOTES = ("fn", "footnote", "note")
# Characters that are shown of the header rows of a table, and of a label.
LONGEST = 160


def title_texts(
    index: IndexReader, titles: Collection[int], headers: Collection[int], labels: Collection[int]
) -> dict[int, str]:
    """Return the texts of titles without skipped elements, their white space collapsed; recent ones are cached.

    Args:
        headers: which of them are header rows of tables; ` | ` stands between their cells. labels: which are labels.
            Others may be among both. A space stands between the blocks of titles and labels, and where words end.
    """
    cached = {title: index.title_texts.find(title) for title in titles}
    found = {title: text for title, text in cached.items() if text is not None}
    if len(found) == len(cached):
        return found
    unread = sorted(cached.keys() - found.keys())
    parts = [_parts(index, row, is_header=row in headers) for row in unread]
    rows = np.array([part for of_title in parts for part in of_title], np.int64)
    texts = zip(index.texts_of(rows), skipped_in(index, rows, NOTES), strict=True)
    borders = _borders(index, rows)
    found_texts = iter(
        [
            " ".join(_with_blanks(*skipped.without(text, of_part)).split())
            for (text, skipped), of_part in zip(texts, borders, strict=True)
        ]
    )
    new = {}
    for title, part in zip(unread, parts, strict=True):
        text = (" | " if title in headers else " ").join(text for text in islice(found_texts, len(part)) if text)
        new[title] = shortened(text, LONGEST) if title in headers or title in labels else text
    index.title_texts.add(new.items())
    return found | new


def _parts(index: IndexReader, row: int, *, is_header: bool) -> list[int]:
    """Return the cells of a header row, the blocks of a title without a text of its own, else the row itself."""
    elements, one = index.elements, np.array([row])
    if not is_header and elements.n_own_words(one)[0]:
        return [row]
    inside = np.arange(row + 1, int(elements.end(one)[0]))
    children: list[int] = inside.compress(elements.parent(inside) == row).tolist()
    return children or [row]


def _borders(index: IndexReader, rows: Rows) -> list[list[int]]:
    """Return the places in the text of each element at which elements inside end words, ascending."""
    elements, none = index.elements, list[list[int]]([[] for _ in rows])
    n_inside = elements.end(rows) - rows - 1
    inside, of_row = ranges(rows + 1, n_inside), np.arange(len(rows)).repeat(n_inside)
    if not len(inside):
        return none
    are_borders = elements.end_words(inside)
    inside, of_row = inside.compress(are_borders), of_row.compress(are_borders)
    spans = index.spans_of(inside) - index.spans_of(rows)[:, :1].take(of_row, axis=0)
    for place, span in zip(of_row.tolist(), spans.tolist(), strict=True):
        none[place] += span
    return [sorted(set(of_part)) for of_part in none]


def _with_blanks(text: str, borders: Collection[int]) -> str:
    """Return a text with a blank at each border at which words would else run together."""
    edges = [0, *(at for at in borders if 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())]
    return " ".join(text[first:last] for first, last in pairwise([*edges, len(text)]))


# Words of parts for each word in their titles.
WORDS_OF_PARTS = 2


def titles_of_documents(elements: Elements, documents: Rows, titles: Rows) -> Rows:
    """Return the title of each document (ascending), -1 for one without.

    Args:
        titles: those of the documents, and perhaps of others, ascending.
    """
    roots = elements.root(documents)
    first = titles.searchsorted(roots)
    has_title = places_of(first < titles.searchsorted(elements.end(roots)))
    found = np.full(len(documents), -1)
    first = titles.take(first.take(has_title))
    are_whole = ~_are_of_parts(elements, documents.take(has_title), first, titles)
    found[has_title.compress(are_whole)] = first.compress(are_whole)
    return found


# Elements that hold the title of what is around them, by words of their names.
HEADERS = frozenset(("head", "header", "meta", "metadata", "info", "front", "title", "hgroup", "stmt"))


# Elements whose title is not that of what is around them, and how many beside one make it a part.
OTHERS = frozenset(("author", "creator", "editor", "publisher", "sender", "generator", "tool", "software"))
SEVERAL_PARTS = 2


def _of_more(elements: Elements, title: int, titles: Rows) -> int:
    """Return the title of a document: of titles after its first one, that of an element which has the first one inside.

    The name of a journal in an article is no title of the article. A header has that of what is around it. -1 where
    the first one names an author or program, or in an attribute a part beside others with titles in attributes.

    Args:
        titles: those without a rank, ascending.
    """
    if title < 0:
        return title
    first = np.array([title])
    part = elements.parent(first)
    words = words_of_name(elements.tags[elements.tag(part)[0]])
    if not HEADERS.isdisjoint(words):
        return title
    edges = titles.searchsorted([title + 1, *elements.document_end(elements.document(first)).tolist()])
    later = titles[slice(*edges.tolist())]
    around = elements.parent(later)
    outer = later.compress((around < part) & (elements.end(around) > title))
    is_alone = [_is_alone(elements, row) for row in outer.tolist()]
    if any(is_alone):
        return int(outer.compress(is_alone)[0])
    above = elements.parent(part)[0]
    if above == part[0]:
        return title
    is_beside = (elements.parent(around) == above) & (around != part[0]) & (around != above)
    is_beside &= elements.is_tag([ATTRIBUTE_TITLE]).take(elements.tag(later))
    is_of_part = elements.tags[elements.tag(first)[0]] == ATTRIBUTE_TITLE and is_beside.sum() >= SEVERAL_PARTS
    return -1 if is_of_part or words[-1] in OTHERS else title


def _is_alone(elements: Elements, row: int) -> bool:
    """Return whether an element is no subtitle and has no sibling of its tag."""
    one = np.array([row])
    if elements.tags[elements.tag(one)[0]].lower().startswith("sub"):
        return False
    above = elements.parent(one)
    like = elements.with_tags(elements.tag(one).tolist(), elements.document(one))
    return int((elements.parent(like) == above).sum()) == 1


def _are_of_parts(elements: Elements, documents: Rows, first: Rows, titles: Rows) -> Mask:
    """Return which first titles of documents (ascending) are in one of several like parts."""
    found = np.zeros(len(first), np.bool_)
    places, part = np.arange(len(first)), _above(elements, first)
    while True:
        above = _above(elements, part)
        is_inside = above != part
        if not is_inside.any():
            return found
        places, part, above = (column.compress(is_inside) for column in (places, part, above))
        like = elements.with_tags(distinct(elements.tag(part)).tolist(), documents.take(places))
        begin, end = like.searchsorted(part), like.searchsorted(elements.end(above))
        for at in places_of(end - begin > 1).tolist():
            beside = like[begin[at] : end[at]]
            found[places[at]] = _are_several(elements, beside, above[at], titles)
        is_open = ~found.take(places)
        places, part = places.compress(is_open), above.compress(is_open)


def _above(elements: Elements, rows: Rows) -> Rows:
    """Return the nearest element above each that is not inline; of a root, itself."""
    return elements.nearest_non_inline(elements.parent(rows))


def _are_several(elements: Elements, like: Rows, above: int, titles: Rows) -> bool:
    """Return whether an element has several parts with titles.

    Args:
        like: elements inside of it (ascending), among them those with the tag of the first.
    """
    tags = elements.tag(like)
    like = like.compress((tags == tags[0]) & (_above(elements, like) == above))
    ends = elements.end(like)
    first, last = titles.searchsorted(like), titles.searchsorted(ends)
    is_titled = first < last
    if is_titled.sum() <= 1:
        return False
    parts, ends, first, last = (column.compress(is_titled) for column in (like, ends, first, last))
    inside = np.concatenate([titles[slice(*edges)] for edges in zip(first.tolist(), last.tolist(), strict=True)])
    in_titles = elements.n_words(inside).sum()
    return bool(elements.n_words(parts).sum() > WORDS_OF_PARTS * in_titles)


# Elements that name a document without a title, if they are short; how far from its root they are looked for.
NAMES = frozenset(("name", "title", "head", "heading", "headline", "short-title", "refname", "displayname", "h1"))
LONGEST_NAME, MOST_BEFORE_NAME = 20, 200


def document_titles(index: IndexReader, documents: Numbers) -> list[str]:
    """Return the title of each document; of one without, its first short name, else its id.

    A name that comes before the title, nearer to the root, is that of the document, and the title that of a part.
    Before its id count the line with which it opens (`_opening_line`), and an `id` of its root that is one of words.
    """
    titles, in_attributes = dict[int, int](), dict[int, str]()
    for document, found in _titles(index, distinct(documents)).items():
        name = _first_name(index, document, found.first)
        titles[document] = found.first if name < 0 else name
        in_attributes |= found.in_attributes
    texts = title_texts(index, {row for row in titles.values() if row >= 0}, (), ())
    roots = index.elements.root(documents).tolist()
    own = [
        texts.get(titles[document], "") or in_attributes.get(root, "")
        for document, root in zip(documents.tolist(), roots, strict=True)
    ]
    return [
        title or _opening_line(index, root) or _id_of_words(index, document, root) or index.ids[document]
        for title, document, root in zip(own, documents.tolist(), roots, strict=True)
    ]


# A word in an id, at the end perhaps with a number of its own: Agreement2.
WORD = re.compile(r"[^\W\d_]{4,}\d?")


def _opening_line(index: IndexReader, root: int) -> str:
    """Return the text of the first child of a root, if it is a title by its use: `<S>` before sections of many `<S>`.

    That is a few words without a sign at the end, alone with its tag among the children, which stands deeper, too.
    """
    elements = index.elements
    first, end = np.array([root + 1]), int(elements.end(np.array([root]))[0])
    if root + 1 == end or not 1 < elements.n_words(first)[0] <= LONGEST_NAME:
        return ""
    inside = np.arange(root + 1, end)
    like = inside.compress(elements.tag(inside) == elements.tag(inside[:1]))
    is_alone = (elements.parent(like) == root).sum() == 1 and len(like) > SEVERAL_PARTS
    text = " ".join(index.texts_of(inside[:1])[0].split()) if is_alone else ""
    return "" if text.endswith((".", ",", ";", ":")) else text


def _id_of_words(index: IndexReader, document: int, root: int) -> str:
    """Return the `id` of a root if that is no identifier, as it has several words: "EX-10.1 License Agreement"."""
    rows, values = index.elements.attributes(["id"], np.array([document]))
    words = next((value.split() for row, value in zip(rows.tolist(), values, strict=True) if row == root), [])
    return " ".join(words) if len(words) > 1 and any(map(WORD.fullmatch, words)) else ""


def _first_name(index: IndexReader, document: int, title: int) -> int:
    """Return the first short element that names a document; -1 for none, or none above its title (-1 for none)."""
    elements, here = index.elements, np.array([document])
    root, end = int(elements.root(here)[0]), int(elements.document_end(here)[0])
    rows = np.arange(root + 1, min(end if title < 0 else title, end, root + MOST_BEFORE_NAME))
    tags = elements.tag(rows)
    is_name = elements.is_tag(NAMES) & ~elements.is_tag(index.title_tags(index.profile_of(document)))
    rows = rows.compress(is_name.take(tags))
    words = elements.n_words(rows)
    name = next(iter(rows.compress((words > 0) & (words <= LONGEST_NAME)).tolist()), -1)
    if title < 0 or name < 0:
        return name
    depths = elements.depth(np.array([name, title]))
    return name if depths[0] < depths[1] else -1


# What is the title of a table whose parent it is.
CAPTION = "caption"


def breadcrumbs(
    index: IndexReader, documents: Numbers, rows: Numbers, above: WithAncestors | None = None
) -> list[list[str]]:
    """Return the titles of documents and of the elements on the paths to rows in them, by the documents' profiles.

    The title of the document is its first title element, unless that names a part of it (`titles_of_documents`); that
    of an element is its first child that is a title, else the first that is a label (`Profile.labels`), but not above
    what this contains. A title in a wrapper (`Profile.wrappers`) is that of the wrapper's parent.
    A title in the middle of a text, such as the name of a work, is none. Notes in titles are left out.
    Headings with a rank are titles of what follows them (`index.elements.headings`). The first header row of a table,
    and a second one that is marked, are titles of what lies in its other rows (`header_rows` of the index), with ` | `
    between their cells. The lead-in of a list is a title of it (`lead_ins`). An element without a title may have one in
    an attribute (`attribute_titles`).

    Args:
        above: the ancestors of the rows, where they are known.
    """
    known = chains(index.elements, rows) if above is None else above
    titles = _titles(index, distinct(documents))
    are_rows = index.elements.is_tag(index.profile.row_tags).take(index.elements.tag(known.rows))
    of_tables = set(known.rows.compress(are_rows).tolist())
    for document in index.of_unknown_vocabularies(distinct(documents)).tolist():
        are_rows = is_among(known.rows, distinct(index.table_cells(document).rows))
        of_tables.update(known.rows.compress(are_rows).tolist())
    roots = index.elements.root(documents).tolist()
    before_lists = lead_ins(index, known)
    rows_of = _title_rows(titles, roots, documents.tolist(), rows, known, of_tables, before_lists)
    headers = {row for of_document in titles.values() for of_table in of_document.headers.values() for row in of_table}
    labels = {label for of_document in titles.values() for label in of_document.labels}
    text_of = title_texts(index, {title for of_row in rows_of for title in of_row if title >= 0}, headers, labels)
    text_of |= {~row: text for of_document in titles.values() for row, text in of_document.in_attributes.items()}
    text_of |= {row: shortened(last_sentence(text_of[row]), LONGEST) for row in before_lists.values() if row in text_of}
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
    wrappers = elements.is_tag(profile.wrappers)
    pairs = [list(zip(_headed(elements, rows, wrappers), rows.tolist(), strict=True)) for rows in has_parent]
    of_documents = [rows.searchsorted(edges).T.tolist() for rows in has_parent]
    headings = list(zip(*(column.tolist() for column in (scopes.first, scopes.end, scopes.headings)), strict=True))
    of_headings, in_tables = (rows.searchsorted(edges).T.tolist() for rows in (scopes.headings, headers.rows))
    if is_known(profile):
        of_each_table = [_by_table(headers, *places) for places in in_tables]
    else:
        of_each_table = [index.table_cells(document).header_rows() for document in documents.tolist()]
    of_roots = titles_of_documents(elements, documents, titles).tolist()
    if not is_known(profile):
        unranked = titles.compress(~are_ranked)
        of_roots = [_of_more(elements, title, unranked) for title in of_roots]
    in_attributes = list(attribute_titles(index, documents).items())
    of_attributes = np.array([row for row, _ in in_attributes], np.int64).searchsorted(edges).T.tolist()
    each = zip(of_roots, *of_documents, of_headings, of_each_table, of_attributes, strict=True)
    for title, of_titles, of_labels, (low, high), of_tables, (begin, end) in each:
        titled, labelled = (
            dict(reversed(some[slice(*ends)])) for some, ends in zip(pairs, (of_titles, of_labels), strict=True)
        )
        named, ranked = labelled | titled, tuple(headings[low:high])
        yield DocumentTitles(
            *(title, named, ranked, of_tables, frozenset(labelled.values())),
            in_attributes=dict(in_attributes[begin:end]),
        )


def _headed(elements: Elements, titles: Numbers, wrappers: Mask) -> list[int]:
    """Return the element that each title is the title of: its parent, or the nearest above that is no wrapper.

    An element with a title of its own has none from a wrapper.
    """
    parents = elements.parent(titles)
    headed = parents.copy()
    while (climbing := places_of(wrappers.take(elements.tag(headed)) & (elements.parent(headed) != headed))).size:
        headed[climbing] = elements.parent(headed.take(climbing))
    are_own = headed == parents
    has_own = is_among(headed, distinct(parents.compress(are_own)))
    found: list[int] = np.where(has_own, parents, headed).tolist()
    return found


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
    """Return the header rows that name the columns of each table, among those from one place to another."""
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
    before_lists: Mapping[int, int],
) -> list[list[int]]:
    """Return the title elements above each row, those of the documents first; ~row for one in an attribute of a row.

    Args:
        of_tables: those of the known elements that are rows of tables. before_lists: the lead-ins of known elements.
    """
    row_at, parent_of = known.rows.tolist(), known.parents.tolist()
    found: list[list[int]] = []
    columns = (rows.tolist(), known.rows.searchsorted(rows).tolist(), roots, documents)
    for row, at, root, document in zip(*columns, strict=True):
        first, of_parents, headings, headers, labels, attributes = titles[document]
        from_top = [(heading, heading) for begin, end, heading in headings if begin <= row < end]
        place, inside = at, set[int]()
        while (above := row_at[place]) != root:
            if parent_of[place] == place:
                raise IndexFormatError(f"parent.npy: an element inside a document has no parent: {INDEX_AGAIN}.")
            if above in of_parents and not ((name := of_parents[above]) in labels and name in inside):
                from_top.append((above, name))
            if above in attributes and above not in of_parents:
                from_top.append((above, ~above))
            if above in headers and not inside.isdisjoint(of_tables) and inside.isdisjoint(headers[above]):
                from_top += ((above, header) for header in headers[above])
            if above in before_lists:
                from_top.append((before_lists[above], before_lists[above]))
            inside.add(above)
            place = parent_of[place]
        of_root = [first] if first >= 0 else [~root] if root in attributes else []
        found.append([*of_root, *(title for _, title in sorted(from_top))])
    return found


def lead_ins(index: IndexReader, known: WithAncestors) -> dict[int, int]:
    """Return the lead-in of each of the elements that has one: an element with others, not of its tag, right after it.

    Args:
        known: elements with their ancestors.
    """
    elements = index.elements
    above = known.rows.take(known.parents)
    are_lists = (known.rows - 1 > above) & (above != known.rows) & (elements.n_own_words(known.rows) == 0)
    lists, above = known.rows.compress(are_lists), above.compress(are_lists)
    before = lists - 1
    while (inside := elements.parent(before) != above).any():
        before = np.where(inside, elements.parent(before), before)
    n_words = elements.n_words(before)
    could_be = (n_words > 0) & (n_words <= LONGEST_OPENER) & (elements.n_own_words(before) == n_words)
    could_be &= elements.tag(before) != elements.tag(lists)
    lists, before = lists.compress(could_be), before.compress(could_be)
    texts = index.texts_of(before)
    return {
        row: lead_in
        for row, lead_in, text in zip(lists.tolist(), before.tolist(), texts, strict=True)
        if text.rstrip().endswith(LEAD_IN_SIGNS)
    }


def last_sentence(lead_in: str) -> str:
    """Return the last sentence of a lead-in, which opens the list.

    >>> last_sentence("Boats are let by the day. Bring with you:")
    'Bring with you:'
    """
    return re.split(r"(?<=[.!?])\s+(?=[^\W\d_])", lead_in)[-1]
