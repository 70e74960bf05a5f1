"""The values of fields: text, numbers, dates, years; how they are read from documents, compared, and stored.

A value is stored as its name, a key and the text that is shown. Keys are in the order of the values: of text, it is
the text without case, accents and white space that do not count; of the others a number in 16 hexadecimal digits.

A date is a year, a month or a day. It is compared by its first day: 1857 comes before 1857-05, and both lie in 1857.
"""

from __future__ import annotations

import re
import struct
from calendar import monthrange
from typing import Final, Literal

from engine.records import NamedTuple
from engine.text.characters import folded

FieldType = Literal["text", "number", "date", "year"]
TEXT: Final = "text"
NUMBER: Final = "number"
DATE: Final = "date"
YEAR: Final = "year"
TYPES: tuple[FieldType, ...] = (TEXT, NUMBER, DATE, YEAR)
# What a value of each type is called in messages.
NOUNS = {TEXT: "text", NUMBER: "a number", DATE: "a date", YEAR: "a year or a date"}
EXAMPLES = {TEXT: "", NUMBER: "12 or 0.5", DATE: "1857, 1857-05 or 1857-05-01", YEAR: "1857"}

# Longest text that is stored, in characters.
LONGEST = 500
# Characters of an element in which a number or a date is sought.
MOST_READ = 200
# Separates name, key and shown text; XML has no such character.
SEPARATOR = b"\0"

MONTH, YEAR_OF = 100, 10_000  # what a month and a year are multiplied by
FIRST_YEAR, LAST_YEAR = -9999, 9999

