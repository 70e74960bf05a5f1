"""The kinds of values that settings have: each reads and writes its values.

They take text (command line, files, run headers) or typed values (Python, TOML); inside, settings are typed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, ClassVar

from engine.errors import SettingsError
from engine.fields.conditions import Where
from engine.fields.definitions import NAME
from engine.imported_function import name_of
from engine.notices import Notice
from engine.records import dataclass
from engine.settings.kinds.values import Length, PartWeights, TagSelector
from engine.similarity.expression import scores_documents
from engine.similarity.named_expressions import APPROACHES, check_similarity, is_own, named_expression
from engine.system.byte_sizes import format_bytes, parse_bytes
from engine.wording import did_you_mean, shown_text

# Words that denote None: no bound, and a value that is estimated from the query and the collection.
UNBOUNDED, AUTOMATIC = "all", "auto"
FLAGS = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}

Plain = str | int | float | bool


@dataclass(frozen=True)
class Kind(ABC):
    """How the values of a setting are read and written.

    absent: the word that denotes None in text; without one, None is not legal.
    """

    absent: str | None = field(default=None, kw_only=True)

    # A value in short, as help has it, and in words; the types of values and of keywords, as a type checker reads them;
    # the types that callers from Python mean, and their names.
    short: ClassVar[str] = ""
    expected: ClassVar[str] = ""
    typed: ClassVar[str] = "str"
    keyword: ClassVar[str] = "str"
    python: ClassVar[tuple[Any, ...]] = (str,)
    python_name: ClassVar[str] = "str"

    @property
    def metavar(self) -> str:
        """The values in short: N|all."""
        return f"{self.short}|{self.absent}" if self.absent is not None else self.short

    def parse(self, name: str, value: Any) -> Any:
        """Return the typed value; raises SettingsError that names the setting, the value and what is legal."""
        if self.absent is not None and (value is None or value == self.absent):
            return None
        typed = self._read(value)
        if typed is None or not self.is_typed(typed):
            raise refused(name, value, f"{self._hint(value)}expected {self._expected}.")
        return typed

    def is_typed(self, value: Any) -> bool:
        """Return whether a value is legal as it is, such as `parse` returns it."""
        return self.absent is not None if value is None else self._is_legal(value)

    def plain(self, value: Any) -> Plain:
        """Return the value as TOML and JSON have it, of other types its text; `parse` reads both back."""
        if value is None:
            return str(self.absent)
        return value if isinstance(value, Plain) else str(value)

    def _read(self, value: Any) -> Any:
        """Return the typed value that a given one denotes, if any: it need not be legal."""
        return value

    @abstractmethod
    def _is_legal(self, value: Any) -> bool:
        """Return whether a value other than None is legal as it is."""

    @property
    def _expected(self) -> str:
        """Return the legal values in words: `expected`, which may name attributes of the kind, and the absent one."""
        or_absent = "" if self.absent is None or "{0.absent}" in self.expected else f", or {self.absent}"
        return f"{self.expected.format(self)}{or_absent}"

    def _hint(self, value: Any) -> str:
        """Return the legal word that an illegal one resembles, as the beginning of a message."""
        return ""


@dataclass(frozen=True)
class Choice(Kind):
    """A choice among words."""

    names: tuple[str, ...]

    takes_others: ClassVar[bool] = False

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    @property
    def _expected(self) -> str:
        return f"one of {', '.join(self.names)}"

    def _hint(self, value: Any) -> str:
        return did_you_mean(str(value), self.names)


@dataclass(frozen=True)
class Flag(Kind):
    """Yes or no: a bool; on, off, true or false in text."""

    typed = "bool"
    keyword = "bool"
    python = (bool,)
    python_name = "bool"
    expected = "true or false (on or off)"

    def _read(self, value: Any) -> bool | None:
        return FLAGS.get(value.lower()) if isinstance(value, str) else value

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class FunctionKind(Kind):
    """The name of a function of the user, `module:function`."""

    keyword = "str | Callable[..., object]"
    python = (str, Callable)
    python_name = "str or a function"
    expected = "{0.absent}, or a function of yours, module:function"

    def _read(self, value: Any) -> Any:
        return name_of(value) if callable(value) else value

    def _is_legal(self, value: Any) -> bool:
        module, _, function = value.partition(":") if isinstance(value, str) else ("", "", "")
        return function.isidentifier() and all(part.isidentifier() for part in module.split("."))


@dataclass(frozen=True)
class EncoderKind(FunctionKind):
    """The name of an encoder: of a package, of a model of an endpoint, or of a function as `module:function`."""

    expected = "{0.absent}, {0.packages[0]}, endpoint:MODEL, or a function of yours, module:function"

    packages: ClassVar[tuple[str, ...]] = ("wordllama",)

    def _is_legal(self, value: Any) -> bool:
        module, _, function = value.partition(":") if isinstance(value, str) else ("", "", "")
        if module == "endpoint":
            return bool(function) and function.isprintable()
        return value in self.packages or super()._is_legal(value)


@dataclass(frozen=True)
class TypeKind(Kind):
    """A value of a type that text denotes, which `parse` of the type reads."""

    type: ClassVar[Any]

    def _read(self, value: Any) -> Any:
        try:
            return value if isinstance(value, self.type) else self.type.parse(str(value))
        except SettingsError:
            return None

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, self.type)


def refused(name: str, value: Any, reason: str) -> SettingsError:
    """Return the error of a value that a setting does not take."""
    return SettingsError(Notice("setting_value", {"name": name, "value": shown_text(value), "reason": reason}))


# Largest count; arrays can still be numbered by it.
HIGHEST = 1_000_000_000


@dataclass(frozen=True)
class Number(Kind):
    """A number from the lowest to the highest."""

    short = "NUMBER"
    typed = "float"
    keyword = "float"
    python: ClassVar[tuple[Any, ...]] = (Real,)
    python_name = "float"
    expected = "a number from {0.lowest:g} to {0.highest:g}"

    lowest: float
    highest: float

    def _read(self, value: Any) -> float | None:
        try:
            return self._number(str(value))
        except ValueError:  # no number, or one with more digits than Python converts
            return None

    def _number(self, text: str) -> float:
        return float(text)

    def _is_legal(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and self.lowest <= value <= self.highest


@dataclass(frozen=True)
class Count(Number):
    """A whole number from 1 to the highest."""

    short = "N"
    typed = "int"
    keyword = "int"
    python: ClassVar[tuple[Any, ...]] = (Integral,)
    python_name = "int"
    expected = "a whole number from {0.lowest} to {0.highest:,}"

    lowest: int = 1
    highest: int = HIGHEST

    def _number(self, text: str) -> int:
        return int(text)

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, int) and super()._is_legal(value)


@dataclass(frozen=True)
class MemorySizeKind(Count):
    """A size in memory, in bytes: 512M, 1G."""

    short = "SIZE"
    keyword = "int | str"
    python = (Integral, str)
    python_name = 'int or a size such as "512M"'
    expected = "a size from {0.least}, such as 512M or 1G"

    lowest: int = 2**20
    highest: int = 2**60

    @property
    def least(self) -> str:
        """The lowest size as text."""
        return format_bytes(self.lowest)

    def _number(self, text: str) -> int:
        return parse_bytes(text)

    def plain(self, value: int | None) -> Plain:
        """Return the size as text."""
        return super().plain(None if value is None else format_bytes(value))


@dataclass(frozen=True)
class LengthKind(TypeKind):
    """A length in words, or a multiple of the collection's text block, perhaps with a maximum in words."""

    short = "WORDS|0.5x"
    typed = "Length"
    keyword = "Length | int | str"
    python = (Real, str, Length)
    python_name = 'int, a multiple such as "0.5x" or Length'
    expected = "a number of words (40), or a multiple of the collection's usual text block (0.5x, 0.2x up to 10)"

    type = Length

    def plain(self, value: Length | None) -> Plain:
        """Return the number of words, or the multiple as text."""
        return int(value.value) if value is not None and not value.relative else super().plain(value)


