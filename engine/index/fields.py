"""The fields of the documents of an open index: their values, and the documents that fulfil a condition.

Values are compared once each, by their order or their words; then the entries with one of them are taken, and the
documents of these. Columns and masks are cached.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import and_, attrgetter, or_
from typing import Any

import numpy as np

from engine.arrays import Mask, Numbers, Rows, mask_of, places_of
from engine.columns.cache import SizedCache
from engine.fields.conditions import (
    AllOf,
    AnyOf,
    ByKey,
    ByNumber,
    ByWords,
    Condition,
    FieldTest,
    Negated,
    Wanted,
    Where,
    checked,
    wanted_values,
)
from engine.fields.definitions import FieldDefinition
from engine.fields.values import SEPARATOR, TEXT, FieldType, number_key_of, typed
from engine.index.field_columns import OF_DOCUMENT, VALUE, VALUES
from engine.index.segment import Segment
from engine.query_limits import check_time
from engine.records import NamedTuple
from engine.threads import cached_property

# Numbers of eight bytes that the columns of fields take, and the masks of comparisons: 256 and 16 MiB.
MOST_ENTRIES, MOST_MASKS = 2**25, 2**21
# After every separator, and before every text.
AFTER, BEFORE_TEXT = b"\1", b"\0"
FIRST_OF_NUMBER = tuple(b"%c" % each for each in b"0123456789+-")

# The value, or the values of a field that may have several, as programs have them.
FieldValue = str | int | float | list[str] | list[int] | list[float]


class SegmentColumn:
    """The entries of one field in a segment.

    documents: of each entry, ascending. values: of each entry, the number of its value among those of the field, int32.
    keys, shown: of the values, by number.
    """

    def __init__(self, documents: Numbers, values: Numbers, parts: Sequence[Sequence[bytes]]) -> None:
        self.documents, self.values = documents, values
        self.keys, self.shown = [each[1] for each in parts], [each[2] for each in parts]

    @property
    def size(self) -> int:
        """What it takes in memory, in numbers of eight bytes."""
        return 2 * len(self.values) + 24 * len(self.keys)

    def interval(self, wanted: ByKey) -> tuple[int, int]:
        """Return the first number of a value in the bounds, and one past the last."""
        lowest, highest = wanted.lowest, wanted.highest
        cut = bisect_right if wanted.is_without_lowest else bisect_left
        first = 0 if lowest is None else cut(self.keys, lowest)
        cut = bisect_left if wanted.is_without_highest else bisect_right
        return first, len(self.keys) if highest is None else cut(self.keys, highest)

    def with_words(self, wanted: ByWords) -> Mask:
        """Return which values have the words in a row."""
        text, starts = self._lines
        first, *others = map(re.escape, wanted.words)
        words = r"[^\w\n]+".join([rf"{first}(?<!\w{first})", *others])  # begins with text, which is found fast
        end = "" if wanted.is_prefix else r"\b"
        pattern = re.compile(rf"{words}{end}.*")  # one match a line
        places = np.fromiter((match.start() for match in pattern.finditer(text)), np.int64)
        return mask_of(starts.searchsorted(places, side="right") - 1, len(self.keys))

    def with_numbers(self, wanted: ByNumber) -> Mask:
        """Return which values, of texts, begin with numbers in the bounds."""
        numbers = self._numbers
        within: Mask = numbers != b""
        lowest, highest, is_without_lowest, is_without_highest = wanted.numbers
        if lowest is not None:
            within &= (numbers > lowest) if is_without_lowest else (numbers >= lowest)
        if highest is not None:
            within &= (numbers < highest) if is_without_highest else (numbers <= highest)
        return within

    def counts(self, is_counted: Mask) -> ValueCounts:
        """Return in how many of the documents of a mask each value is; of equal values, the first text is shown."""
        by_value = np.bincount(self.values.compress(is_counted.take(self.documents)), minlength=len(self.keys))
        numbers = places_of(by_value)
        firsts = np.flatnonzero(np.diff(self._distinct.take(numbers), prepend=-1))
        counts = np.add.reduceat(by_value.take(numbers), firsts) if len(firsts) else numbers
        chosen = numbers.take(firsts)
        return ValueCounts(Picked(self.keys, chosen), Picked(self.shown, chosen), counts)

    @cached_property
    def by_document(self) -> tuple[Numbers, Numbers]:
        """The first entry of each document with a value, and these documents."""
        firsts = np.flatnonzero(np.diff(self.documents, prepend=-1))
        return firsts, self.documents.take(firsts)

    @cached_property
    def _distinct(self) -> Numbers:
        """The number of the key of each value: values with several texts have one key."""
        return np.cumsum([0, *(a != b for a, b in pairwise(self.keys))], dtype=np.int64)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """The key of the number that each text is or begins with, empty without any."""
        read = [number_key_of(key.decode()) if key[:1] in FIRST_OF_NUMBER else b"" for key in self.keys]
        return np.array(read, "S16")

    @cached_property
    def keys_of_texts(self) -> list[bytes]:
        """The keys of texts in an order in which those that begin with numbers come first, in the order of these."""
        numbers = zip(self._numbers.tolist(), self.keys, strict=True)
        return [BEFORE_TEXT + number + key if number else key for number, key in numbers]

    @cached_property
    def _lines(self) -> tuple[str, Numbers]:
        """The keys, a line each, and where each line begins."""
        lines = [key.decode() for key in self.keys]
        ends = np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)) + 1)
        return "\n".join(lines), np.append(0, ends[:-1])


class Picked(Sequence[bytes]):
    """Some values of a long list, by their numbers; read when they are asked for, as few of them usually are."""

    def __init__(self, values: Sequence[bytes], numbers: Numbers) -> None:
        self._values, self._numbers = values, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        return self._values[self._numbers[place]]

    def __iter__(self) -> Iterator[bytes]:
        return map(self._values.__getitem__, self._numbers.tolist())

    def __reduce__(self) -> tuple[type, tuple[list[bytes]]]:
        return list, (list(self),)


class ValueCounts(NamedTuple):
    """Values of a field by their keys, ascending: how each is shown, and its number of documents."""

    keys: Sequence[bytes]
    shown: Sequence[bytes]
    counts: Numbers

    def most_frequent(self, n: int | None = None) -> list[tuple[bytes, int]]:
        """Return the values that most documents have, or all, as they are shown; of equal counts by key."""
        places = np.argsort(-self.counts, kind="stable")[:n]
        return [
            (self.shown[place], count) for place, count in zip(places, self.counts.take(places).tolist(), strict=True)
        ]


def summed_values(found: Sequence[ValueCounts]) -> ValueCounts:
    """Return the counts of several parts of a collection together; of equal values, the first text is shown."""
    if len(found) == 1:
        return found[0]
    sums: dict[bytes, tuple[bytes, int]] = {}
    for part in found:
        for key, shown, number in zip(part.keys, part.shown, part.counts.tolist(), strict=True):
            known, before = sums.get(key, (shown, 0))
            sums[key] = min(known, shown), before + number
    keys = sorted(sums)
    return ValueCounts(keys, [sums[key][0] for key in keys], np.array([sums[key][1] for key in keys], np.int64))


class FieldValues:
    """The fields of an index: all of its profile's that a document has."""

    def __init__(
        self, segments: Sequence[Segment], document_base: Numbers, definitions: Mapping[str, FieldDefinition]
    ) -> None:
        self._segments = segments
        self._base = document_base
        self.definitions = definitions
        self._columns: SizedCache[tuple[int, str], SegmentColumn] = SizedCache(attrgetter("size"), MOST_ENTRIES)
        self._masks: SizedCache[tuple[str, Wanted], Mask] = SizedCache(lambda mask: 1 + mask.nbytes // 8, MOST_MASKS)

    @cached_property
    def types(self) -> Mapping[str, FieldType]:
        """The type of each field."""
        return {name: field.type for name, field in self.definitions.items()}

    @cached_property
    def known(self) -> frozenset[str]:
        """The fields of which a document, perhaps a deleted one, has a value."""
        borders = {name: [_numbers(segment, name) for segment in self._segments] for name in self.types}
        return frozenset(name for name, each in borders.items() if any(first < end for first, end in each))

    def fulfilling(self, where: Where) -> Mask:
        """Return for each document, deleted ones included, whether it fulfils a condition.

        Raises: SettingsError for a field that the index does not have, or a value that is not of its type.
        """
        checked(where, self.types)
        return self._mask(where.condition, where.text)

    def counts(self, name: str, is_counted: Mask) -> ValueCounts:
        """Return in how many of the documents of a mask each value of a field is."""
        borders = pairwise(self._base.tolist())
        return summed_values([self._column(n, name).counts(is_counted[a:b]) for n, (a, b) in enumerate(borders)])

    def documents_with(self, name: str) -> Mask:
        """Return for each document, deleted ones included, whether it has a value of a field."""
        return self._masks.get((name, ByKey()), lambda: self._with_values(name, ByKey()))

    def first_keys(self, name: str, documents: Rows, *, last: bool = False) -> list[bytes | None]:
        """Return the lowest key of a field of each document, or the highest; None of one without a value.

        Texts that are numbers come before others, in the order of the numbers, as conditions compare them.
        """
        found: list[bytes | None] = [None] * len(documents)
        segments = self._base.searchsorted(documents, side="right") - 1
        for number in np.unique(segments).tolist():
            column = self._column(number, name)
            keys = column.keys_of_texts if self.types[name] == TEXT else column.keys
            for place in places_of(segments == number).tolist():
                local = int(documents[place]) - int(self._base[number])
                begin, end = column.documents.searchsorted([local, local + 1]).tolist()
                if begin < end:
                    among = map(keys.__getitem__, column.values[begin:end].tolist())
                    found[place] = max(among) if last else min(among)
        return found

    def of_documents(self, documents: Rows) -> list[dict[str, FieldValue]]:
        """Return the values of the fields of documents, by name."""
        known: dict[int, dict[str, FieldValue]] = {}
        for document in set(documents.tolist()):
            known[document] = self._of_document(document)
        return [known[document] for document in documents.tolist()]

    def _of_document(self, document: int) -> dict[str, FieldValue]:
        number = int(self._base.searchsorted(document, side="right")) - 1
        folder, local = self._segments[number].elements, document - int(self._base[number])
        begin, end = folder.column(OF_DOCUMENT).slice(local, local + 2).tolist()
        values = folder.column(VALUE).slice(int(begin), int(end)).astype(np.int64)
        found: dict[str, FieldValue] = {}
        for each in folder.strings(VALUES).take(values):
            name, _, shown = (part.decode() for part in each.split(SEPARATOR))
            field = self.definitions.get(name)
            if field is None:
                continue
            value = typed(field.type, shown)
            if not field.several:
                found.setdefault(name, value)
            else:
                found.setdefault(name, []).append(value)  # type: ignore[union-attr,arg-type]
        return found

    def _mask(self, condition: Condition, text: str) -> Mask:
        match condition:
            case FieldTest():
                return self._compared(condition, text)
            case Negated(part):
                return ~self._mask(part, text)
            case AllOf(parts):
                return reduce(and_, (self._mask(part, text) for part in parts))
            case AnyOf(parts):
                return reduce(or_, (self._mask(part, text) for part in parts))

    def _compared(self, test: FieldTest, text: str) -> Mask:
        wanted = wanted_values(test, self.types[test.field], text)
        mask = self._masks.get((test.field, wanted), lambda: self._with_values(test.field, wanted))
        return ~mask if test.operator == "!=" else mask

    def _with_values(self, name: str, wanted: Wanted) -> Mask:
        mask = np.zeros(int(self._base[-1]), np.bool_)
        for number in range(len(self._segments)):
            check_time()
            column = self._column(number, name)
            if isinstance(wanted, ByKey):
                low, high = column.interval(wanted)
                kept = (column.values >= low) & (column.values < high)
            else:
                fits = column.with_words(wanted) if isinstance(wanted, ByWords) else column.with_numbers(wanted)
                kept = fits.take(column.values)
            if len(kept):
                firsts, documents = column.by_document
                mask[documents + int(self._base[number])] = np.logical_or.reduceat(kept, firsts)
        return mask

    def _column(self, number: int, name: str) -> SegmentColumn:
        return self._columns.get((number, name), lambda: self._read(self._segments[number], name))

    def _read(self, segment: Segment, name: str) -> SegmentColumn:
        folder = segment.elements
        strings, (first, end) = folder.strings(VALUES), _numbers(segment, name)
        offsets, data = strings.range(first, end) if end > first else (np.zeros(1, np.int64), np.empty(0, np.uint8))
        joined = data.tobytes()
        parts = [joined[a:b].split(SEPARATOR) for a, b in pairwise(offsets.tolist())]
        values = folder.column(VALUE).all()
        places = places_of((values >= first) & (values < end))
        bounds: Numbers = folder.column(OF_DOCUMENT).all().astype(np.int64)
        documents = np.arange(segment.n_documents).repeat(bounds[1:] - bounds[:-1])
        return SegmentColumn(documents.take(places), (values.take(places) - first).astype(np.int32), parts)


def _numbers(segment: Segment, name: str) -> tuple[int, int]:
    """Return the number of the first value of a field in a segment, and one past the last."""
    strings = segment.elements.strings(VALUES)
    first, end = (strings.find(name.encode() + border) for border in (SEPARATOR, AFTER))
    return (first if first >= 0 else -first - 1), (end if end >= 0 else -end - 1)