_ISO = re.compile(r"(-?\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T\s].*)?", re.ASCII | re.DOTALL)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})", re.ASCII)
_MONTH_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY_FIRST = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?{_MONTH_NAME}(?:\s?[/–-]\s?[a-z]+\.?)?,?\s+(\d{{4}})\b",
    re.I | re.ASCII,
)
_MONTH_FIRST = re.compile(rf"\b{_MONTH_NAME}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.I | re.ASCII)
_ANY_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = {name: number for number, name in enumerate(_MONTHS, 1)} | {"sept": 9}
# Dates with a sign between them that is none of a date: 1841-1843, 1841–43, 1857-05/1858-01.
_DATES = re.compile(r"(\d{4}(?:-\d\d){0,2})(?:\s?[–—/]\s?(\d{4}(?:-\d\d){0,2})|-(\d{4}))", re.ASCII)
_YEARS = re.compile(r"((\d\d)\d\d)[-–—](\d\d)", re.ASCII)
_DATE_IN_QUERY = re.compile(r"(-?\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)


class Value(NamedTuple):
    """A value: its key, by which it is compared, and the text that is shown."""

    key: bytes
    shown: str


class Bounds(NamedTuple):
    """The numbers from the lowest to the highest, both included, that a number or a date of a condition stands for."""

    lowest: float
    highest: float


def plain(text: str) -> str:
    """Return text as texts of fields are compared: without case, accents and needless white space.

    >>> plain(" Étienne  VAUQUELIN ")
    'etienne vauquelin'
    """
    return " ".join(folded(text, without_diacritics=True, compatible=True).split())


def read_value(kind: FieldType, text: str) -> Value | None:
    """Return the value that a text of a document denotes, None if it is none of this type.

    >>> [read_value(*each).shown for each in (("date", "14 March 2016"), ("year", "c. 1857"), ("number", "1,200"))]
    ['2016-03-14', '1857', '1200']
    >>> read_value("number", "spring") is None
    True
    """
    text = " ".join(text.replace("\0", " ").split())
    if not text:
        return None
    if kind == TEXT:
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        key = plain(text)
        return Value(key.encode(), text) if key else None
    if kind == NUMBER:
        number = _read_number(text)
        return None if number is None else Value(number_key(number), shown_number(number))
    date = read_date(text)
    if date is None:
        return None
    if kind == YEAR:
        date = (date // YEAR_OF) * YEAR_OF
        return Value(number_key(date // YEAR_OF), str(date // YEAR_OF))
    return Value(number_key(date), shown_date(date))


def stored(name: str, value: Value) -> bytes:
    """Return a value as an index stores it; `stored_parts` reads it."""
    return SEPARATOR.join((name.encode(), value.key, value.shown.encode()))


def typed(kind: FieldType, shown: str) -> str | int | float:
    """Return a shown value as programs have it: a number of a number and a year, text of a text and a date.

    >>> typed("year", "1857"), typed("number", "0.5"), typed("date", "1857-05")
    (1857, 0.5, '1857-05')
    """
    if kind not in (NUMBER, YEAR):
        return shown
    number = float(shown)
    return int(number) if number.is_integer() and "e" not in shown else number


def number_key(number: float) -> bytes:
    """Return the key of a number; keys are in the order of the numbers.

    >>> number_key(-2) < number_key(-1) < number_key(0) < number_key(0.5) < number_key(10)
    True
    """
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    bits ^= 0xFFFFFFFFFFFFFFFF if bits >> 63 else 0x8000000000000000
    return b"%016x" % bits


def number_key_of(text: str) -> bytes:
    """Return the key of the number that a text is or begins with, b"" without any.

    >>> number_key_of("1857-05") == number_key_of("1,857") == number_key(1857), number_key_of("c. 1857")
    (True, b'')
    """
    match = _NUMBER.match(text)
    number = None if match is None else _read_number(match[0])
    return b"" if number is None else number_key(number)


def shown_number(number: float) -> str:
    """Return the text of a number."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _read_number(text: str) -> float | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > MOST_READ:
        return None
    number = float(text.replace(",", ""))
    return number + 0.0 if abs(number) != float("inf") else None


def packed_date(year: int, month: int = 0, day: int = 0) -> int | None:
    """Return a date as a number, 0 for a month or day that is not known; None if there is no such day.

    >>> packed_date(1857, 5), packed_date(1857, 2, 30)
    (18570500, None)
    """
    if not FIRST_YEAR <= year <= LAST_YEAR or not 0 <= month <= 12 or day < 0 or (day and not month):
        return None
    if day > (monthrange(2000 + year % 400, month)[1] if month else 0):
        return None
    return year * YEAR_OF + month * MONTH + day


def shown_date(date: int) -> str:
    """Return the text of a date: 1857, 1857-05 or 1857-05-01."""
    year, rest = divmod(date, YEAR_OF)
    month, day = divmod(rest, MONTH)
    parts = [f"{'-' if year < 0 else ''}{abs(year):04}", *(f"{part:02}" for part in (month, day) if part)]
    return "-".join(parts)


def read_date(text: str) -> int | None:
    """Return the date that a text of a document denotes; the first year in it if nothing more is clear.

    None of a day that there is not.

    >>> read_date("1857-05-01T12:00:00Z"), read_date("May/June 1857"), read_date("[ca. 1850-1900]"), read_date("n.d.")
    (18570501, 18570500, 18500000, None)
    >>> read_date("1858-02-30"), read_date("1858-59")
    (None, 18580000)
    """
    text = text[:MOST_READ]
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        found = packed_date(*(int(part or 0) for part in match.groups()))
        if found is not None or match[3]:
            return found
    if match := _DOTTED.search(text):
        return packed_date(int(match[3]), int(match[2]), int(match[1]))
    if match := _MONTH_FIRST.search(text):
        return packed_date(int(match[3]), _month(match[1]), int(match[2]))
    if match := _DAY_FIRST.search(text):
        return packed_date(int(match[3]), _month(match[2]), int(match[1] or 0))
    year = _ANY_YEAR.search(text)
    return int(year[1]) * YEAR_OF if year else None


def read_month(text: str) -> int:
    """Return a month by number or English name, 0 if it is none."""
    text = text.strip().lower()
    if text.isdecimal() and len(text) <= 2:
        return int(text) if int(text) <= 12 else 0
    return _month(text)


def _month(name: str) -> int:
    return _NAMES.get(name.lower()[:3], 0)


def range_of(kind: FieldType, text: str) -> tuple[str, str, str]:
    """Return the ends of a range in a condition, with what is between; a value that is no range as the first.

    >>> range_of("year", "1841..1843"), range_of("date", "1841-1843"), range_of("date", "1841–43")
    (('1841', '..', '1843'), ('1841', '..', '1843'), ('1841', '..', '1843'))
    """
    first, dots, last = text.partition("..")
    if dots or kind in (TEXT, NUMBER):
        return first, dots, last
    if match := _DATES.fullmatch(text):
        return match[1], "..", match[2] or match[3]
    if (match := _YEARS.fullmatch(text)) and match[3] > match[1][2:] and bounds_of(DATE, text) is None:
        return match[1], "..", match[2] + match[3]
    return text, "", ""


def bounds_of(kind: FieldType, text: str) -> Bounds | None:
    """Return the numbers that a number or date in a condition stands for, None if it is none of this type.

    >>> bounds_of("date", "1857-05"), bounds_of("date", "1857-05-01")
    (Bounds(lowest=18570500, highest=18570599), Bounds(lowest=18570500, highest=18570501))
    """
    if kind == NUMBER:
        number = _read_number(text)
        return None if number is None else Bounds(number, number)
    match = _DATE_IN_QUERY.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part or 0) for part in match.groups())
    if packed_date(year, month, day) is None or (match[2] and not month) or (match[3] and not day):
        return None
    if kind == YEAR:
        return Bounds(year, year) if not month else None
    lowest = year * YEAR_OF + (month if month > 1 or day > 1 else 0) * MONTH + (day if day > 1 else 0)
    highest = year * YEAR_OF + (month * MONTH + (day or MONTH - 1) if month else YEAR_OF - 1)
    return Bounds(lowest, highest)
