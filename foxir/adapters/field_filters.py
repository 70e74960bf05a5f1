"""Filters of other programs as conditions on the fields of documents, which the setting `where` takes.

A filter is a mapping, as vector stores take it: {"year": {"$gte": 2019}, "type": "review"}; or a condition as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from engine.errors import ArgumentError
from engine.fields.box import joined
from engine.fields.conditions import Where, quoted
from engine.fields.definitions import NAME
from engine.settings import Settings
from engine.wording import did_you_mean, shown

COMPARED = {"$eq": "=", "$ne": "!=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<=", "$contains": ":", "$like": ":"}
OTHERS = ("$in", "$nin", "$exists", "$and", "$or", "$not")
OPERATORS = (*COMPARED, *OTHERS)


def filtered(settings: Settings, given: Mapping[str, Any] | str | None) -> Settings:
    """Return settings with a filter beside the condition that they have.

    Raises: ArgumentError for a filter that is none; SettingsError for a condition with a mistake.
    """
    where = None if given is None else condition_of(given)
    if not where:
        return settings
    return Settings.from_options(settings, where=joined(settings.where, Where.parse(where)))


def condition_of(given: Mapping[str, Any] | str) -> str:
    """Return a filter as a condition; "" for one that asks for nothing.

    >>> condition_of({"year": {"$gte": 2010, "$lt": 2020}, "type": ["review", "letter"]})
    'year >= 2010 and year < 2020 and type in ("review", "letter")'
    >>> condition_of({"$or": [{"author": {"$contains": "strand"}}, {"doi": {"$exists": False}}]})
    '((author : "strand") or (not (doi = *)))'
    """
    try:
        return _condition_of(given)
    except RecursionError:
        raise ArgumentError("filter: its parts are nested too deep, or contain themselves.") from None


def _condition_of(given: object) -> str:
    if isinstance(given, str):
        return str(Where.parse(given)) if given.strip() else ""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"filter: found {shown(given)}, expected a mapping such as {{'year': {{'$gte': 2019}}}}.")
    return " and ".join(filter(None, (_of_key(str(key), value) for key, value in given.items())))


def together(conditions: Iterable[str], word: str) -> str:
    """Return conditions joined by `and` or `or`, each in parentheses; all documents fulfil one that is ""."""
    parts = list(conditions)
    return "" if word == "or" and not all(parts) else f" {word} ".join(f"({each})" for each in parts if each)


def compared(field: str, operator: str, value: Any) -> str:
    """Return a comparison of a field with a value, a number or text."""
    if operator == ":" and isinstance(value, str):  # words, between which signs are nothing
        value = value.replace('"', " ")
    return f"{_name(field)} {operator} {_written(value)}"


def has_value(field: str) -> str:
    """Return the condition that a document has a field."""
    return f"{_name(field)} = *"


def one_of(field: str, values: object) -> str:
    """Return the condition that a field has one of some values."""
    if isinstance(values, str) or not isinstance(values, Sequence | set | frozenset) or not values:
        raise ArgumentError(f"filter: {field}: found {shown(values)}, expected a list of values.")
    return f"{_name(field)} in ({', '.join(map(_written, values))})"


def _of_key(key: str, value: Any) -> str:
    if key in ("$and", "$or"):
        parts = value if isinstance(value, Sequence) and not isinstance(value, str) else None
        if not parts:
            raise ArgumentError(f"filter: {key}: found {shown(value)}, expected a list of filters.")
        found = together(map(_condition_of, parts), key[1:])
        return f"({found})" if found else ""
    if key == "$not":
        return _negated(_condition_of(value))
    if key.startswith("$"):
        raise ArgumentError(f"filter: {key!r}: {did_you_mean(key, OPERATORS)}operators are {', '.join(OPERATORS)}.")
    if isinstance(value, Mapping):
        return " and ".join(_of_operator(key, str(operator), each) for operator, each in value.items())
    return one_of(key, value) if isinstance(value, list | tuple | set) else compared(key, "=", value)


def _of_operator(field: str, operator: str, value: Any) -> str:
    match operator:
        case "$in":
            return one_of(field, value)
        case "$nin":
            return f"not ({one_of(field, value)})"
        case "$exists":
            if not isinstance(value, bool):
                raise ArgumentError(f"filter: {field}: $exists: found {shown(value)}, expected True or False.")
            return has_value(field) if value else f"not ({has_value(field)})"
        case "$not":
            return _negated(_of_key(field, value))
    if operator not in COMPARED:
        hint = did_you_mean(operator, OPERATORS)
        raise ArgumentError(f"filter: {field}: {operator!r}: {hint}operators are {', '.join(OPERATORS)}.")
    return compared(field, COMPARED[operator], value)


def _name(field: str) -> str:
    """Return the name of a field; anything else would be read as a part of the condition."""
    if not NAME.fullmatch(field.lower()):
        raise ArgumentError(
            f"filter: found {shown(field)}, expected the name of a field, as foxir info INDEX --fields lists them."
        )
    return field


def _negated(condition: str) -> str:
    if not condition:
        raise ArgumentError("filter: $not: found an empty filter, expected one that asks for something.")
    return f"not ({condition})"


def _written(value: Any) -> str:
    """Return a value in a condition."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise ArgumentError(f"filter: found {shown(value)}, expected text, a number or a date.")
    if not isinstance(value, str):
        if isinstance(value, date):
            return date.isoformat(value)[:10]
        try:
            return int.__repr__(value) if isinstance(value, int) else float.__repr__(value)
        except ValueError:
            raise ArgumentError("filter: found a number of more digits than numbers have here.") from None
    if '"' in value and "'" in value:
        raise ArgumentError(
            f"filter: {shown(value)}: a value with both kinds of quotes cannot be compared; use $contains."
        )
    return quoted(value)
