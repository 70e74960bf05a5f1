"""Conditions on the fields of a document: `year >= 2019 and type = "review"`.

    condition = part (("or" | "|") part)*    part = test ("and" test)*
    test = "not" test | "(" condition ")" | NAME operator value ("|" (NAME operator)? value)*
         | NAME "in" "(" value ("," value)* ")"
    operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | ":"

A value is a word or a text in quotes; `*` is any value; of numbers and dates, `a..b` are those from a to b, one of
which may be missing. `=` compares a whole text, `:` asks for its words in a row, the last of which may end in `*`.
Texts are compared without case and accents. A document with several values fulfils a test if one of them does; so `!=`
asks that none is equal, and is fulfilled by a document without a value.

Where a text is compared with a number or a range of numbers, a text counts as the number that it begins with: 1857-05,
a date, as 1857. One without any does not fulfil the test.

What a condition means for values that are not of the type of a field is only known with the fields of an index
(`checked`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from engine.errors import SettingsError
from engine.fields.values import (
    EXAMPLES,
    NOUNS,
    NUMBER,
    TEXT,
    Bounds,
    FieldType,
    bounds_of,
    number_key,
    plain,
    range_of,
)
from engine.records import NamedTuple, dataclass
from engine.wording import did_you_mean, printable, shown_text

Operator = Literal["=", "!=", "<", "<=", ">", ">=", ":"]
# Longest condition, in characters, and how deep parentheses may be in one another.
LONGEST, DEEPEST = 20_000, 50
ANY = "*"

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<sign><=|>=|!=|==|[=<>:(),|])"
    r"|(?P<word>[^\s\"'()=<>!:,|](?:[^\s\"'()=<>!,|]|(?<=\w)')*))"
)
_NAME = re.compile(r"[^\s\"'()=<>!:,|]+")
# The name of a field and an operator, after |.
_FIELD = re.compile(r"\s*[a-z][a-z0-9_-]*\s*(?:[=<>:]|!=|in\b)", re.ASCII | re.I)
_WORDS = re.compile(r"\w+\*?|\*")


@dataclass(frozen=True)
class FieldTest:
    """A test of one field.

    place: of the value in the text, for messages. is_exact: whether it was quoted, so that `*` and `..` are text.
    """

    field: str
    operator: Operator
    value: str
    place: int = 0
    field_place: int = 0
    is_exact: bool = False

    def __str__(self) -> str:
        space = "" if self.operator == ":" else " "
        return f"{self.field}{space}{self.operator}{space}{self.written_value}"

    @property
    def written_value(self) -> str:
        """The value as a condition has it, in quotes where it needs them."""
        is_plain = not self.is_exact and re.fullmatch(r"[\w.*/–—-]+", self.value)
        return self.value if is_plain else quoted(self.value)


@dataclass(frozen=True)
class AllOf:
    """Conditions that are all fulfilled."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(str(each) if isinstance(each, FieldTest | Negated) else f"({each})" for each in self.parts)


@dataclass(frozen=True)
class AnyOf:
    """Conditions of which one is fulfilled."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(str(each) if isinstance(each, FieldTest | Negated) else f"({each})" for each in self.parts)


@dataclass(frozen=True)
class Negated:
    """A condition that is not fulfilled."""

    part: Condition

    def __str__(self) -> str:
        return f"not {self.part}" if isinstance(self.part, FieldTest | Negated) else f"not ({self.part})"


Condition = FieldTest | AllOf | AnyOf | Negated


@dataclass(frozen=True)
class Where:
    """A condition, with its text, which prints as it."""

    text: str
    condition: Condition

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> Where:
        """Return the condition that a text denotes; raises SettingsError that points at the mistake.

        >>> print(*field_tests(Where.parse("year >= 2019 and type = review").condition), sep="; ")
        year >= 2019; type = review
        """
        if len(text) > LONGEST:
            raise SettingsError(f"a condition of {len(text):,} characters: expected at most {LONGEST:,}.")
        if re.search("[\ud800-\udfff]", text):
            raise SettingsError(f"condition {shown_text(text)}: found a lone surrogate, which no text has.")
        return cls(text, _Parser(text).parse())


def quoted(value: str) -> str:
    """Return a value in quotes that it does not contain."""
    return f'"{value}"' if '"' not in value else f"'{value}'"


def field_tests(condition: Condition) -> Iterator[FieldTest]:
    """Yield the tests in a condition, in their order."""
    match condition:
        case FieldTest():
            yield condition
        case Negated(part):
            yield from field_tests(part)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from field_tests(part)


class ByKey(NamedTuple):
    """The values whose keys are from the lowest to the highest, both included; None for no bound."""

    lowest: bytes | None = None
    highest: bytes | None = None
    is_without_lowest: bool = False
    is_without_highest: bool = False


class ByWords(NamedTuple):
    """The values that contain words in a row; is_prefix: the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool


