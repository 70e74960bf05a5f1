"""The definition of a field in a profile: its type, and where its values are in a document.

A value is an element or an attribute, named by a path such as `contrib-group/contrib[@contrib-type=author]/name` or
`meta[@name=author]/@content`. A path fits elements anywhere, as the end of their own path; it begins with `/` if its
first step is the root, and `//` stands for elements between. Alternatives of one path are separated by `|`: their
values are taken together. Of several paths, the first that has a value in a document counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.errors import ProfileError
from engine.fields.values import TEXT, TYPES, FieldType
from engine.records import dataclass
from engine.wording import did_you_mean, shown, shown_text

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}", re.ASCII)
# Names with another meaning where fields are named.
RESERVED = frozenset(("and", "or", "not", "in", "score", "src", "none", "all"))
MOST_FIELDS = 64
_LONGEST_PATH = 1000
_KEYS = ("type", "from", "several", "separator")
_STEP = re.compile(r"([^\s/@\[\]|:'\"=*]+|\*)((?:\[[^\]]*\])*)")
_ATTRIBUTE = re.compile(r"@[^\s/@\[\]|:'\"=*]+")
_PREDICATE = re.compile(r"\[@([^\s/@\[\]|:'\"=]+)(?:=(?:'([^']*)'|\"([^\"]*)\"|([^\s'\"\]]+)))?\]")


@dataclass(frozen=True)
class PathStep:
    """A step of a path: a tag, None for any; attributes that the element must have, with a value unless it is None.

    is_deep: whether elements may lie between it and the step before.
    """

    tag: str | None
    attributes: tuple[tuple[str, str | None], ...] = ()
    is_deep: bool = False


@dataclass(frozen=True)
class FieldPath:
    """One alternative: its steps, of which the first is the root if it is_absolute; the attribute that is the value."""

    steps: tuple[PathStep, ...]
    is_absolute: bool = False
    attribute: str | None = None


@dataclass(frozen=True)
class FieldDefinition:
    """A field of a profile.

    sources: paths as they are written. several: whether a document can have several values; else the first counts.
    separator: what separates values in one element or attribute; "" for nothing.
    """

    name: str
    type: FieldType
    sources: tuple[str, ...]
    several: bool = True
    separator: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the field with the keys of a profile file."""
        separator = {"separator": self.separator} if self.separator else {}
        return {"type": self.type, "from": list(self.sources), "several": self.several, **separator}


Fields = Mapping[str, FieldDefinition]


def without_fields(profile: str) -> str:
    """Return that a profile finds no field in any document, and how to define some."""
    return (
        f"the profile {shown_text(profile)} finds no field in the documents: define some in [fields] of a profile of "
        "your own (docs/formats.md)"
    )


def fields_of(value: object, where: str) -> dict[str, FieldDefinition]:
    """Return the fields that a profile file defines; raises ProfileError."""
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: fields: found {shown(value)}, expected tables such as [fields.year].")
    if len(value) > MOST_FIELDS:
        raise ProfileError(f"{where}: fields: {len(value)} fields, expected at most {MOST_FIELDS}.")
    return {name: _definition(name, value[name], f"{where}: fields.{name}") for name in sorted(value)}


