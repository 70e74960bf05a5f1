"""Profiles as text: the TOML file of a profile, and its description in messages."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from engine.collection.profiles.profile import AUTO, SETS, WITH_DEFAULTS, Profile
from engine.wording.wording import shortened


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
