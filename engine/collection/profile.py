"""Profiles: what the tags of a vocabulary mean for retrieval, as data.

A profile is a TOML file in `engine/collection/profiles` or a user's file with the same keys; it is named after the
file. All tags and attributes are local names and case-sensitive.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from engine.errors import ProfileError
from engine.input_files import read_small_input
from engine.spelling import did_you_mean

AUTO = "auto"
NONE = "none"
# In the order in which `auto` tries them; both DITA and DocBook have `reference`, and DITA's is the more specific test.
VOCABULARIES = ("inex-ieee", "jats", "tei", "dita", "docbook")

_FOLDER = Path(__file__).parent / "profiles"
_SETS = ("inline", "skip", "titles", "attributes", "roots", "children", "namespaces")


@dataclass(frozen=True)
class Profile:
    """What the tags of one vocabulary mean. In the profile `none`, no tag has a special meaning.

    The profile `auto` chooses a built-in profile for each document (`for_document`). Its own `titles` and `classes`
    are the union of all built-in ones, so queries with tag classes work on a mixed index.
    """

    name: str
    # Tags of inline elements: their text belongs to the nearest ancestor that is not inline.
    inline: frozenset[str] = frozenset()
    # Tags whose subtrees are not indexed; their text still counts in offsets.
    skip: frozenset[str] = frozenset()
    # Tags whose text is the title of the parent; the first in a document is the title of the document.
    titles: frozenset[str] = frozenset()
    # Tag -> representative of its tag class; a tag that is not in it represents itself.
    classes: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Attributes whose values are indexed.
    attributes: frozenset[str] = frozenset()
    # Root tags by which `auto` recognises the vocabulary, together with `children`.
    roots: frozenset[str] = frozenset()
    # Tags of which at least one must be a child of the root; `article` is a root in three vocabularies.
    children: frozenset[str] = frozenset()
    # Namespaces of the root, each sufficient for `auto` to recognise the vocabulary.
    namespaces: frozenset[str] = frozenset()

    def representative(self, tag: str) -> str:
        """Return the representative of the tag class of `tag`: `sec` for `ss1` in INEX IEEE."""
        return self.classes.get(tag, tag)

    def for_document(self, root: str, namespace: str, children: Collection[str]) -> Profile:
        """Return the profile of one document: this one, or the one that `auto` chooses."""
        return choose_profile(root, namespace, children) if self.name == AUTO else self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the profile's content without its name; for `auto`, of all built-in profiles."""
        content = self.to_dict()
        del content["name"]
        if self.name == AUTO:
            content["vocabularies"] = [_built_in(name).digest for name in VOCABULARIES]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as sorted lists and strings with the keys of its TOML file; `from_dict` reads it."""
        members: dict[str, list[str]] = {}
        for tag, representative in sorted(self.classes.items()):
            members.setdefault(representative, []).append(tag)
        return {"name": self.name, **{key: sorted(getattr(self, key)) for key in _SETS}, "classes": members}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> Profile:
        """Return the profile that `data` describes.

        Args:
            data: `name` and any of the keys of a profile file; `classes` maps a representative to its members.
            where: the file that messages name.
        Raises: ProfileError if a key is unknown, a value has the wrong type, or two values contradict each other.
        """
        known = ("name", *_SETS, "classes")
        for key in data:
            if key not in known:
                raise ProfileError(
                    f"{where}: unknown key {key!r}: {did_you_mean(key, known)}keys are {', '.join(known[1:])}."
                )
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise ProfileError(f"{where}: name: found {name!r}, expected a non-empty string.")
        sets = {key: _names(data.get(key, []), where, key, any_string=key == "namespaces") for key in _SETS}
        for tag in sorted(sets["inline"] & sets["skip"]):
            raise ProfileError(f"{where}: {tag!r} is both inline and skip: remove it from one of them.")
        return cls(name=name, classes=_classes(data.get("classes", {}), where), **sets)


def load_profile(name: str) -> Profile:
    """Return the profile of a name: `auto`, a built-in one, or the path of a `.toml` file.

    Raises: ProfileError if there is no such profile or file, or the file is malformed.
    """
    if name.endswith(".toml") or "/" in name:
        return _read(Path(name))
    known = profile_names()
    if name not in known:
        names = ", ".join(known)
        raise ProfileError(
            f"unknown profile {name!r}: {did_you_mean(name, known)}expected {names}, or the path of a .toml file."
        )
    return _built_in(name)


def profile_names() -> tuple[str, ...]:
    """Return the names of `auto` and the built-in profiles, `auto` first."""
    return (AUTO, NONE, *VOCABULARIES)


def choose_profile(root_name: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the built-in profile that fits a document, or `none`.

    The first profile with the namespace is chosen. If no profile has it, the first one with the root's tag and at least
    one of its children.

    Args:
        root_name: local name of the root element. namespace: its namespace, "" for none.
        children: local names of the root's children.
    """
    vocabularies = [_built_in(name) for name in VOCABULARIES]
    for profile in vocabularies:
        if namespace in profile.namespaces:
            return profile
    for profile in vocabularies:
        if root_name in profile.roots and not profile.children.isdisjoint(children):
            return profile
    return _built_in(NONE)


@cache
def _built_in(name: str) -> Profile:
    if name != AUTO:
        return _read(_FOLDER / f"{name}.toml")
    vocabularies = [_built_in(vocabulary) for vocabulary in VOCABULARIES]
    titles = frozenset().union(*(profile.titles for profile in vocabularies))
    classes = {tag: name for profile in vocabularies for tag, name in profile.classes.items()}
    return Profile(name=AUTO, titles=titles, classes=classes)


def _read(path: Path) -> Profile:
    try:
        data = tomllib.loads(read_small_input(path).decode("utf-8"))
    except FileNotFoundError as error:
        raise ProfileError(f"{path}: no such profile file.") from error
    except OSError as error:
        raise ProfileError(f"{path}: the profile cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ProfileError(f"{path}: byte {error.start} is not UTF-8; expected a TOML file in UTF-8.") from error
    except (ValueError, RecursionError) as error:  # also for huge numbers and deep nesting
        raise ProfileError(f"{path}: not TOML: {error}.") from error
    if "name" in data:
        raise ProfileError(f"{path}: unknown key 'name': a profile is named after its file, {path.stem!r}.")
    return Profile.from_dict({"name": path.stem, **data}, str(path))


def _names(value: object, where: str, key: str, *, any_string: bool = False) -> frozenset[str]:
    if not isinstance(value, list):
        raise ProfileError(f"{where}: {key}: found {value!r}, expected a list of names.")
    for name in value:
        if not isinstance(name, str) or not name or (not any_string and (":" in name or name.split() != [name])):
            raise ProfileError(f"{where}: {key}: found {name!r}, expected a local name without prefix.")
    return frozenset(value)


def _classes(value: object, where: str) -> dict[str, str]:
    """Return tag -> representative from representative -> members."""
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: classes: found {value!r}, expected lines such as sec = ['ss1', 'ss2'].")
    classes: dict[str, str] = {}
    for representative, members in value.items():
        for tag in sorted(_names(members, where, f"classes.{representative}")):
            if tag in classes:
                raise ProfileError(
                    f"{where}: classes: {tag!r} is in two classes, {classes[tag]!r} and {representative!r}."
                )
            if tag in value and tag != representative:
                raise ProfileError(
                    f"{where}: classes.{representative}: {tag!r} is the representative of another class."
                )
            classes[tag] = representative
    return {tag: representative for tag, representative in classes.items() if tag != representative}
