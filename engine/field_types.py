"""Checks of the fields of values that programs construct: a wrong type is a TypeError that names the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType

from engine.wording import shown


def check_texts(value: object, *names: str) -> None:
    """Raise TypeError for the first field that is not a str."""
    for name in names:
        field = getattr(value, name)
        if not isinstance(field, str):
            raise TypeError(f"{name}: expected str, got {type(field).__name__} {shown(field)}.")


def check_mapping(name: str, values: object, kind: type | UnionType) -> None:
    """Raise TypeError unless a field is a mapping of str to values of a type."""
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{name}: expected a mapping of str to {_name(kind)}, got {type(values).__name__} {shown(values)}."
        )
    for key, each in values.items():
        if not isinstance(key, str) or not isinstance(each, kind):
            raise TypeError(
                f"{name}: expected a mapping of str to {_name(kind)}, got {type(key).__name__} {shown(key)} to "
                f"{type(each).__name__} {shown(each)}."
            )


def check_sequence(name: str, values: object, kind: type | UnionType) -> None:
    """Raise TypeError unless a field is a sequence of values of a type."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"{name}: expected a sequence of {_name(kind)}, got {type(values).__name__} {shown(values)}.")
    for each in values:
        if not isinstance(each, kind):
            raise TypeError(f"{name}: expected a sequence of {_name(kind)}, got {shown(each)} in it.")


def _name(kind: type | UnionType) -> str:
    if kind is NoneType:
        return "None"
    return kind.__name__ if isinstance(kind, type) else " | ".join(map(_name, kind.__args__))