class ByNumber(NamedTuple):
    """The texts that begin with numbers with keys in bounds."""

    numbers: ByKey


Wanted = ByKey | ByWords | ByNumber


def compares_numbers(test: FieldTest) -> bool:
    """Return whether a test of a text compares it with a number, or with a range of them."""
    first, dots, last = range_of(TEXT, test.value)
    is_range = bool(dots) and test.operator in ("=", "!=", ":")
    if test.is_exact or (not is_range and (dots or test.operator in ("=", "!=", ":"))):
        return False
    ends = [end for end in (first, last) if end]
    return bool(ends) and all(bounds_of(NUMBER, end) for end in ends)


@lru_cache(maxsize=256)
def wanted_values(test: FieldTest, kind: FieldType, text: str) -> Wanted:
    """Return the values with which a test of a field of this type is fulfilled; of `!=`, with which it is not.

    Args:
        text: of the condition, which messages show.
    Raises: SettingsError for a value that is none of this type.
    """
    operator, value = test.operator, test.value
    if value == ANY and not test.is_exact and operator in ("=", "!=", ":"):
        return ByKey()
    if kind == TEXT:
        if not compares_numbers(test):
            return _wanted_texts(test, text)
        return ByNumber(_in_bounds(test, NUMBER, text))
    return _in_bounds(test, kind, text)


def _in_bounds(test: FieldTest, kind: FieldType, text: str) -> ByKey:
    """Return the numbers, dates or years with which a test is fulfilled."""
    operator, value = test.operator, test.value
    first, dots, last = (value, "", "") if test.is_exact else range_of(kind, value)
    if dots and (operator not in ("=", "!=", ":") or not (first or last)):
        raise _mistake(text, test.place, "a range stands after =, != or :, with a value on one side at least")
    bounds = [_bounds(kind, part, test, text) if part else None for part in ((first, last) if dots else (value, value))]
    lower, upper = bounds
    if instead := reversed_range(test, kind):
        raise _mistake(text, test.place, f"the range ends before it begins: write {instead}")
    lowest = None if lower is None else number_key(lower.lowest)
    highest = None if upper is None else number_key(upper.highest)
    return _by_key(operator, lowest, highest)


def reversed_range(test: FieldTest, kind: FieldType) -> str:
    """Return the range that a test means whose range ends before it begins; "" of another test."""
    first, dots, last = (test.value, "", "") if test.is_exact else range_of(kind, test.value)
    lower, upper = (bounds_of(NUMBER if kind == TEXT else kind, part) for part in (first, last))
    return f"{last}..{first}" if dots and lower and upper and lower.lowest > upper.highest else ""


def _by_key(operator: Operator, lowest: bytes | None, highest: bytes | None) -> ByKey:
    """Return the values with which a comparison with those from the lowest to the highest key is fulfilled."""
    match operator:
        case "<":
            return ByKey(None, lowest, is_without_highest=True)
        case "<=":
            return ByKey(None, highest)
        case ">":
            return ByKey(highest, None, is_without_lowest=True)
        case ">=":
            return ByKey(lowest, None)
        case _:
            return ByKey(lowest, highest)


def _wanted_texts(test: FieldTest, text: str) -> Wanted:
    operator, value = test.operator, test.value
    if operator == ":":
        words = tuple(_WORDS.findall(plain(value)))
        is_prefix = bool(words) and words[-1].endswith("*")
        words = tuple(word.rstrip("*") for word in words)
        if not all(words):
            raise _mistake(text, test.place, "found no word: * stands at the end of a word, or alone for any value")
        if not words:
            raise _mistake(text, test.place, "found no word")
        return ByWords(words, is_prefix)
    key = plain(value).encode()
    return _by_key(operator, key, key)


def _bounds(kind: FieldType, value: str, test: FieldTest, text: str) -> Bounds:
    found = bounds_of(kind, value)
    if found is None:
        raise _mistake(
            text,
            test.place,
            f"{test.field} is {NOUNS[kind]}, found {shown_text(value)}: expected {EXAMPLES[kind]}, or a range a..b",
        )
    return found


def checked(where: Where, types: Mapping[str, FieldType], no_field: Callable[[str], str] | None = None) -> None:
    """Raise SettingsError for a field that an index does not have, or a value that is not of the type of its field.

    Args:
        no_field: says why a name is no field; without it, all fields are named.
    """
    for test in field_tests(where.condition):
        if test.field not in types:
            known = ", ".join(sorted(types)) or "none"
            reason = (
                f"no field {shown_text(test.field)}: {did_you_mean(test.field, types)}fields of the index are {known}"
            )
            raise _mistake(where.text, test.field_place, reason if no_field is None else no_field(test.field))
        wanted_values(test, types[test.field], where.text)


def _mistake(text: str, place: int, reason: str) -> SettingsError:
    """Return the error of a condition, with a caret under the place of the mistake."""
    start = max(0, place - 60)
    shown = printable(text[start : place + 40].replace("\n", " "))
    caret = " " * len(printable(text[start:place].replace("\n", " "))) + "^"
    return SettingsError(f"condition, position {place + 1}: {reason}.\n  {shown}\n  {caret}")


