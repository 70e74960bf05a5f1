"""Checks of the arguments of public calls: a wrong type raises TypeError, a wrong value a FoxirError."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import ArgumentError
from engine.wording import did_you_mean, shown

PathLike = str | os.PathLike[str]
Value = TypeVar("Value")

# Largest count.
HIGHEST = 1_000_000_000
# Largest number of processes.
MOST_JOBS = 1024
# Bytes of a path and of a name in it, the bounds of Linux and macOS.
LONGEST_PATH, LONGEST_NAME = 4096, 255
# Largest number of resamples, for which a test takes minutes.
MOST_RESAMPLES = 10_000_000


def refuse_type(name: str, value: object, expected: str) -> TypeError:
    """Return the error for an argument of a wrong type."""
    return TypeError(f"{name}: expected {expected}, got {type(value).__name__} {shown(value)}.")


def instance(name: str, value: object, kind: type[Value]) -> Value:
    """Return an argument that must be of a type; raises TypeError that names it."""
    if not isinstance(value, kind):
        raise refuse_type(name, value, kind.__name__)
    return value


def text(name: str, value: object) -> str:
    """Return an argument that must be a str; raises TypeError that names it."""
    return instance(name, value, str)


def run_id(name: str, value: object) -> str:
    """Return an id of a run, a column of text formats: a str without white space; raises TypeError, ArgumentError."""
    found = text(name, value)
    if found.split() != [found]:
        raise ArgumentError(f"{name}: expected one word without blanks or line ends, got {shown(found)}.")
    return found


def unicode_text(name: str, value: object) -> str:
    """Return a str that UTF-8 can encode; raises TypeError, ArgumentError for lone surrogates."""
    found = text(name, value)
    if not found.isprintable() and any("\ud800" <= character <= "\udfff" for character in found):
        raise ArgumentError(f"{name}: expected characters of Unicode, got the lone surrogate in {shown(found)}.")
    return found


def flag(name: str, value: object) -> bool:
    """Return an argument that must be a bool; raises TypeError that names it."""
    return instance(name, value, bool)


def count(name: str, value: object, *, lowest: int = 1, highest: int = HIGHEST) -> int:
    """Return a whole number in a range; raises TypeError, ArgumentError."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise refuse_type(name, value, "int")
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:  # an array of several numbers has the method
        raise refuse_type(name, value, "int") from None
    if not lowest <= number <= highest:
        raise ArgumentError(f"{name}: expected a whole number from {lowest} to {highest:,}, got {shown(number)}.")
    return int(number)


def jobs(value: object) -> int:
    """Return a number of processes; raises TypeError, ArgumentError."""
    return count("jobs", value, highest=MOST_JOBS)


def resamples(value: object) -> int:
    """Return a number of samples that a bootstrap or randomisation draws; raises TypeError, ArgumentError."""
    return count("resamples", value, highest=MOST_RESAMPLES)


def seed(value: object) -> int:
    """Return a seed of random numbers; raises TypeError, ArgumentError."""
    return count("seed", value, lowest=0)


def share(name: str, value: object) -> float:
    """Return a number between 0 and 1, both excluded; raises TypeError, ArgumentError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse_type(name, value, "float")
    if not 0 < value < 1:
        raise ArgumentError(f"{name}: expected a number between 0 and 1, such as 0.05, got {shown(value)}.")
    return float(value)


def choice(name: str, value: object, choices: Sequence[str]) -> Any:
    """Return one of the choices; raises TypeError, ArgumentError."""
    word = text(name, value)
    if word not in choices:
        raise ArgumentError(
            f"{name}: {did_you_mean(word, choices)}expected one of {', '.join(choices)}, got {shown(word)}."
        )
    return word


def path(name: str, value: object) -> Path:
    """Return a path that the file system can name; raises TypeError, ArgumentError."""
    if not isinstance(value, str | os.PathLike):
        raise refuse_type(name, value, "str or os.PathLike")
    written = os.fspath(value)
    if not isinstance(written, str):
        raise refuse_type(name, value, "a path of str")
    if not written:
        raise ArgumentError(f"{name}: expected a path, got an empty string.")
    try:
        encoded = os.fsencode(written)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded or len(encoded) > LONGEST_PATH or max(map(len, encoded.split(b"/"))) > LONGEST_NAME:
        raise ArgumentError(f"{name}: no file can be named {shown(written)}.")
    return Path(written)


def texts(name: str, value: object) -> list[str]:
    """Return several str; a single one counts as a list of one; raises TypeError."""
    if isinstance(value, str):
        return [value]
    return [text(f"{name}[{place}]", each) for place, each in enumerate(items(name, value, "str or a list of str"))]


def items(name: str, value: object, expected: str) -> list[Any]:
    """Return the items of a list, tuple or another iterable; raises TypeError for text, bytes, mappings and others."""
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        raise refuse_type(name, value, expected)
    return list(value)


def mapping(name: str, value: object) -> dict[str, Any]:
    """Return a mapping whose keys are str, an empty one for None; raises TypeError."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise refuse_type(name, value, "a mapping")
    return {text(f"name in {name}", key): each for key, each in value.items()}


def optional(check: Callable[[str, object], Value], name: str, value: object) -> Value | None:
    """Return None for None, else the value checked."""
    return None if value is None else check(name, value)


def callback(name: str, value: object) -> Any:
    """Return a function, or None; raises TypeError."""
    if value is not None and not callable(value):
        raise refuse_type(name, value, "a function")
    return value
