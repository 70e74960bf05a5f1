"""Profiles as the options of a build change them, and as text: the TOML file, the name in messages."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.collection.profiles.profile import AUTO, NONE, SETS, WITH_DEFAULTS, Profile, names_of
from engine.errors import ProfileError
from engine.wording import shortened

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
    return "\n".join(lines) + "\n"


def in_words(content: Mapping[str, Any]) -> str:
    """Return the description of a profile, given as `Profile.to_dict` returns it, in messages.

    >>> in_words({"name": "auto", "split": ["entry"]})
    "'auto', files split at entry"
    """
    parts = [f"'{content['name']}'"]
    if content["name"] == AUTO and "attributes" in content:
        parts.append(f"attributes {', '.join(map(shortened, content['attributes'])) or 'none'}")
    if split := content.get("split"):
        parts.append(f"files split at {', '.join(map(shortened, split))}")
    return ", ".join(parts)


def _toml_list(key: str, names: list[str]) -> list[str]:
    quoted = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    if len(key) + len(quoted) < 110:
        return [f"{key} = [{quoted}]"]
    wrapped = textwrap.wrap(quoted, 116, break_long_words=False, break_on_hyphens=False)
    return [f"{key} = [", *(f"  {line}" for line in wrapped), "]"]
