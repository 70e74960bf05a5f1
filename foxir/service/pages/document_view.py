"""A document as arrays of its elements, with what the profile says of their tags; the parts in which it is shown."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.collection.profiles.profile import LINK_TAGS, LINKS, Profile
from engine.collection.profiles.profile_files import is_known
from engine.errors import QueryError, QueryLimitError
from engine.index.elements.element_lookup import id_hint, row_of
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.presentation.breadcrumbs import breadcrumbs, document_titles
from engine.presentation.readable_text import readable_text
from engine.presentation.text_blocks import BORDER, text_blocks
from foxir.service.http.problems import not_found
from foxir.service.indexes import Snapshot

# Numbers that an element of a view takes.
NUMBERS = 40
# Elements of what is known of a document; those whose children are, of these children those that are not.
METADATA = frozenset(("journal-meta", "fno", "teiHeader", "prolog", "titlealts", "eadheader", "control", "SDOBI"))
METADATA |= {"us-bibliographic-data-grant", "us-bibliographic-data-application", "subdoc-bibliographic-information"}
AROUND_METADATA = frozenset(("front", "article-meta", "book-meta", "fm", "info", "articleinfo", "bookinfo"))
# The same in a vocabulary that no profile knows, where less than half of the words are in it.
UNKNOWN_METADATA = frozenset(("metadata",))
NO_METADATA = AROUND_METADATA | {"abstract", "trans-abstract", "abs", "highlights", "kwd-group", "kwd", "description"}
# Words for untitled parts of a document.
UNTITLED = {
    tag: words
    for words, tags in {
        "Abstract": ("abstract", "trans-abstract", "abs"),
        "Acknowledgements": ("ack", "acknowledgements"),
        "References": ("ref-list", "listBibl", "bib", "bibliography"),
        "Notes": ("fn-group", "notes"),
        "Appendices": ("app-group",),
        "Authors": ("vt",),
        "Figures and tables": ("floats-group",),
    }.items()
    for tag in tags
}
# References to other documents; titles in them are no titles of this one.
REFERENCES = frozenset(
    ("ref", "element-citation", "mixed-citation", "nlm-citation", "citation", "biblStruct", "bibl", "biblioentry")
) | {"bibliomixed", "bb"}
# Elements that only hold others of a document.
HOLDERS = AROUND_METADATA | UNKNOWN_METADATA | frozenset(["content", "body", "back", "text", "bdy", "bm"])
# Attributes that number elements.
NUMBER_NAMES = frozenset(("no", "nr", "n", "num", "number"))
# The element of a number, and numbers that have others: "1", "Section 2.3", "§ 4", "(a)", "IV."
LABEL = "label"
NUMBER = re.compile(r"(?:\w{1,12}\s+)?[§(\[\s]*(?:\d{1,4}(?:[.–-]\w{1,3})*|[IVXLCivxlc]{1,8}|[A-Za-z])[.:)\]]*")
# The local name of xml:lang, as HTML has it, and its values; longer first parts are rare, or programming languages.
LANG = "lang"
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
# Characters of a title, and of a number.
LONGEST_LINE, LONGEST_NUMBER = 160, 8


@dataclass(frozen=True)
class DocumentView:
    """One document; lists have an entry for each element, in document order; `first_row` is the row of the root.

    parents: positions in the lists; the root is its own. ends: one past the last element of each subtree.
    starts, stops: characters in the text, end exclusive.
    """

    document: str
    number: int
    first_row: int
    profile: Profile
    text: str
    tags: list[str]
    parents: list[int]
    ends: list[int]
    starts: list[int]
    stops: list[int]
    is_inline: list[bool]
    ends_words: list[bool]
    words: list[int]
    own_words: list[int]
    reader: IndexReader

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def size(self) -> int:
        """About how much memory it takes, in numbers of eight bytes."""
        return len(self) * NUMBERS + len(self.text) // 4

    @cached_property
    def paths(self) -> list[str]:
        """The paths of all elements."""
        return element_paths(self.reader, np.arange(self.first_row, self.first_row + len(self)))

    def path(self, place: int) -> str:
        """Return the path of an element."""
        return element_paths(self.reader, np.array([self.first_row + place]))[0]

    def children(self, place: int) -> list[int]:
        """Return the children of an element."""
        found, child = [], place + 1
        while child < self.ends[place]:
            found.append(child)
            child = self.ends[child]
        return found

    @cached_property
    def is_skipped(self) -> list[bool]:
        """Mask of the elements left out of the index by the profile, their descendants included."""
        skipped = [False] * len(self)
        if self.profile.skip:
            for place, tag in enumerate(self.tags):
                skipped[place] = tag in self.profile.skip or (place > 0 and skipped[self.parents[place]])
        return skipped

    @cached_property
    def is_in_line(self) -> list[bool]:
        """Mask of the elements that the readable text has in a line with what is around them; not of inline ones."""
        blocks = text_blocks(self.reader, self.number, self.first_row, 0, self.text)
        found = np.zeros(len(self), np.bool_)
        found[blocks.rows - self.first_row] = blocks.gaps == BORDER
        return found.tolist()

    def is_note_in_line(self, place: int) -> bool:
        """Return whether an element is a note in a sentence."""
        around = self.parents[place]
        while around and self.is_inline[around]:
            around = self.parents[around]
        return place > 0 and self.tags[place] in self.profile.note_tags and self.own_words[around] > 0

    @cached_property
    def is_left_out(self) -> list[bool]:
        """Mask of the elements that no outline and no map shows: inline and skipped ones."""
        return [inline or skipped for inline, skipped in zip(self.is_inline, self.is_skipped, strict=True)]

    @cached_property
    def is_metadata(self) -> list[bool]:
        """Mask of the elements that say of the document who wrote it, when and where; not its abstract."""
        found = [False] * len(self)
        tags, of_document = (AROUND_METADATA, METADATA) if self.is_known else (UNKNOWN_METADATA, frozenset[str]())
        around = {place for place, tag in enumerate(self.tags) if tag in tags}
        if not self.is_known:
            around = {place for place in around if 2 * self.words[place] < self.words[0]}
        for place in range(1, len(self) if self.is_known or around else 1):
            parent, tag = self.parents[place], self.tags[place]
            is_known = tag in of_document or (parent in around and tag not in NO_METADATA)
            found[place] = found[parent] or (is_known and not self.is_inline[place])
        return found

    @cached_property
    def is_known(self) -> bool:
        """Whether a profile knows the vocabulary, so that names say what its tags mean."""
        return is_known(self.profile)

    @cached_property
    def title_place(self) -> int:
        """The heading with which the text begins and that says no more than the title of its page; -1 for none."""
        for place in range(1, len(self)):
            if self.tags[place] in self.title_tags and not self.is_metadata[place]:
                begins = not self.text[: self.starts[place]].strip()
                return place if begins and self.line(place) == self.title else -1
        return -1

    @cached_property
    def title_tags(self) -> frozenset[str]:
        """The tags of titles."""
        return self.reader.title_tags(self.profile)

    @cached_property
    def heading_ranks(self) -> dict[str, int]:
        """The ranks of the tags of headings that occur in it, the highest 0: h2 and h3 in HTML."""
        ranked = filter(set(self.tags).__contains__, self.profile.headings)
        return {tag: rank for rank, tag in enumerate(ranked)}

    @cached_property
    def title(self) -> str:
        """The title of the document as a line."""
        return _shortened(self.whole_title, LONGEST_LINE)

    @cached_property
    def whole_title(self) -> str:
        """The title of the document; of one without, its first short name, else its id."""
        return document_titles(self.reader, np.array([self.number]))[0]

    def names(self, places: Sequence[int]) -> list[str]:
        """Return what breadcrumbs call elements, and not what is around them: headings, labels, titles in attributes.

        "" for one without.
        """
        around = [self.parents[place] for place in places]
        rows = self.first_row + np.array([*places, *around], np.int64)
        trails = breadcrumbs(self.reader, np.full(len(rows), self.number), rows)
        pairs = zip(trails[: len(places)], trails[len(places) :], strict=True)
        return ["" if trail in (outer, outer[:-1]) else trail[-1] if trail else "" for trail, outer in pairs]

    @cached_property
    def links(self) -> dict[int, int]:
        """Element -> the element of the document that it refers to by its id: references, notes, figures, tables."""
        elements, here = self.reader.elements, np.array([self.number])
        places: dict[str, int] = {}
        rows, values = elements.attributes(["id"], here)
        for row, value in zip(rows.tolist(), values, strict=True):
            places.setdefault(value.strip(), row - self.first_row)
        found: dict[int, int] = {}
        for name in sorted(LINKS.intersection(elements.attribute_names)):
            rows, values = elements.attributes([name], here)
            for row, value in zip(rows.tolist(), values, strict=True):
                first = value.split()[0].removeprefix("#") if value.strip() else ""
                if (target := places.get(first)) is not None and self.tags[row - self.first_row] in LINK_TAGS:
                    found[row - self.first_row] = target
        return found

    @cached_property
    def numbers(self) -> dict[int, str]:
        """Element -> the number that an attribute gives to it, or to the element whose title it is.

        None of inline elements, of vocabularies that a profile knows, and of what begins with its number.
        """
        found: dict[int, str] = {}
        elements, here = self.reader.elements, np.array([self.number])
        for name in () if self.is_known else sorted(NUMBER_NAMES.intersection(elements.attribute_names)):
            rows, values = elements.attributes([name], here)
            for place, value in zip((rows - self.first_row).tolist(), map(str.strip, values), strict=True):
                titles = (child for child in self.children(place) if self.tags[child] in self.title_tags)
                is_shown = place and value and len(value) <= LONGEST_NUMBER and not self.is_inline[place]
                if is_shown and not self.text.startswith(value, self.starts[place]):
                    found[next(titles, place)] = value
        return found

    @cached_property
    def languages(self) -> dict[int, str]:
        """Element -> the language that it says its text is in, as in BCP 47.

        Of a root that does not say it, the one that was recognised, "" for none.
        """
        found = {0: self.reader.language_code(self.number) or ""}
        rows, values = self.reader.elements.attributes([LANG], np.array([self.number]))
        for place, value in zip((rows - self.first_row).tolist(), values, strict=True):
            if LANGUAGE.fullmatch(value):
                found[place] = value
        return found

    def line(self, place: int, most: int = LONGEST_LINE) -> str:
        """Return the beginning of an element's text on one line, with blanks between blocks and cells."""
        start, stop = self.starts[place], self.stops[place]
        end = min(stop, start + 4 * most)
        text = self.text[start:end]
        if any(self.ends_words[place + 1 : self.ends[place]]):
            text = readable_text(self.reader, self.number, self.first_row + place, start, end)
        line = " ".join(text.split())
        return line if len(line) <= most and stop - start <= 4 * most else _cut(line, most)

    @cached_property
    def roles(self) -> dict[int, str]:
        """The roles of elements on a page, as far as they are known; see `text_html.role_of`."""
        return {}

    @cached_property
    def _headings(self) -> dict[int, str]:
        return {}

    def heading(self, place: int) -> str:
        """Return the title among the children of an element, "" where there is none."""
        if (known := self._headings.get(place)) is None:
            self._headings[place] = known = self._heading(place)
        return known

    def _heading(self, place: int) -> str:
        if self.title_tags and self.ends[place] > place + 1:
            before = place
            for child in self.children(place):
                if self.tags[child] in self.title_tags:
                    number = f"{self.line(before)} " if before > place and self.is_number(before) else ""
                    return number + self.line(child)
                before = child
        return ""

    def is_number(self, place: int) -> bool:
        """Return whether an element is a number, as of the title or paragraph after it, in a known vocabulary."""
        is_alone = self.is_known and self.ends[place] == place + 1 and not self.is_inline[place]
        if not is_alone or self.words[place] > LONGEST_NUMBER // 2:
            return False
        text = self.text[self.starts[place] : self.stops[place]].strip()
        return bool(text) and (self.tags[place] == LABEL or NUMBER.fullmatch(text) is not None)


