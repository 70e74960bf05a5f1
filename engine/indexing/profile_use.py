"""Notices on tags of a user's profile that documents use in another way: long titles, inline tags that hold blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.arrays import Mask, Rows
from engine.collection.profiles.profile import NONE, Profile
from engine.collection.profiles.profile_files import built_in, profile_named, profile_names
from engine.index.elements.element_store import Elements
from engine.index.generation import open_segments, profile_of
from engine.index.manifest import Manifest
from engine.notices import Notice
from engine.wording import printable

# Most words of a short title; least share of an inline tag's elements with blocks inside for a notice.
SHORT, MANY = 25, 0.5


def tags_used_otherwise(index: Path, manifest: Manifest) -> Iterator[Notice]:
    """Yield the notices on titles that are never short, and on inline tags that hold blocks, of profiles of a user."""
    profile = profile_of(manifest)
    own = [each for each in (profile, *profile.choices) if each.name not in profile_names()]
    if not own or not manifest.segments:
        return

    def named(name: str) -> Profile:
        return profile_named(profile, name) or built_in(NONE)

    elements = Elements(open_segments(index, manifest), named)
    for each in own:
        long_titles = tuple(_long_titles(elements, _in_role(elements, each, each.titles)))
        with_blocks = tuple(_with_blocks(elements, _in_role(elements, each, each.inline)))
        if long_titles:
            yield Notice("long_titles", {"profile": printable(each.name), "most": SHORT, "tags": long_titles})
        if with_blocks:
            yield Notice("inline_with_blocks", {"profile": printable(each.name), "tags": with_blocks})


def _in_role(elements: Elements, profile: Profile, tags: frozenset[str]) -> Rows:
    """Return the elements with one of the tags in documents that were read with a profile, without roots."""
    every = np.arange(int(elements.row_base[-1]))
    return every.compress(elements.with_role(lambda name: tags if name == profile.name else frozenset())(every))


def _long_titles(elements: Elements, rows: Rows) -> Iterator[Notice]:
    """Yield a part of the notice for each tag whose elements with words are all long."""
    words = elements.n_words(rows)
    rows, words = rows.compress(words > 0), words.compress(words > 0)
    for tag, which in _by_tag(elements, rows):
        if words.compress(which).min() > SHORT:
            n = int(which.sum())
            yield Notice("long_title", {"tag": printable(tag), "elements": n, "words": int(words[which].mean())})


def _with_blocks(elements: Elements, rows: Rows) -> Iterator[Notice]:
    """Yield a part of the notice for each tag many of whose elements contain blocks with words."""
    every = np.arange(int(elements.row_base[-1]))
    is_block = ~elements.is_inline(every) & (elements.n_words(every) > 0)
    before = np.append(0, np.cumsum(is_block))
    holds = before.take(elements.end(rows)) > before.take(rows + 1)
    for tag, which in _by_tag(elements, rows):
        n, n_holding = int(which.sum()), int((which & holds).sum())
        if n_holding >= MANY * n:
            yield Notice("holds_blocks", {"tag": printable(tag), "elements": n, "with_blocks": n_holding})


def _by_tag(elements: Elements, rows: Rows) -> Iterator[tuple[str, Mask]]:
    """Yield each tag of some elements, and the mask of those with it."""
    tags = elements.tag(rows)
    for tag in np.unique(tags).tolist():
        yield elements.tags[tag], tags == tag
