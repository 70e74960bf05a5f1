"""Profiles: what the tags of a vocabulary mean to retrieval, as data.

A profile is a few lines of TOML in ``engine/collection/profiles``; its name is the name of its file. A user's own file,
with the same keys, does as well. All tags and attributes are local names, compared case-sensitively.
"""

import difflib
import hashlib
import json
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from engine.errors import ProfileError

AUTO = "auto"
NONE = "none"
# The order in which a document is offered to the vocabularies: a reference in a reference is DITA, not DocBook.
VOCABULARIES = ("inex-ieee", "jats", "tei", "dita", "docbook")

_FOLDER = Path(__file__).parent / "profiles"
_SETS = ("inline", "skip", "titles", "attributes", "roots", "children", "namespaces")


@dataclass(frozen=True)
class Profile:
    """What the tags of one vocabulary mean; ``none`` is the profile in which every element stands for itself.

    The profile ``auto`` stands for all built-in ones: ``for_document`` gives the one that fits a document. Its own
    ``titles`` and ``classes`` are those of all vocabularies together, so that a mixed index can be asked with them.
    """

    name: str
    inline: frozenset[str] = frozenset()
    """Tags that hand their text to the nearest ancestor that is not inline; words run on across them."""
    skip: frozenset[str] = frozenset()
    """Tags that are left out of the index with all they hold; their text stays in the document's text."""
    titles: frozenset[str] = frozenset()
    """Tags that hold the title of their parent; the first of a document is the document's."""
    classes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Tag -> the tag that stands for its equivalence class; a tag that is not in it stands for itself."""
    attributes: frozenset[str] = frozenset()
    """Attributes whose values are indexed."""
    roots: frozenset[str] = frozenset()
    """Tags of root elements, by which ``auto`` knows the vocabulary, together with ``children``."""
    children: frozenset[str] = frozenset()
    """Tags of a root's children of which at least one must be there (``article`` is a root in three vocabularies)."""
    namespaces: frozenset[str] = frozenset()
    """Namespaces of the root, each enough for ``auto`` to know the vocabulary."""

    def representative(self, tag: str) -> str:
        """Return the tag that stands for the equivalence class of ``tag``: ``sec`` for ``ss1`` in INEX IEEE."""
        return self.classes.get(tag, tag)

    def for_document(self, root: str, namespace: str, children: Collection[str]) -> "Profile":
        """Return the profile of one document: this one, except that ``auto`` chooses."""
        return choose_profile(root, namespace, children) if self.name == AUTO else self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the profile says, its name apart; for ``auto`` of what all built-in profiles say."""
        content = self.to_dict()
        del content["name"]
        if self.name == AUTO:
            content["vocabularies"] = [_built_in(name).digest for name in VOCABULARIES]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as sorted lists and strings, in the form of its TOML file; ``from_dict`` reads it."""
        members: dict[str, list[str]] = {}
        for tag, representative in sorted(self.classes.items()):
            members.setdefault(representative, []).append(tag)
        return {"name": self.name, **{key: sorted(getattr(self, key)) for key in _SETS}, "classes": members}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> "Profile":
        """Return the profile that ``data`` describes.

        Args:
            data: ``name`` and any of the keys of a profile file; ``classes`` maps a representative to its members.
            where: the file that messages name.
        Raises: ProfileError if a key is unknown, a value has the wrong type, or two of them contradict each other.
        """
        known = ("name", *_SETS, "classes")
        for key in data:
            if key not in known:
                raise ProfileError(f"{where}: unknown key {key!r}{_nearest(key, known)}. Keys: {', '.join(known[1:])}.")
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise ProfileError(f"{where}: name: found {name!r}, expected a name.")
        sets = {key: _names(data.get(key, []), where, key, anything=key == "namespaces") for key in _SETS}
        for tag in sorted(sets["inline"] & sets["skip"]):
            raise ProfileError(f"{where}: {tag!r} is both inline and skip: leave it in one of them.")
        return cls(name=name, classes=_classes(data.get("classes", {}), where), **sets)


def load_profile(name: str) -> Profile:
    """Return the profile ``auto``, a built-in one by its name, or the one in a user's ``.toml`` file.

    Raises: ProfileError if there is no such profile or file, or the file is malformed.
    """
    if name.endswith(".toml") or "/" in name:
        return _read(Path(name))
    known = profile_names()
    if name not in known:
        names = ", ".join(known)
        raise ProfileError(
            f"unknown profile {name!r}{_nearest(name, known)}. Profiles: {names}, or the path of a .toml file."
        )
    return _built_in(name)


def profile_names() -> tuple[str, ...]:
    """Return the names that ``load_profile`` knows, ``auto`` first."""
    return (AUTO, NONE, *VOCABULARIES)


def choose_profile(root_name: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the built-in profile that fits a document, or ``none``.

    A namespace that belongs to a vocabulary decides. Otherwise, in any namespace or in none, the root must be one of a
    vocabulary's roots and have one of the children that tell it from the others.

    Args:
        root_name: the local name of the root element. namespace: its namespace, "" for none.
        children: the local names of the root's children.
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
    classes = {tag: stands for profile in vocabularies for tag, stands in profile.classes.items()}
    return Profile(name=AUTO, titles=titles, classes=classes)


def _read(path: Path) -> Profile:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ProfileError(f"{path}: there is no such profile file.") from error
    except OSError as error:
        raise ProfileError(f"{path}: the profile cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ProfileError(f"{path}: byte {error.start} is not UTF-8; a profile is a TOML file in UTF-8.") from error
    except (ValueError, RecursionError) as error:  # a number or nesting past all bounds included
        raise ProfileError(f"{path}: not TOML: {error}.") from error
    if "name" in data:
        raise ProfileError(f"{path}: unknown key 'name': a profile is called as its file, {path.stem!r}.")
    return Profile.from_dict({"name": path.stem, **data}, str(path))


def _names(value: object, where: str, key: str, *, anything: bool = False) -> frozenset[str]:
    if not isinstance(value, list):
        raise ProfileError(f"{where}: {key}: found {value!r}, expected a list of names.")
    for name in value:
        if not isinstance(name, str) or not name or (not anything and (":" in name or name.split() != [name])):
            raise ProfileError(f"{where}: {key}: found {name!r}, expected a local name without prefix.")
    return frozenset(value)


def _classes(value: object, where: str) -> dict[str, str]:
    """Return tag -> representative from representative -> members."""
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: classes: found {value!r}, expected lines like sec = ['ss1', 'ss2'].")
    classes: dict[str, str] = {}
    for representative, members in value.items():
        for tag in sorted(_names(members, where, f"classes.{representative}")):
            if tag in classes:
                raise ProfileError(
                    f"{where}: classes: {tag!r} is in two classes, {classes[tag]!r} and {representative!r}."
                )
            if tag in value and tag != representative:
                raise ProfileError(f"{where}: classes.{representative}: {tag!r} stands for a class of its own.")
            classes[tag] = representative
    return {tag: representative for tag, representative in classes.items() if tag != representative}


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f", perhaps {near[0]!r}" if near else ""
