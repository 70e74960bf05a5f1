"""Profiles by name: the built-in ones, those of a user's files, which may extend them, and their changes by options.

A profile is a TOML file in `engine/collection/profiles`, or a user's file with the same keys; the file names it.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.collection.profiles.profile import (
    AUTO,
    IMAGES,
    INFERENCE,
    INFERRED,
    MATHML,
    NONE,
    NOTES,
    PREFORMATTED,
    ROW_GROUPS,
    ROWS,
    SETS,
    TABLES,
    WITH_DEFAULTS,
    Profile,
    names_of,
)
from engine.errors import ProfileError
from engine.fields.definitions import joined_fields
from engine.system.files import package_text
from engine.system.input_files import parsed_toml, read_toml
from engine.wording import did_you_mean, shortened

# In the order in which `auto` tries them; both DITA and DocBook have `reference`, and DITA's is the more specific test.
VOCABULARIES = (
    *("inex-ieee", "jats", "tei", "dita", "docbook", "html", "ead", "akoma-ntoso", "uslm"),
    *("opendocument", "wordprocessingml", "svg", "fb2", "us-patents", "ep-patents", "clml", "formex", "alto"),
    *("page-xml", "mods", "marcxml", "feeds", "s1000d", "xliff", "xml2rfc", "bits", "kml", "musicxml", "mei"),
)

# What a profile replaces, where it names it.
REPLACED = {
    **{"images": IMAGES, "tables": TABLES, "rows": ROWS, "row_groups": ROW_GROUPS},
    **{"preformatted": PREFORMATTED, "notes": NOTES},
}

# What an index does not depend on: names that are read when answers are shown.
NOT_INDEXED = ("name", "labels", "wrappers", "records", "entries", "preformatted", "notes", INFERENCE)


def is_known(profile: Profile) -> bool:
    """Return whether a profile knows its vocabulary, so that names say what its tags mean."""
    name = profile.name
    return name != NONE and (not name.startswith(INFERRED) or name.removeprefix(INFERRED) in VOCABULARIES)


def load_profile(name: str) -> Profile:
    """Return the profile of a name: `auto`, a built-in one, or the path of a `.toml` file.

    Raises: ProfileError if there is no such profile or file, or the file is malformed.
    """
    if name.endswith(".toml") or "/" in name:
        return _read(Path(name))
    known = profile_names()
    if name.startswith(INFERRED):
        raise ProfileError(f"profile {name!r} belongs to an index that inferred it: foxir profile INDEX prints it.")
    if name not in known:
        names = ", ".join(known)
        raise ProfileError(
            f"unknown profile {name!r}: {did_you_mean(name, known)}expected {names}, or the path of a .toml file."
        )
    return built_in(name)


def profile_names() -> tuple[str, ...]:
    """Return the names of `auto` and the built-in profiles, `auto` first."""
    return (AUTO, NONE, *VOCABULARIES)


@cache
def built_in(name: str) -> Profile:
    """Return a built-in profile, or `auto`, which has the titles, labels, headings and classes of all vocabularies."""
    if name != AUTO:
        path = Path(__file__).with_name(f"{name}.toml")
        profile = _profile(parsed_toml(package_text(__name__, path.name), path), path)
        return replace(profile, inline=profile.inline | MATHML) if profile.inline else profile
    return choice_of([built_in(vocabulary) for vocabulary in VOCABULARIES], are_built_in=True)


def choice_of(profiles: Sequence[Profile], *, are_built_in: bool = False) -> Profile:
    """Return the profile that chooses one of several for each document; its names are the union of theirs.

    Args:
        are_built_in: whether they are those that `auto` has by itself.
    """

    def union(key: str) -> frozenset[str]:
        return frozenset[str]().union(*(getattr(each, key) or () for each in profiles))

    def replaced(key: str) -> frozenset[str] | None:
        return None if all(getattr(each, key) is None for each in profiles) else REPLACED[key] | union(key)

    return Profile(
        name=AUTO,
        titles=union("titles"),
        labels=union("labels"),
        wrappers=union("wrappers"),
        headings=tuple(dict.fromkeys(tag for profile in profiles for tag in profile.headings)),
        classes={tag: name for profile in profiles for tag, name in profile.classes.items()},
        attributes=None,
        tables=replaced("tables"),
        rows=replaced("rows"),
        row_groups=replaced("row_groups"),
        fields=joined_fields([(each.name, each.fields) for each in profiles]),
        choices=() if are_built_in else tuple(profiles),
    )


def load_profiles(names: Sequence[str]) -> Profile:
    """Return the profile of one name, or the choice among several: those of files first, then those that are built in.

    Raises: ProfileError if there is no such profile, two have the same name, or one of several fits any document.
    """
    if len(set(names)) == 1:
        return load_profile(names[0])
    files = [name for name in dict.fromkeys(names) if name.endswith(".toml") or "/" in name]
    own, chosen = [load_profile(name) for name in files], dict[str, Profile]()
    for file, profile in zip(files, own, strict=True):
        if not profile.roots and not profile.namespaces:
            raise ProfileError(
                f"{file}: it names no roots and no namespaces, so it would be the profile of every document: add a "
                'line such as roots = ["ead"], or give this profile alone.'
            )
    for name in names:
        if name not in files:
            load_profile(name)  # raises an error for an unknown name
    built = VOCABULARIES if AUTO in names else [name for name in names if name not in files and name != NONE]
    for profile in (*own, *(built_in(name) for name in built)):
        if profile.name in chosen and chosen[profile.name] != profile:
            raise ProfileError(f"two profiles are named {profile.name!r}: rename the file of one of them.")
        chosen.setdefault(profile.name, profile)
    return choice_of(list(chosen.values()))


def digest_of(profile: Profile) -> str:
    """Return the SHA-256 of the parts of a profile that an index depends on; for `auto`, also of all built-in files."""
    content = {key: value for key, value in profile.to_dict().items() if key not in NOT_INDEXED}
    if profile.name == AUTO and not profile.choices:
        texts = (package_text(__name__, f"{name}.toml") for name in VOCABULARIES)
        content["vocabularies"] = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> Profile:
    try:
        data = read_toml(path)
    except OSError as error:
        raise ProfileError(
            f"{path}: the profile cannot be read ({error.strerror}): expected a TOML file in UTF-8; foxir profile "
            "lists the profiles that have a name."
        ) from None
    return _profile(data, path)


def _profile(data: dict[str, Any], path: Path) -> Profile:
    if "extends" in data:
        data = _extended(data, path)
    else:
        _check_that_nothing_is_removed(data, path)
    if "name" in data:
        raise ProfileError(f"{path}: unknown key 'name': a profile is named after its file, {path.stem!r}.")
    if INFERENCE in data:
        raise ProfileError(f"{path}: unknown key '{INFERENCE}': foxir profile INDEX prints what an index has inferred.")
    return Profile.from_dict({"name": path.stem, **data}, str(path))


def _check_that_nothing_is_removed(data: dict[str, Any], path: Path) -> None:
    """Raise ProfileError for a name after `-` in a profile that extends none."""
    for key in (*SETS, *REPLACED):
        for name in data[key] if isinstance(data.get(key), list) else []:
            if str(name).startswith("-"):
                raise ProfileError(
                    f"{path}: {key}: found '{name}': only a profile that extends another removes names from it. "
                    'Add a line such as extends = "tei", or name what remains.'
                )


def _extended(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the keys of a profile that extends another: lists are added, names after `-` removed from them."""
    base = data.pop("extends")
    if not isinstance(base, str) or base == AUTO or base not in profile_names():
        known = [name for name in profile_names() if name != AUTO]
        hint = did_you_mean(base, known) if isinstance(base, str) and base != AUTO else ""
        raise ProfileError(f"{path}: extends: found {base!r}: {hint}expected one of {', '.join(known)}.")
    extended = built_in(base).to_dict()
    del extended["name"]
    for key, value in data.items():
        is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
        if key in (*SETS, *REPLACED) and is_list:
            inherited = set(extended.get(key, REPLACED.get(key, ())))
            removed = {name[1:] for name in value if name.startswith("-")}
            if unknown := sorted(removed - inherited):
                raise ProfileError(f"{path}: {key}: '-{unknown[0]}': {unknown[0]!r} is not in the profile {base!r}.")
            added = {name for name in value if not name.startswith("-")}
            extended[key] = sorted((inherited - removed) | added)
        elif key in ("classes", "fields") and isinstance(value, dict):
            extended[key] = {**extended.get(key, {}), **value}
        else:
            extended[key] = value
    return extended


