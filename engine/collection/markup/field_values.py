"""The values of the fields of a batch of documents, where their profiles say that these are.

Paths are followed by arrays of rows, from their first step on; only values become Python objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat

import numpy as np

from engine.arrays import Mask, Rows, is_among
from engine.collection.markup.attributes import MarkupAttributes
from engine.collection.markup.markup_tree import BORDER, BorderedText, Tags
from engine.collection.profiles.profile import Profile
from engine.fields.definitions import FieldDefinition, FieldPath, PathStep, parsed_paths
from engine.fields.values import DATE, NOUNS, TEXT, YEAR, Value, packed_date, read_month, read_value, shown_date
from engine.records import NamedTuple, dataclass
from engine.threads import cached_property

# Values of a field of a document that are kept.
MOST_VALUES = 5000
# Attributes of an element that say its date, in the order in which they are tried.
DATE_ATTRIBUTES = (
    *("when", "when-iso", "iso-8601-date", "standarddate", "normal", "datetime", "notBefore", "from"),
    *("notbefore", "content"),
)
# Children of an element that say the parts of its date.
DATE_PARTS = ("year", "month", "day")
_BORDER = bytes((BORDER,))

TextOfRow = Callable[[int], str]


class Misread(NamedTuple):
    """A value that is not of the type of its field: the field, what it should be, its text, the document's number."""

    field: str
    expected: str
    text: str
    document: int


@dataclass(frozen=True)
class FoundFields:
    """The values of a batch: per value the number of the document, the field and the value, sorted by the first two.

    misread: of each field and document in which no value could be read, the first. n_left_out: values beyond
    MOST_VALUES.
    """

    documents: Sequence[int] = ()
    fields: Sequence[str] = ()
    values: Sequence[Value] = ()
    misread: Sequence[Misread] = ()
    n_left_out: int = 0


