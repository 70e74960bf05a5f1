"""Profiles with other attributes, or other tags that split files, as the options of a build give them."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.collection.profiles.profile import NONE, Profile
from engine.collection.profiles.profile_values import names_of
from engine.errors import ProfileError

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
    return replace(profile, attributes=names_of([name for name in names if name], "profile", "attributes"))


def with_split(profile: Profile, text: str) -> Profile:
    """Return the profile with other tags that split a file, such as `//entry` or `//(article|entry)`.

    Raises: ProfileError for any other text.
    """
    match = _SPLIT.fullmatch(text)
    if match is None:
        local = re.sub(r"[\w.-]+:", "", text)
        why = f"tags are local names, without a prefix: '{local}'. E" if _SPLIT.fullmatch(local) else "e"
        raise ProfileError(
            f"split {text!r}: {why}xpected the tags of its documents, such as //entry or '//(article|entry)'."
        )
    return replace(profile, split=frozenset((match[1] or match[2]).split("|")))
