"""Profiles: what the tags of a vocabulary mean for retrieval, as data.

A profile is a TOML file in `engine/collection/profiles` or a user's file with the same keys; it is named after the
file. All tags and attributes are local names and case-sensitive.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from engine.collection.profile_values import classes_of, images_of, names_of
from engine.errors import ProfileError
from engine.input_files import read_toml
from engine.spelling import did_you_mean

# Attribute of an element that would else end a word, and the value with which it does not (TEI, att.breaking).
BREAK, NO_BREAK = "break", "no"

AUTO = "auto"
NONE = "none"
ALL = "all"
# In the order in which `auto` tries them; both DITA and DocBook have `reference`, and DITA's is the more specific test.
VOCABULARIES = ("inex-ieee", "jats", "tei", "dita", "docbook")
# Chosen by name alone.
BY_NAME = ("html",)

_FOLDER = Path(__file__).parent / "profiles"
# References to images by `tag/@attribute`, in the vocabularies that are known and some others; a profile replaces them.
IMAGES = frozenset(
    (
        *("graphic/@href", "graphic/@url", "graphic/@fileref", "inline-graphic/@href", "inlinegraphic/@fileref"),
        *("imagedata/@fileref", "image/@href", "image/@src", "image/@url", "image/@fileref", "img/@src"),
        *("art/@file", "figure/@href", "figure/@src", "figure/@url", "fig/@src", "picture/@href", "picture/@src"),
    )
)
_SPLIT = re.compile(r"(?://)?(?:([\w.-]+)|\(([\w.-]+(?:\|[\w.-]+)*)\))")
SETS = ("inline", "breaks", "skip", "titles", "roots", "children", "namespaces")


@dataclass(frozen=True)
class Profile:
    """What the tags of one vocabulary mean. In the profile `none`, no tag has a special meaning.

    The profile `auto` chooses a built-in profile for each document (`for_document`). Its own `titles` and `classes`
    are the union of all built-in ones, so queries with tag classes work on a mixed index.
    """

    name: str
    # Tags of inline elements: their text belongs to the nearest ancestor that is not inline.
    inline: frozenset[str] = frozenset()
    # Those inline tags that end a word, unless the element says break="no", as TEI's line and page breaks may.
    breaks: frozenset[str] = frozenset()
    # Tags whose subtrees are not indexed; their text still counts in offsets.
    skip: frozenset[str] = frozenset()
    # Tags whose text is the title of the parent; the first in a document is the title of the document.
    titles: frozenset[str] = frozenset()
    # Tags whose text is the title of what follows them under the same parent, up to the next of the same or a higher
    # rank; the highest rank first.
    headings: tuple[str, ...] = ()
    # Tag -> representative of its tag class; a tag that is not in it represents itself.
    classes: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Attributes whose values are indexed, beside ids; None for all, long values shortened.
    attributes: frozenset[str] | None = frozenset()
    # Root tags by which `auto` recognises the vocabulary, together with `children`.
    roots: frozenset[str] = frozenset()
    # Tags of which at least one must be a child of the root; `article` is a root in three vocabularies.
    children: frozenset[str] = frozenset()
    # Namespaces of the root, each sufficient for `auto` to recognise the vocabulary.
    namespaces: frozenset[str] = frozenset()
    # References to images, as `tag/@attribute`; None for IMAGES.
    images: frozenset[str] | None = None
    # Tags whose outermost elements are documents of their own; none: a file is one document.
    split: frozenset[str] = frozenset()

    def representative(self, tag: str) -> str:
        """Return the representative of the tag class of `tag`: `sec` for `ss1` in INEX IEEE."""
        return self.classes.get(tag, tag)

    def for_document(self, root: str, namespace: str, children: Collection[str]) -> Profile:
        """Return the profile of one document: this one, or the one that `auto` chooses."""
        if self.name != AUTO:
            return self
        chosen = choose_profile(root, namespace, children)
        return chosen if chosen.attributes == self.attributes else replace(chosen, attributes=self.attributes)

    @cached_property
    def entitling(self) -> frozenset[str]:
        """The tags of titles and headings."""
        return self.titles.union(self.headings)

    @property
    def image_rules(self) -> frozenset[str]:
        """References to images, as `tag/@attribute`."""
        return IMAGES if self.images is None else self.images

    @cached_property
    def image_attributes(self) -> frozenset[str]:
        """The attributes of references to images."""
        return frozenset(rule.partition("/@")[2] for rule in self.image_rules)

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
        attributes = {} if self.attributes is None else {"attributes": sorted(self.attributes)}
        sets = {key: sorted(getattr(self, key)) for key in SETS if key != "breaks" or self.breaks}
        images = {} if self.images is None else {"images": sorted(self.images)}
        split = {"split": sorted(self.split)} if self.split else {}
        headings = {"headings": list(self.headings)} if self.headings else {}
        return {"name": self.name, **sets, **headings, **attributes, **images, **split, "classes": members}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> Profile:
        """Return the profile that `data` describes.

        Args:
            data: `name` and any of the keys of a profile file; `classes` maps a representative to its members.
            where: the file that messages name.
        Raises: ProfileError if a key is unknown, a value has the wrong type, or two values contradict each other.
        """
        known = ("name", *SETS, "headings", "attributes", "images", "split", "classes")
        for key in data:
            if key not in known:
                raise ProfileError(
                    f"{where}: unknown key {key!r}: {did_you_mean(key, known)}keys are {', '.join(known[1:])}."
                )
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise ProfileError(f"{where}: name: found {name!r}, expected a non-empty string.")
        sets = {key: names_of(data.get(key, []), where, key, any_string=key == "namespaces") for key in SETS}
        for tag in sorted(sets["inline"] & sets["skip"]):
            raise ProfileError(f"{where}: {tag!r} is both inline and skip: remove it from one of them.")
        sets["breaks"] &= sets["inline"]  # other tags end words anyway
        attributes = names_of(data["attributes"], where, "attributes") if "attributes" in data else None
        classes = classes_of(data.get("classes", {}), where)
        split = names_of(data.get("split", []), where, "split")
        names_of(data.get("headings", []), where, "headings")
        headings = tuple(dict.fromkeys(data.get("headings", [])))
        images = images_of(data, where)
        ordered = {"headings": headings, "attributes": attributes, "images": images, "split": split}
        return cls(name=name, classes=classes, **ordered, **sets)  # type: ignore[arg-type]


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


def with_attributes(profile: Profile, text: str) -> Profile:
    """Return the profile with other attributes: `all`, `none` but ids, or names separated by commas.

    >>> sorted(with_attributes(load_profile("none"), "lang, role").attributes or ())
    ['lang', 'role']
    """
    if text in (ALL, NONE):
        return replace(profile, attributes=None if text == ALL else frozenset())
    names = [name.strip().removeprefix("@") for name in text.split(",")]
    return replace(profile, attributes=names_of([name for name in names if name], "--attributes", "attributes"))


def with_split(profile: Profile, text: str) -> Profile:
    """Return the profile with other tags that split a file, such as `//entry` or `//(article|entry)`.

    Raises: ProfileError for any other text.
    """
    match = _SPLIT.fullmatch(text)
    if match is None:
        local = re.sub(r"[\w.-]+:", "", text)
        why = f"tags are local names, without a prefix: '{local}'. E" if _SPLIT.fullmatch(local) else "e"
        raise ProfileError(
            f"--split {text!r}: {why}xpected the tags of its documents, such as //entry or '//(article|entry)'."
        )
    return replace(profile, split=frozenset((match[1] or match[2]).split("|")))


def profile_names() -> tuple[str, ...]:
    """Return the names of `auto` and the built-in profiles, `auto` first."""
    return (AUTO, NONE, *VOCABULARIES, *BY_NAME)


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
    return Profile(name=AUTO, titles=titles, classes=classes, attributes=None)


def _read(path: Path) -> Profile:
    try:
        data = read_toml(path)
    except OSError as error:
        raise ProfileError(
            f"{path}: the profile cannot be read ({error.strerror}): expected a TOML file in UTF-8; foxir profile "
            "lists the profiles that have a name."
        ) from None
    if "extends" in data:
        data = _extended(data, path)
    if "name" in data:
        raise ProfileError(f"{path}: unknown key 'name': a profile is named after its file, {path.stem!r}.")
    return Profile.from_dict({"name": path.stem, **data}, str(path))


def _extended(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the keys of a profile that extends another: lists are added, names after `-` removed from them."""
    base = data.pop("extends")
    if not isinstance(base, str) or base == AUTO or base not in profile_names():
        known = [name for name in profile_names() if name != AUTO]
        hint = did_you_mean(base, known) if isinstance(base, str) else ""
        raise ProfileError(f"{path}: extends: found {base!r}: {hint}expected one of {', '.join(known)}.")
    extended = _built_in(base).to_dict()
    del extended["name"]
    for key, value in data.items():
        is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
        if key in (*SETS, "images") and is_list:
            inherited = set(extended.get(key, IMAGES))
            removed = {name[1:] for name in value if name.startswith("-")}
            if unknown := sorted(removed - inherited):
                raise ProfileError(f"{path}: {key}: '-{unknown[0]}': {unknown[0]!r} is not in the profile {base!r}.")
            added = {name for name in value if not name.startswith("-")}
            extended[key] = sorted((inherited - removed) | added)
        elif key == "classes" and isinstance(value, dict):
            extended[key] = {**extended[key], **value}
        else:
            extended[key] = value
    return extended