def _shortened(line: str, most: int) -> str:
    return line if len(line) <= most else _cut(line, most)


def _cut(line: str, most: int) -> str:
    """Return the beginning of a line, whole words if they are not too long, with an ellipsis."""
    words, _, _ = line[: most + 1].rpartition(" ")
    return (words if len(words) > most // 2 else line[:most]).rstrip() + " …"


def view_of(snapshot: Snapshot, document: str) -> DocumentView:
    """Return a document, kept with the others that were read last; raises ProblemError 404 for an unknown id."""
    view: DocumentView = snapshot.views.get(document, lambda: _read(snapshot, document))
    return view


def _read(snapshot: Snapshot, document: str) -> DocumentView:
    reader = snapshot.reader
    number = reader.number(document)
    if number is None:
        hint = id_hint(snapshot.reader, document)
        raise not_found(f"document {document!r} is not in index {snapshot.name!r}: {hint}")
    elements, here = reader.elements, np.array([number])
    first, end = int(elements.root(here)[0]), int(elements.document_end(here)[0])
    rows = np.arange(first, end)
    spans = reader.spans(number, rows)
    names = elements.tags
    return DocumentView(
        document=document,
        number=number,
        first_row=first,
        profile=reader.profile_of(number),
        text=reader.text(number),
        tags=[names[tag] for tag in elements.tag(rows).tolist()],
        parents=(elements.parent(rows) - first).tolist(),
        ends=(elements.end(rows) - first).tolist(),
        starts=spans[:, 0].tolist(),
        stops=spans[:, 1].tolist(),
        is_inline=elements.is_inline(rows).tolist(),
        ends_words=elements.end_words(rows).tolist(),
        words=elements.n_words(rows).tolist(),
        own_words=elements.n_own_words(rows).tolist(),
        reader=reader,
    )


def place_of(view: DocumentView, path: str) -> int:
    """Return the place of the element at a path, or with an id; a step without a number is the first of its name.

    Raises: ProblemError 404 where there is none.
    """
    try:
        return row_of(view.reader, view.document, path) - view.first_row
    except QueryLimitError:  # it may be there
        raise
    except QueryError as error:
        raise not_found(error) from None


def places_of_paths(view: DocumentView, paths: Iterable[str]) -> list[int]:
    """Return the places of the elements at paths, each once, in document order; unknown ones are left out."""
    known = {path: place for place, path in enumerate(view.paths)} if paths else {}
    return sorted({known[path] for path in paths if path in known})


# Characters of text on one page; longer documents are shown in parts.
PART = 250_000


@dataclass(frozen=True)
class DocumentPart:
    """Consecutive elements of a document: places first to end, and characters start to stop."""

    first: int
    end: int
    start: int
    stop: int


def parts_of(view: DocumentView, size: int = PART) -> list[DocumentPart]:
    """Return the parts of a document, each of about `size` characters; they begin with elements.

    Those after the first with nothing but skipped elements, such as images in base64, are left out.
    """
    cuts = [0]
    begun = 0
    for place, start in enumerate(view.starts):
        if start - begun >= size and not view.is_inline[place] and view.stops[place] > start:
            cuts.append(place)
            begun = start
    ends = [*cuts[1:], len(view)]
    starts = [0, *(view.starts[cut] for cut in cuts[1:])]
    stops = [*starts[1:], len(view.text)]
    parts = [DocumentPart(*part) for part in zip(cuts, ends, starts, stops, strict=True)]
    return [part for part in parts if not part.first or not all(view.is_skipped[part.first : part.end])]


def part_at(parts: Sequence[DocumentPart], place: int) -> int:
    """Return the number of the part in which an element begins."""
    return bisect_right([part.first for part in parts], place) - 1