def profile_for(profile: Profile, root: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the profile of one document under the profile of an index: the same, the one that `auto` chooses, or the
    one that was inferred for its vocabulary.
    """
    chosen = known_profile(profile, root, namespace, children)
    for vocabulary in profile.inferred or ():
        if vocabulary.key == (root, namespace, chosen.name) and vocabulary.profile.name != chosen.name:
            chosen = vocabulary.profile
            break
    if profile.name != AUTO and chosen is profile:
        return profile
    return chosen if chosen.attributes == profile.attributes else replace(chosen, attributes=profile.attributes)


def known_profile(profile: Profile, root: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the profile of one document, inference apart."""
    if profile.name != AUTO:
        return profile
    return choose_profile(root, namespace, children, profile.choices)


def profile_named(profile: Profile, name: str) -> Profile | None:
    """Return the profile of this name that documents of an index have, None for an unknown one.

    Args:
        profile: of the index.
    """
    if name == profile.name:
        return profile
    if name.startswith(INFERRED):
        return next((each.profile for each in profile.inferred or () if each.profile.name == name), None)
    if (chosen := next((each for each in profile.choices if each.name == name), None)) is not None:
        return chosen
    return load_profile(name) if name in profile_names() else None


def profile_of_titles(profile: Profile, name: str) -> Profile:
    """Return the profile whose titles count in the scores of documents with the profile of this name.

    It is that of the index; where titles were inferred in a vocabulary that no profile knows, the inferred one.
    """
    for each in profile.inferred or () if name.startswith(INFERRED) else ():
        if each.profile.name == name and each.base == NONE and each.profile.names_titles:
            return each.profile
    return profile


def choose_profile(
    root_name: str, namespace: str, children: Collection[str], choices: Sequence[Profile] = ()
) -> Profile:
    """Return the profile that fits a document, or `none`.

    A profile of a user comes first. Of the built-in ones, the first with the namespace is chosen; if none has it, the
    first with the root's tag and at least one of its children, unless the namespace is of another owner than those of
    the profile: many vocabularies have sections with paragraphs.

    Args:
        root_name: local name of the root element. namespace: its namespace, "" for none.
        children: local names of the root's children. choices: profiles; by default, the built-in ones.
    """
    vocabularies: list[Profile] = [] if choices else [built_in(name) for name in VOCABULARIES]
    for profile in choices:
        if profile.name in VOCABULARIES and profile == built_in(profile.name):
            vocabularies.append(profile)
        elif profile.fits(root_name, namespace, children):
            return profile
    for profile in vocabularies:
        if namespace in profile.namespaces:
            return profile
    for profile in vocabularies:
        is_foreign = namespace and profile.namespaces and _owner(namespace) not in map(_owner, profile.namespaces)
        if not is_foreign and profile.fits(root_name, "", children):
            return profile
    return built_in(NONE)


def _owner(namespace: str) -> str:
    """Return whose a namespace is: its host, or the first two parts of another name.

    >>> _owner("http://www.loc.gov/standards/alto/ns-v4#"), _owner("urn:oasis:names:tc:opendocument")
    ('www.loc.gov', 'urn:oasis')
    """
    host = re.match(r"\w+://([^/]*)", namespace)
    return host[1] if host else ":".join(namespace.split(":")[:2])


ALL = "all"

_SPLIT = re.compile(r"(?://)?(?:([\w.-]+)|\(([\w.-]+(?:\|[\w.-]+)*)\))")


def with_attributes(profile: Profile, text: str) -> Profile:
    """Return the profile with other attributes: `all`, `none` but ids, or names separated by commas.

    >>> sorted(with_attributes(Profile("none"), "lang, role").attributes or ())
    ['lang', 'role']
    """
    if text in (ALL, NONE):
        return replace(profile, attributes=None if text == ALL else frozenset())
    names = [name.strip().removeprefix("@") for name in text.split(",")]
    return replace(profile, attributes=names_of([name for name in names if name], "", "attributes"))


def with_split(profile: Profile, text: str) -> Profile:
    """Return the profile with other tags that split a file, such as `//entry` or `//(article|entry)`.

    Raises: ProfileError for any other text.
    """
    match = _SPLIT.fullmatch(text)
    if match is None:
        local = re.sub(r"[\w.-]+:", "", text)
        why = f"tags are local names, without a prefix: '{local}'. E" if _SPLIT.fullmatch(local) else "e"
        raise ProfileError(
            f"split: {text!r}: {why}xpected the tags of its documents, such as //entry or '//(article|entry)'."
        )
    return replace(profile, split=frozenset((match[1] or match[2]).split("|")))


def profile_text(profile: Profile) -> str:
    """Return a profile as the TOML file that `load_profile` reads."""
    content = profile.to_dict()
    lines = []
    for key, names in content.items():
        if key in (*SETS, "headings", "attributes", "images", *WITH_DEFAULTS, "split"):
            lines += _toml_list(key, names)
    if profile.classes:
        lines += ["", "[classes]"]
        for key, names in content["classes"].items():
            lines += _toml_list(key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key), names)
    for name, field in content.get("fields", {}).items():
        lines += ["", f"[fields.{name}]", f'type = "{field["type"]}"', *_toml_list("from", field["from"])]
        lines += [] if field["several"] else ["several = false"]
        lines += [f"separator = {json.dumps(separator)}"] if (separator := field.get("separator")) else []
    return "\n".join(lines) + "\n"


def in_words(content: Mapping[str, Any]) -> str:
    """Return the description of a profile, given as `Profile.to_dict` returns it, in messages.

    >>> in_words({"name": "auto", "split": ["entry"]})
    "'auto', files split at entry"
    """
    parts = [f"'{content['name']}'"]
    if content["name"] == AUTO and "attributes" in content:
        parts.append(f"attributes {', '.join(map(shortened, content['attributes'])) or 'none'}")
    if choices := content.get("choices"):
        parts[0] = ", ".join(repr(shortened(each["name"])) for each in choices)
    if split := content.get("split"):
        parts.append(f"files split at {', '.join(map(shortened, split))}")
    return ", ".join(parts)


def _toml_list(key: str, names: list[str]) -> list[str]:
    quoted = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    if len(key) + len(quoted) < 110:
        return [f"{key} = [{quoted}]"]
    if any(" " in name for name in names):
        return [f"{key} = [", *(f"  {json.dumps(name, ensure_ascii=False)}," for name in names), "]"]
    wrapped = textwrap.wrap(quoted, 116, break_long_words=False, break_on_hyphens=False)
    return [f"{key} = [", *(f"  {line}" for line in wrapped), "]"]