@dataclass(frozen=True)
class TagsKind(TypeKind):
    """A tag selector."""

    short = "//TAG"
    typed = "TagSelector"
    keyword = "TagSelector | str"
    python = (str, TagSelector)
    python_name = "str or TagSelector"
    expected = "{0.absent}, or the elements of some names: //body, '//(ref-list|back)'"

    type = TagSelector


@dataclass(frozen=True)
class AnswersKind(Choice):
    """A choice among words, or a tag selector."""

    takes_others = True
    python = (str, TagSelector)
    python_name = "str or TagSelector"

    def _read(self, value: Any) -> str | TagSelector | None:
        found: str | TagSelector | None = value if super()._is_legal(value) else TagsKind()._read(value)
        return found

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, TagSelector) or super()._is_legal(value)

    @property
    def _expected(self) -> str:
        return f"{super()._expected}; or the elements of some tags: //p, //(sec|p)"


# Units: runs of siblings; all with which answers are no passages of themselves.
SIBLINGS = "siblings"
UNITS_OF_ELEMENTS = ("element", "auto", SIBLINGS)


@dataclass(frozen=True)
class UnitKind(Kind):
    """What an answer is: a word, or the focus of a query from which on it is a passage."""

    short = "element|sentence|siblings|auto|FOCUS"
    typed = "str | float"
    keyword = "str | float"
    python = (str, Real)
    python_name = "str or float"

    names: ClassVar[tuple[str, ...]] = ("element", "sentence", SIBLINGS, "auto")

    def _read(self, value: Any) -> Any:
        return value if value in self.names else Number(0.0, 1.0)._read(value)

    def _is_legal(self, value: Any) -> bool:
        return value in self.names if isinstance(value, str) else bool(value) and Number(0.0, 1.0)._is_legal(value)

    @property
    def _expected(self) -> str:
        return f"one of {', '.join(self.names)}, or a number above 0, at most 1"

    def _hint(self, value: Any) -> str:
        return did_you_mean(str(value), self.names)