class _Token(NamedTuple):
    kind: str  # quoted, sign, word, or "" for the end
    text: str
    place: int


class _Parser:
    """Reads a condition by recursive descent."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0

    def parse(self) -> Condition:
        """Return the whole condition."""
        if not self._text.strip():
            raise self._mistake(0, "found nothing, expected a condition such as year >= 2019")
        found = self._any()
        token = self._peek()
        if token.kind:
            raise self._mistake(token.place, f"found {shown_text(token.text)}, expected and, or, or the end")
        return found

    def _any(self) -> Condition:
        parts = [self._all()]
        while self._takes_or():
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Condition:
        parts = [self._one()]
        while self._takes_word("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _one(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._mistake(self._place, f"more than {DEEPEST} parentheses or nots in one another")
        try:
            if self._takes_word("not"):
                return Negated(self._one())
            if self._peek().text == "(":
                opened = self._next()
                found = self._any()
                if self._next().text != ")":
                    raise self._mistake(opened.place, "this parenthesis is not closed")
                return found
            return self._test()
        finally:
            self._depth -= 1

    def _test(self) -> Condition:
        found = [self._one_test()]
        while self._peek().text == "|" and isinstance(last := found[-1], FieldTest):
            sign = self._next()
            if _FIELD.match(self._text, self._place):
                found.append(self._one_test())
                continue
            if last.operator == "!=":
                reason = f"!= takes one value: write not {last.field} in (a, b) for none of several"
                raise self._mistake(sign.place, reason)
            value, place, is_exact = self._value()
            found.append(replace(last, value=value, place=place, is_exact=is_exact))
        return found[0] if len(found) == 1 else AnyOf(tuple(found))

    def _one_test(self) -> Condition:
        name = self._peek(_NAME)
        if name.kind != "word":
            found = f"found {shown_text(name.text)}" if name.kind else "the condition ends here"
            raise self._mistake(name.place, f"{found}, expected the name of a field, such as year")
        self._place = name.place + len(name.text)
        if self._takes_word("in"):
            return self._one_of(name)
        sign = self._next()
        operator = "=" if sign.text == "==" else sign.text
        if sign.kind != "sign" or operator in ("(", ")", ","):
            found = f"found {shown_text(sign.text)}" if sign.kind else "the condition ends here"
            raise self._mistake(
                sign.place, f"{found}, expected =, !=, <, <=, >, >=, : or in after the field {name.text}"
            )
        value, place, is_exact = self._value()
        return FieldTest(name.text, operator, value, place, name.place, is_exact)  # type: ignore[arg-type]

    def _one_of(self, name: _Token) -> Condition:
        opened = self._next()
        if opened.text != "(":
            raise self._mistake(
                opened.place, "expected values in parentheses after in, such as type in (review, letter)"
            )
        tests: list[Condition] = []
        while True:
            value, place, is_exact = self._value()
            tests.append(FieldTest(name.text, "=", value, place, name.place, is_exact))
            sign = self._next()
            if sign.text == ")":
                return tests[0] if len(tests) == 1 else AnyOf(tuple(tests))
            if sign.text != ",":
                raise self._mistake(sign.place, "expected a comma, or the parenthesis that ends the values")

    def _value(self) -> tuple[str, int, bool]:
        """Return a value, its place, and whether it is quoted."""
        token = self._next()
        if token.kind == "quoted":
            return token.text[1:-1], token.place, True
        if token.kind != "word":
            found = f"found {shown_text(token.text)}" if token.kind else "the condition ends here"
            raise self._mistake(token.place, f'{found}, expected a value, such as 2019 or "fog signal"')
        return token.text, token.place, False

    def _takes_or(self) -> bool:
        if self._peek().text != "|":
            return self._takes_word("or")
        self._next()
        return True

    def _takes_word(self, word: str) -> bool:
        token = self._peek()
        if token.kind != "word" or token.text.lower() != word:
            return False
        self._next()
        return True

    def _peek(self, of_name: re.Pattern[str] | None = None) -> _Token:
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            place = self._place + len(self._text[self._place :]) - len(self._text[self._place :].lstrip())
            if place == len(self._text):
                return _Token("", "", place)
            reason = "this quote is not closed" if self._text[place] in "\"'" else "expected ! only in !="
            raise self._mistake(place, reason)
        kind = match.lastgroup or ""
        found, place = match[kind], match.start(kind)
        if of_name is not None and kind == "word":
            name = of_name.match(found)
            found = name[0] if name else found
        return _Token(kind, found, place)

    def _next(self) -> _Token:
        token = self._peek()
        self._place = token.place + len(token.text)
        return token

    def _mistake(self, place: int, reason: str) -> SettingsError:
        return _mistake(self._text, place, reason)