def _definition(name: str, value: object, where: str) -> FieldDefinition:
    if NAME.fullmatch(name) is None or name in RESERVED:
        raise ProfileError(
            f"{where}: {shown(name)} cannot name a field: expected at most 40 small letters, digits, - "
            f"and _, a letter first, and none of {', '.join(sorted(RESERVED))}."
        )
    if isinstance(value, str | list):
        value = {"from": value}
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: found {shown(value)}, expected a path, a list of paths, or a table.")
    for key in value:
        if key not in _KEYS:
            raise ProfileError(
                f"{where}: unknown key {shown(key)}: {did_you_mean(key, _KEYS)}keys are {', '.join(_KEYS)}."
            )
    kind, sources, several = value.get("type", TEXT), value.get("from"), value.get("several", True)
    if kind not in TYPES:
        raise ProfileError(f"{where}: type: found {shown(kind)}, expected {', '.join(TYPES[:-1])} or {TYPES[-1]}.")
    if not isinstance(several, bool):
        raise ProfileError(f"{where}: several: found {shown(several)}, expected true or false.")
    separator = value.get("separator", "")
    if not isinstance(separator, str) or separator != separator.strip() or (separator and not several):
        raise ProfileError(
            f"{where}: separator: found {shown(separator)}, expected characters between values, such as ',' or ';', of "
            "a field that has several."
        )
    sources = [sources] if isinstance(sources, str) else sources
    if not isinstance(sources, list) or not sources or not all(isinstance(source, str) for source in sources):
        raise ProfileError(
            f"{where}: from: found {shown(sources)}, expected the paths of its values, such as 'pub-date/year' or "
            "'meta[@name=author]/@content'."
        )
    for source in sources:
        parsed_paths(source, where)
    return FieldDefinition(name, kind, tuple(sources), several, separator)


@lru_cache(1 << 10)
def parsed_paths(source: str, where: str) -> tuple[FieldPath, ...]:
    """Return the alternatives of a path; raises ProfileError."""
    if len(source) > _LONGEST_PATH:
        raise ProfileError(f"{where}: from: a path of {len(source):,} characters, expected at most {_LONGEST_PATH:,}.")
    return tuple(_path(part.strip(), source, where) for part in _split(source, "|"))


def _path(text: str, source: str, where: str) -> FieldPath:
    is_absolute = text.startswith("/") and not text.startswith("//")
    rest = text[1:] if is_absolute else text.removeprefix("//")
    steps: list[PathStep] = []
    attribute, is_deep = None, False
    parts = _split(rest, "/")
    for number, part in enumerate(parts):
        if not part and steps and not is_deep and number < len(parts) - 1:
            is_deep = True
            continue
        if part.startswith("@") and steps and number == len(parts) - 1 and not is_deep and _ATTRIBUTE.fullmatch(part):
            attribute = part[1:]
            break
        match = _STEP.fullmatch(part)
        tests = list(_PREDICATE.finditer(match[2])) if match else []
        if match is None or "".join(test[0] for test in tests) != match[2]:
            raise ProfileError(
                f"{where}: from: {shown(source)}: found {shown(part)}, expected a path of tags such as "
                "'article-meta/pub-date/year', perhaps with attributes, 'meta[@name=author]/@content'; names have no "
                "prefix."
            )
        attributes = tuple(
            (test[1], next((value for value in test.groups()[1:] if value is not None), None)) for test in tests
        )
        steps.append(PathStep(None if match[1] == "*" else match[1], attributes, is_deep))
        is_deep = False
    return FieldPath(tuple(steps), is_absolute, attribute)


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of a path between separators outside brackets."""
    parts: list[str] = []
    for part in text.split(separator):
        if parts and parts[-1].count("[") != parts[-1].count("]"):
            parts[-1] += separator + part
        else:
            parts.append(part)
    return parts


def joined_fields(all_fields: list[tuple[str, Fields]]) -> dict[str, FieldDefinition]:
    """Return the fields of several profiles, by name; a field has several values if it does in one of them.

    Args:
        all_fields: the name of each profile, with its fields.
    Raises: ProfileError if a field has two types.
    """
    joined: dict[str, tuple[str, FieldDefinition]] = {}
    for profile, fields in all_fields:
        for name, field in fields.items():
            owner, known = joined.setdefault(name, (profile, field))
            if known.type != field.type:
                raise ProfileError(
                    f"the field {name!r} is {known.type} in the profile {owner!r} and {field.type} in {profile!r}: "
                    "give it one type, or two names."
                )
            several = known.several or field.several
            joined[name] = owner, FieldDefinition(name, known.type, known.sources, several)
    return {name: field for name, (_, field) in sorted(joined.items())}
