"""The profile that fits a document, by its root element: what `auto` chooses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from engine.collection.profiles.profile import AUTO, NONE, Profile
from engine.collection.profiles.profile_files import VOCABULARIES, built_in


def profile_for(profile: Profile, root: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the profile of one document under the profile of an index: the same, or the one that `auto` chooses."""
    if profile.name != AUTO:
        return profile
    chosen = choose_profile(root, namespace, children)
    return chosen if chosen.attributes == profile.attributes else replace(chosen, attributes=profile.attributes)


def choose_profile(root_name: str, namespace: str, children: Collection[str]) -> Profile:
    """Return the built-in profile that fits a document, or `none`.

    The first profile with the namespace is chosen. If no profile has it, the first one with the root's tag and at least
    one of its children.

    Args:
        root_name: local name of the root element. namespace: its namespace, "" for none.
        children: local names of the root's children.
    """
    vocabularies = [built_in(name) for name in VOCABULARIES]
    for profile in vocabularies:
        if namespace in profile.namespaces:
            return profile
    for profile in vocabularies:
        if root_name in profile.roots and not profile.children.isdisjoint(children):
            return profile
    return built_in(NONE)