@dataclass(frozen=True)
class FieldSources:
    """What values are found in: the elements, attributes and text of a batch.

    first_rows: row of each document's root, then n_elements. is_inline: elements across which words go on.
    """

    names: Sequence[str]
    tag: Rows
    parent: Rows
    end: Rows
    first_rows: Rows
    is_inline: Mask
    attributes: MarkupAttributes
    tags: Tags
    text: BorderedText

    def find(self, profiles: Sequence[Profile], profile_of: Sequence[int]) -> FoundFields:
        """Return the values of the fields that the profile of each document defines."""
        numbers, n_left_out = np.asarray(profile_of, np.int64), 0
        found: list[tuple[int, str, Value]] = []
        misread: list[Misread] = []
        for number, profile in enumerate(profiles):
            if not profile.fields or not (numbers == number).any():
                continue
            for field in profile.fields.values():
                of_documents, wrong = self._values(field, numbers == number)
                misread += wrong
                for document, values in of_documents.items():
                    kept = list(values.values())[: MOST_VALUES if field.several else 1]
                    n_left_out += len(values) - len(kept) if field.several else 0
                    found += [(document, field.name, value) for value in kept]
        found.sort(key=lambda each: each[:2])
        documents, names = [each[0] for each in found], [each[1] for each in found]
        return FoundFields(documents, names, [each[2] for each in found], misread, n_left_out)

    def _values(self, field: FieldDefinition, is_wanted: Mask) -> tuple[dict[int, dict[bytes, Value]], list[Misread]]:
        """Return the distinct values of a field by document, and by key, in their order; and what was misread."""
        found: dict[int, dict[bytes, Value]] = {}
        wrong: dict[int, Misread] = {}
        is_open = is_wanted.copy()  # documents in which no source has had a value
        for source in field.sources:
            in_source: dict[int, dict[bytes, Value]] = defaultdict(dict)
            for document, row, text_of in self._places(source, field, is_open):
                if document in in_source and not field.several:
                    continue
                text = text_of(row)
                for part in text.split(field.separator) if field.separator else (text,):
                    value = read_value(field.type, part)
                    if value is not None:
                        in_source[document].setdefault(value.key, value)
                    elif part.strip() and field.type != TEXT:
                        wrong.setdefault(
                            document, Misread(field.name, NOUNS[field.type], " ".join(part.split()), document)
                        )
            found.update(in_source)
            is_open[list(in_source)] = False
        return found, [each for document, each in wrong.items() if document not in found]

    def _places(self, source: str, field: FieldDefinition, is_wanted: Mask) -> list[tuple[int, int, TextOfRow]]:
        """Return where the paths of a source lead to in some documents: document, element, and what reads its text."""
        places: list[tuple[int, int, TextOfRow]] = []
        for path in parsed_paths(source, field.name):
            rows = self._rows(path)
            read: TextOfRow = self._text
            if path.attribute is not None:
                values = self._attribute_values(rows, path.attribute)
                rows, read = np.fromiter(values, np.int64, len(values)), values.__getitem__
            documents = self.first_rows.searchsorted(rows, side="right") - 1
            rows, documents = (each.compress(is_wanted[documents]) for each in (rows, documents))
            if path.attribute is None and field.type in (DATE, YEAR):
                read = self._date_reader(rows)
            places += zip(documents.tolist(), rows.tolist(), repeat(read))
        return sorted(places, key=lambda place: place[1])

    def _rows(self, path: FieldPath) -> Rows:
        """Return the elements that a path leads to, ascending."""
        rows = self._with_step(path.steps[0])
        if path.is_absolute:
            rows = rows.compress(self.parent[rows] == rows)
        for step in path.steps[1:]:
            if not len(rows):
                break
            inner = self._with_step(step)
            inner = inner.compress(self.parent[inner] != inner)
            if step.is_deep:
                furthest = np.maximum.accumulate(self.end[rows])
                before = rows.searchsorted(inner)  # elements before each; the one itself contains it only if before
                rows = inner.compress((before > 0) & (furthest[np.maximum(before, 1) - 1] > inner))
            else:
                rows = inner.compress(is_among(self.parent[inner], rows))
        return rows

    def _with_step(self, step: PathStep) -> Rows:
        """Return the elements with the tag and the attributes of a step, ascending."""
        rows = np.arange(len(self.tag)) if step.tag is None else self._by_tag.get(step.tag, np.empty(0, np.int64))
        for name, wanted in step.attributes:
            if not len(rows):
                break
            values = self._attribute_values(rows, name)
            kept = [row for row, value in values.items() if wanted is None or value.strip().lower() == wanted.lower()]
            rows = np.array(sorted(kept), np.int64)
        return rows

    @cached_property
    def _by_tag(self) -> Mapping[str, Rows]:
        return dict(zip(self.names, _places_by_number(self.tag, len(self.names)), strict=True))

    @cached_property
    def _by_attribute(self) -> Mapping[str, Rows]:
        """The places of the attributes of each local name, ascending."""
        found: dict[str, Rows] = {}
        local = self.attributes.local
        for name, places in zip(local, _places_by_number(self.attributes.spelling, len(local)), strict=True):
            found[name] = np.sort(np.append(found[name], places)) if name in found else places
        return found

    def _attribute_values(self, rows: Rows, name: str) -> dict[int, str]:
        """Return the values of an attribute of elements (ascending), by row."""
        places = self._by_attribute.get(name)
        if places is None or not len(rows):
            return {}
        places = places.compress(is_among(self.attributes.rows[places], rows))
        return dict(zip(self.attributes.rows[places].tolist(), self.attributes.values(places), strict=True))

    def _date_reader(self, rows: Rows) -> TextOfRow:
        """Return what reads the dates that elements say, by an attribute, in parts, or as text."""
        by_name = [values for name in DATE_ATTRIBUTES if (values := self._attribute_values(rows, name))]
        parts = [self._first_children(rows, name) for name in DATE_PARTS]

        def read(row: int) -> str:
            given = next((values[row] for values in by_name if values.get(row, "").strip()), None)
            return given if given is not None else self._date_of_parts(row, parts) or self._text(row)

        return read

    def _first_children(self, rows: Rows, name: str) -> dict[int, int]:
        """Return the first child of a name of each of some elements (ascending) that has one."""
        children = self._by_tag.get(name, np.empty(0, np.int64))[::-1]
        parents = self.parent[children]
        is_wanted = is_among(parents, rows) & (parents != children)
        return dict(zip(parents.compress(is_wanted).tolist(), children.compress(is_wanted).tolist(), strict=True))

    def _date_of_parts(self, row: int, parts: Sequence[Mapping[int, int]]) -> str:
        """Return the date whose parts are children of an element, "" if there is no year."""
        texts = (self._text(children[row]).strip() if row in children else "" for children in parts)
        in_year, in_month, in_day = texts
        if not in_year.isdecimal() or len(in_year) > 4:
            return ""
        year, month = int(in_year), read_month(in_month)
        day = int(in_day) if month and in_day.isdecimal() and len(in_day) <= 2 else 0
        date = packed_date(year, month, day)
        return f"{year:04}-{month:02}-{day:02}" if date is None else shown_date(date)  # no such day: a misread value

    def _text(self, row: int) -> str:
        """Return the text of an element; its parts are apart unless they are inline."""
        first, last = int(self.tags.starts[row]), int(self.tags.ends[row])
        begin, end = int(self.text.borders[first]) + 1, int(self.text.borders[last])
        codes = self.text.encoded[begin:end]
        if last - first > 1:
            codes = codes.copy()
            inside = slice(first + 1, last)
            codes[self.text.borders[inside].compress(self._parts_words[inside]) - begin] = ord(" ")
        return codes.tobytes().replace(_BORDER, b"").decode()

    @cached_property
    def _parts_words(self) -> Mask:
        """Whether words end at each tag: at those of elements that are not inline."""
        found = np.empty(len(self.tags.opens), np.bool_)
        found[self.tags.starts] = found[self.tags.ends] = ~self.is_inline
        return found


def _places_by_number(numbers: Rows, n_numbers: int) -> list[Rows]:
    """Return the places of each number below n_numbers, ascending."""
    if not n_numbers:
        return []
    order = numbers.astype(np.uint16 if n_numbers < 1 << 16 else np.int64).argsort(kind="stable")
    return np.split(order, np.cumsum(np.bincount(numbers, minlength=n_numbers))[:-1])