@dataclass(frozen=True)
class DocumentsKind(Kind):
    """A pattern of document ids, in which * stands for any text, ? for a character, [abc] for one of some; or ids.

    Ids are a list in Python; in text there is one a line, the last with a line end, too.
    """

    short = "PATTERN|@FILE"
    typed = "str | tuple[str, ...]"
    keyword = "str | Sequence[str]"
    python = (str, Sequence)
    python_name = "str or a sequence of str"
    expected = "a pattern of document ids, such as 'jats/*', or a list of ids"

    longest: ClassVar[int] = 1000

    def _read(self, value: Any) -> Any:
        if isinstance(value, str) and "\n" in value:
            value = [each for each in value.split("\n") if each]
        if isinstance(value, str) or not isinstance(value, Sequence):
            return value
        return tuple(dict.fromkeys(value)) if all(isinstance(each, str) for each in value) else None

    def _is_legal(self, value: Any) -> bool:
        if isinstance(value, tuple):
            return all(isinstance(each, str) and 0 < len(each) <= self.longest and "\n" not in each for each in value)
        return isinstance(value, str) and 0 < len(value) <= self.longest and value != self.absent and "\n" not in value

    def plain(self, value: str | tuple[str, ...] | None) -> Plain:
        """Return the pattern, or the ids, a line each."""
        return super().plain("".join(f"{each}\n" for each in value) or "\n" if isinstance(value, tuple) else value)


@dataclass(frozen=True)
class WhereKind(TypeKind):
    """A condition on the fields of documents."""

    short = "CONDITION"
    typed = "Where"
    keyword = "Where | str"
    python = (str, Where)
    python_name = "str or Where"
    type = Where
    expected = "a condition, such as 'year >= 2019'"

    def _read(self, value: Any) -> Any:
        return value if isinstance(value, Where) else Where.parse(str(value))


@dataclass(frozen=True)
class NamesKind(Kind):
    """Names of fields, without repetition; in text between commas."""

    short = "NAME,NAME"
    typed = "tuple[str, ...]"
    keyword = "str | Sequence[str]"
    python = (str, Sequence)
    python_name = "str or a sequence of str"
    expected = "names of fields between commas, such as year,author"

    def _read(self, value: Any) -> Any:
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            return None
        return tuple(dict.fromkeys(stripped for name in names if (stripped := name.strip())))

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) and name for name in value)

    def plain(self, value: tuple[str, ...] | None) -> Plain:
        """Return the names between commas."""
        return super().plain(value if value is None else ",".join(value))


@dataclass(frozen=True)
class SortKind(Kind):
    """The name of a field, after - in descending order."""

    short = "FIELD|-FIELD"
    expected = "the name of a field, such as year, or -year for the highest first"

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and NAME.fullmatch(value.removeprefix("-")) is not None


@dataclass(frozen=True)
class FileKind(Kind):
    """The name of a file, or a path."""

    short = "FILE"
    keyword = "str | PathLike[str]"
    python = (str, PathLike)
    python_name = "str or a path"
    expected = "the name of a file"

    longest: ClassVar[int] = 4096

    def _read(self, value: Any) -> Any:
        return fspath(value) if isinstance(value, PathLike) else value

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and 0 < len(value) <= self.longest and value.isprintable()


@dataclass(frozen=True)
class PartsKind(TypeKind):
    """Functions with their weights."""

    typed = "PartWeights"
    keyword = "PartWeights | str | Mapping[str | Callable[..., object], float] | Callable[..., object]"
    python: ClassVar[tuple[Any, ...]] = (str, PartWeights, Mapping, Callable)
    python_name = "str, a function, or a mapping of functions to weights"
    type = PartWeights
    expected = "names with weights, such as module:function^0.5"

    def _read(self, value: Any) -> Any:
        given = {value: 1.0} if callable(value) else value
        try:
            return PartWeights.of(given) if isinstance(given, Mapping) else super()._read(given)
        except SettingsError:
            return None


@dataclass(frozen=True)
class SimilarityKind(Kind):
    """The name of a similarity, the text of a Q-expression, or a function, of articles or of elements."""

    keyword = "str | Callable[..., object]"
    python = (str, Callable)
    python_name = "str or a function"

    scores_elements: bool

    def parse(self, name: str, value: Any) -> str:
        """Return the text; raises SettingsError for any that does not name a similarity of these units."""
        value = name_of(value) if callable(value) else value
        if not self.scores_elements:
            return check_similarity(value)
        text = str(value).strip()
        if scores_documents(named_expression(text)):
            reason = (
                "scores whole documents: an expression of elements begins with E, T or C (foxir similarity lists some)."
            )
            raise refused(name, text, reason)
        return text

    def _is_legal(self, value: Any) -> bool:
        try:
            return isinstance(value, str) and self.parse("", value) == value
        except SettingsError:
            return False


def is_of_elements(value: str) -> bool:
    """Return whether a similarity scores elements: an E, T or C expression, the name of one, or a user's function."""
    expression = APPROACHES[value].expression if value in APPROACHES else value.strip()
    return expression.startswith(("E[", "T[", "C[")) or (is_own(expression) and not expression.startswith("D["))
