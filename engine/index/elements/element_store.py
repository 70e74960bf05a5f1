"""The elements of an open index, across its segments: by tag, role in the profile, attribute and term."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among, places_of, ranges, read_only
from engine.collection.profiles.profile import BREAK, NO_BREAK, PRESERVE, SPACE, Profile
from engine.columns.ascending_column import AscendingColumn
from engine.columns.cache import SizedCache, capacity_for
from engine.columns.checked_folder import CheckedFolder, Strings
from engine.index.elements.element_columns import Demand, ElementColumns, TagRows, join
from engine.index.elements.phrases import LAST_POSITION, POSITION_BITS, keys_of, phrase_places
from engine.index.postings.leaf_postings import Occurrences, SegmentOccurrences
from engine.index.segment import Segment
from engine.query_limits import check_time
from engine.text.alternative_terms import EITHER, composed, is_composed
from engine.threads import cached_property

# Capacity of the cache of the elements that preserve space: 8 MiB.
PRESERVING = 2**20


class FormsOfWords(Protocol):
    """The forms that words have in texts (`engine.index.texts.element_texts`)."""

    def have_form(self, elements: Elements, rows: Rows, positions: Rows, form: str) -> Mask:
        """Return which words have a form, given by their leaves (ascending) and their positions in the own text."""


class Elements(ElementColumns):
    """All elements: their columns, and those that have a tag, an attribute or a term."""

    def __init__(self, segments: Sequence[Segment], profiles: Callable[[str], Profile]) -> None:
        super().__init__(segments)
        self._local_tag_numbers = [
            {tag: local for local, tag in enumerate(n.tolist())} for n in self.tag_numbers_of_segments
        ]
        self._tag_rows = [TagRows(segment) for segment in segments]
        self.n_documents = int(self.document_base[-1])  # deleted ones included
        capacity = capacity_for(self.n_documents) // max(1, len(segments))
        self._occurrences = [SegmentOccurrences(segment, capacity) for segment in segments]
        self._inline = [ProfileTags(s, [profiles(name).inline for name in s.profiles]) for s in segments]
        self._breaks = [ProfileTags(s, [profiles(name).breaks for name in s.profiles]) for s in segments]
        self._apart = [ProfileTags(s, [profiles(name).apart for name in s.profiles]) for s in segments]
        self._skipped = [ProfileTags(s, [profiles(name).skip for name in s.profiles]) for s in segments]
        # Words that are composed -> every occurrence in the index, as `keys_of` numbers them.
        self._composed: SizedCache[str, Rows] = SizedCache(lambda keys: 8 + len(keys), capacity_for(self.n_documents))
        self.forms: FormsOfWords | None = None  # which an index with an analyser has
        self._are_named: SizedCache[frozenset[str], Mask] = SizedCache(lambda named: named.nbytes // 8)
        self._preserving: SizedCache[int, Rows] = SizedCache(lambda rows: 8 + len(rows), PRESERVING)
        self._tags_in: dict[frozenset[str], Mask] = {}
        self._tags_in_demand: dict[frozenset[str], Demand] = {}
        of_segments = zip(self.tag_numbers_of_segments, self._inline, strict=True)
        # Numbers of the tags that are inline in a profile of the index.
        self.inline_tags = frozenset(
            number for numbers, inline in of_segments for number in numbers[inline.in_any_profile].tolist()
        )
        self._is_inline_tag = np.zeros(len(self.tags), np.bool_)
        self._is_inline_tag[sorted(self.inline_tags)] = True

    def is_inline(self, rows: Rows, tags: Rows | None = None) -> Mask:
        """Return which elements are inline: their text belongs to the parent. A root is never inline.

        Args:
            tags: their tag numbers, where they are known.
        """
        if tags is None:
            return self._have(self._inline, rows)
        found: Mask = self._is_inline_tag.take(tags)
        places = places_of(found)
        found[places] = self._have(self._inline, rows.take(places))
        return found

    def end_words(self, rows: Rows, is_inline: Mask | None = None) -> Mask:
        """Return the elements, of those given (ascending), that end words: not inline, or breaks without break="no".

        Args:
            is_inline: which are inline, where it is known.
        """
        found = ~(self.is_inline(rows) if is_inline is None else is_inline)
        is_break = self._have(self._breaks, rows)
        if self._can_be_no_break and is_break.any():
            documents = distinct(self.document(rows[is_break]))
            having, values = self.attributes([BREAK], documents)
            unbroken = having[np.array([value == NO_BREAK for value in values], np.bool_)]
            is_break &= ~np.isin(rows, unbroken)
        found |= is_break
        apart = places_of(self._have(self._apart, rows))
        if apart.size:
            found[apart] |= self._touch(rows.take(apart))
        return found

    def _touch(self, rows: Rows) -> Mask:
        """Return which elements that are words apart begin where another one ends."""
        found, parents = np.zeros(len(rows), np.bool_), self.parent(rows)
        places, before = np.arange(len(rows)), rows - 1
        while (is_inside := before.take(places) > parents.take(places)).any():
            places = places.compress(is_inside)
            is_sibling = self.parent(before.take(places)) == parents.take(places)
            beside = places.compress(is_sibling)
            found[beside] = self._have(self._apart, before.take(beside))
            places = places.compress(~is_sibling)
            before[places] = self.parent(before.take(places))
        both = places_of(found)
        if both.size:
            stops = self._edges(before.take(both))[:, 1]
            found[both] = stops == self._edges(rows.take(both))[:, 0]
        return found

    def _edges(self, rows: Rows) -> Rows:
        """Return start and end of elements in the texts of their documents."""
        found = np.empty((len(rows), 2), np.int64)
        segment = self.row_base.searchsorted(rows, "right") - 1
        for number in distinct(segment).tolist():
            chosen = segment == number
            found[chosen] = self._segments[number].texts.spans_of(rows.compress(chosen) - self.row_base[number])
        return found

    @cached_property
    def _can_be_no_break(self) -> bool:
        """Whether an element may have the attribute break="no", which lets words go on across it."""
        return BREAK in self.attribute_names

    def preserve_space(self, document: int, rows: Rows) -> Mask:
        """Return a mask of the elements of a document with xml:space="preserve" and own words that are not inline.

        It is known where the profile indexes this attribute. Elements without words of their own, such as the root of a
        document whose words are marked one by one, say it of what is inside.
        """
        found: Mask = np.isin(rows, self._preserving.get(document, lambda: self._preserve_space(document)))
        return found

    def may_preserve_space(self, document: int) -> bool:
        """Return whether elements of a document preserve space, as `preserve_space` says."""
        return self._can_preserve_space and bool(
            self._preserving.get(document, lambda: self._preserve_space(document)).size
        )

    def _preserve_space(self, document: int) -> Rows:
        rows, values = self.attributes([SPACE], np.array([document]))
        rows = rows.compress([value == PRESERVE for value in values])
        return rows.compress((self.n_own_words(rows) > 0) & ~self.is_inline(rows))

    @cached_property
    def _can_preserve_space(self) -> bool:
        """Whether an element may have the attribute xml:space."""
        return SPACE in self.attribute_names

    @property
    def has_skipped(self) -> bool:
        """Whether any element has a tag that its profile skips."""
        return not all(each.is_empty for each in self._skipped)

    def are_skipped(self, rows: Rows) -> Mask:
        """Return which elements have a tag that the profile skips: their words, and those inside, are not indexed."""
        return self._have(self._skipped, rows)

    def _have(self, tags: Sequence[ProfileTags], rows: Rows) -> Mask:
        """Return a mask of the elements with tags of a kind."""
        if all(each.is_empty for each in tags):
            return np.zeros(len(rows), np.bool_)
        return self._each(rows, lambda number, local: tags[number].include(local), dtype=np.bool_)

    def with_role(
        self, tags_of: Callable[[str], frozenset[str]], *, with_roots: bool = False
    ) -> Callable[[Rows], Mask]:
        """Return a function that says which elements have a tag of a role in their document's profile.

        Args:
            tags_of: the tags of the role, by the name of a profile. with_roots: whether roots may have it.
        """
        tags = [ProfileTags(s, [tags_of(name) for name in s.profiles], with_roots=with_roots) for s in self._segments]
        return lambda rows: self._have(tags, rows)

    def nearest_non_inline(self, rows: Rows) -> Rows:
        """Return for each row the nearest ancestor-or-self that is not inline."""
        lifted = rows.copy()
        climbing = np.arange(len(rows))
        while climbing.size:
            climbing = climbing[self.is_inline(lifted[climbing])]
            lifted[climbing] = self.parent(lifted[climbing])
        return lifted

    def occurrences(self, term: str, documents: Rows, *, positions: bool = False) -> Occurrences:
        """Return the occurrences of a term in the documents (ascending)."""
        return self.occurrences_of_each([term], documents, positions=positions)[0]

    def occurrences_of_each(
        self, terms: Sequence[str], documents: Rows, *, positions: bool = False
    ) -> list[Occurrences]:
        """Return the occurrences of each term in the documents (ascending); faster than one by one."""
        if any(map(is_composed, terms)):
            return [
                self._composed_occurrences(term, documents, positions=positions)
                if is_composed(term)
                else self._stored_occurrences([term], documents, positions=positions)[0]
                for term in terms
            ]
        return self._stored_occurrences(terms, documents, positions=positions)

    def _composed_occurrences(self, word: str, documents: Rows, *, positions: bool) -> Occurrences:
        """Return the occurrences of a word with composed alternatives; a place where several begin is one."""
        check_time()
        keys = self._composed.get(word, lambda: self._compose(word))
        rows = keys >> POSITION_BITS
        is_in = is_among(self.document(rows), documents)
        keys, rows = keys.compress(is_in), rows.compress(is_in)
        found, tf = np.unique(rows, return_counts=True)
        place = documents.searchsorted(self.document(found))
        n_leaves = np.bincount(place, minlength=len(documents)).astype(np.int64)
        return Occurrences(found, tf.astype(np.int64), n_leaves, keys & LAST_POSITION if positions else None)

    def _compose(self, word: str) -> Rows:
        """Return every occurrence of a word with composed alternatives, also in deleted documents, ascending."""
        every = np.arange(self.n_documents)

        def occurrences(part: str) -> Occurrences:
            return self.occurrences(part, every, positions=True)

        parts = word.split(EITHER)
        stored = [part for part in parts if not is_composed(part)]
        found = [keys_of(occurrences(EITHER.join(stored)))] if stored else []
        for part in parts:
            made_of = composed(part)
            if made_of is None:
                continue
            if made_of.form is None:
                phrase = phrase_places(self, made_of.words, made_of.places, made_of.slop, occurrences)
                found.append((phrase.rows << POSITION_BITS) | (phrase.first - self.first_word(phrase.rows)))
            else:
                keys = keys_of(occurrences(made_of.words[0]))
                if self.forms is not None:
                    rows, places = keys >> POSITION_BITS, keys & LAST_POSITION
                    keys = keys.compress(self.forms.have_form(self, rows, places, made_of.form))
                found.append(keys)
        return distinct(np.concatenate(found))

    def _stored_occurrences(self, terms: Sequence[str], documents: Rows, *, positions: bool) -> list[Occurrences]:
        found: list[list[Occurrences]] = [[] for _ in terms]
        for number, local in self._by_segment(documents):
            base = self.row_base[number]
            in_segment = self._occurrences[number].of_each(terms, local, positions=positions)
            for in_segments, of_term in zip(found, in_segment, strict=True):
                in_segments.append(of_term._replace(rows=of_term.rows + base) if base else of_term)
        return [of_term[0] if len(of_term) == 1 else _united(of_term, positions=positions) for of_term in found]

    def word_numbers(self, term: str, documents: Rows) -> Rows:
        """Return the word numbers of the occurrences of a term in the documents (ascending), ascending."""
        return self.word_numbers_of_each([term], documents)[0]

    def word_numbers_of_each(self, terms: Sequence[str], documents: Rows) -> list[Rows]:
        """Return the word numbers of each term; faster than one by one."""
        found = self.occurrences_of_each(terms, documents, positions=True)
        positions = [of_term.positions for of_term in found if of_term.positions is not None]
        first = self.first_word(join([of_term.rows for of_term in found]))
        numbers = first.repeat(join([of_term.tf for of_term in found])) + join(positions)
        return np.split(numbers, np.cumsum([len(of_term) for of_term in positions])[:-1]) if terms else []

    def with_tags(self, tags: Sequence[int], documents: Rows) -> Rows:
        """Return the elements with one of the tags in the documents (ascending), ascending."""
        found: list[Rows] = []
        for number, local in self._by_segment(documents):
            in_segment = self._local_tag_numbers[number]
            rows = [self._tag_rows[number].rows(in_segment[tag], local) for tag in tags if tag in in_segment]
            if rows:
                found.append((rows[0] if len(rows) == 1 else np.sort(np.concatenate(rows))) + self.row_base[number])
        return join(found)

    def is_tag(self, names: Collection[str]) -> Mask:
        """Return which tags have one of the names, shape (n_tags,); read-only."""
        return self._are_named.get(frozenset(names), lambda: self._named(names))

    def _named(self, names: Collection[str]) -> Mask:
        return read_only(np.fromiter((tag in names for tag in self.tags), np.bool_, len(self.tags)))

    def tags_in(self, names: Collection[str], documents: Rows) -> Mask:
        """Return a mask of the tags with the names, and of tags inside elements of these, inline ones left out.

        Shape (n_tags,). Those inside are of at least the given documents (ascending).
        """
        key = frozenset(names)
        if key in self._tags_in:
            return self._tags_in[key]
        demand = self._tags_in_demand.setdefault(key, Demand(int(self.row_base[-1])))
        is_for_all = demand.is_for_all(int((self.document_end(documents) - self.root(documents)).sum()))
        found = self.is_tag(key).copy()
        rows = self.with_tags(places_of(found).tolist(), np.arange(self.n_documents) if is_for_all else documents)
        inner = ranges(rows + 1, self.end(rows) - rows - 1)
        found[self.tag(inner.compress(~self.is_inline(inner)))] = True
        if is_for_all:
            self._tags_in[key] = found
        return found

    @property
    def attribute_names(self) -> Sequence[str]:
        """The names of the attributes of the segments, sorted, those of deleted documents included."""
        return sorted({name for segment in self._segments for name in attribute_names(segment.elements)})

    def attributes(self, names: Sequence[str], documents: Rows) -> tuple[Rows, Sequence[str]]:
        """Return the attributes with the given names in the documents (ascending): their elements and values.

        Only attributes that the documents' profiles name are known.
        """
        found: list[Rows] = []
        values: list[str] = []
        for number, local in self._by_segment(documents):
            place, rows, texts = attributes_in(self._segments[number].elements, names, local)
            found.append(rows + self._segments[number].first_row[local[place]] + self.row_base[number])
            values += texts
        return join(found), values


def _united(found: Sequence[Occurrences], *, positions: bool = False) -> Occurrences:
    """Return the occurrences of one term in consecutive segments."""
    return Occurrences(
        join([each.rows for each in found]),
        join([each.tf for each in found]),
        join([each.n_leaves for each in found]),
        join([each.positions for each in found if each.positions is not None]) if positions else None,
    )


class ProfileTags:
    """The tags of one kind in one segment. Tags of roots do not count, unless asked for: a root is never inline."""

    def __init__(self, segment: Segment, members: Sequence[frozenset[str]], *, with_roots: bool = False) -> None:
        """Make the table of tags; `members` are those that each of the segment's profiles names."""
        self._segment, self._with_roots = segment, with_roots
        if len(set(members)) == 1:
            members = members[:1]
        self._table = np.array([[tag in named for tag in segment.tags] for named in members], np.bool_)
        # Per tag, whether any profile names it.
        self.in_any_profile: Mask = np.asarray(self._table.any(axis=0))
        self.is_empty = not self.in_any_profile.any()

    def include(self, local: Rows) -> Mask:
        """Return which elements of the segment, given as rows within it, have one of the tags."""
        column = self._segment.elements.column
        tags = column("tag").take(local)
        found: Mask = self.in_any_profile[tags]
        places = places_of(found)
        if not self._with_roots:
            found[places] = self._segment.parents.take(local[places]) > 0
        if len(self._table) > 1:
            documents = np.searchsorted(self._segment.first_row, local[places], side="right") - 1
            profiles = column("profile").take(documents)
            found[places] &= self._table[profiles, tags[places]]
        return found


