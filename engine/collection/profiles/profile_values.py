"""The values of a profile file, checked: names, references to images, tag classes. Wrong ones raise ProfileError."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.errors import ProfileError


def names_of(value: object, where: str, key: str, *, any_string: bool = False) -> frozenset[str]:
    """Return a list of names as a set; with `any_string`, of any strings that are not empty."""
    if not isinstance(value, list):
        raise ProfileError(f"{where}: {key}: found {value!r}, expected a list of names.")
    for name in value:
        if not isinstance(name, str) or not name or (not any_string and (":" in name or name.split() != [name])):
            raise ProfileError(f"{where}: {key}: found {name!r}, expected a local name without prefix.")
    return frozenset(value)


def images_of(data: Mapping[str, Any], where: str) -> frozenset[str] | None:
    """Return the references to images, None if the profile does not name them."""
    if "images" not in data:
        return None
    rules = names_of(data["images"], where, "images", any_string=True)
    for rule in sorted(rules):
        if not re.fullmatch(r"[^\s:/@]+/@[^\s:/@]+", rule):
            raise ProfileError(f"{where}: images: found {rule!r}, expected tag/@attribute, such as 'graphic/@href'.")
    return rules


def classes_of(value: object, where: str) -> dict[str, str]:
    """Return tag -> representative from representative -> members."""
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: classes: found {value!r}, expected lines such as sec = ['ss1', 'ss2'].")
    classes: dict[str, str] = {}
    for representative, members in value.items():
        for tag in sorted(names_of(members, where, f"classes.{representative}")):
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