def attribute_names(folder: CheckedFolder) -> list[str]:
    """Return the names of the attributes of a segment, sorted."""
    return [name.decode() for name in folder.strings("attribute_names").all()]


def attributes_in(folder: CheckedFolder, names: Sequence[str], documents: Rows) -> tuple[Rows, Rows, list[str]]:
    """Return the attributes with the given names in the given documents of a segment.

    Returns: of each, the place of its document among the given ones, the row of its element counted from the document's
        root, and its value; in document order.
    """
    known = attribute_names(folder)
    wanted = [known.index(name) for name in names if name in known]
    none = np.empty(0, np.int64)
    if not wanted:
        return none, none, []
    of_document = folder.column("attributes_of_document")
    first = of_document.take(documents).astype(np.int64)
    counts = of_document.take(documents + 1).astype(np.int64) - first
    entries = ranges(first, counts)
    chosen = np.flatnonzero(np.isin(folder.column("attribute_name").take(entries), wanted))
    entries = entries[chosen]
    ends, blob = AscendingColumn(folder, "attribute_values"), folder.file("attribute_values.bin")
    values = Strings(ends, blob).take(entries)
    decoded = {value: value.decode() for value in set(values)}
    place = np.repeat(np.arange(len(documents)), counts)[chosen]
    rows = folder.column("attribute_row").take(entries).astype(np.int64)
    return place, rows, [decoded[value] for value in values]
