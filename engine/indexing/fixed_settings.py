"""The settings that an index keeps from its first build on: its analyser and its profile."""

from __future__ import annotations

from pathlib import Path

from engine.collection.profiles.profile_files import digest_of, load_profile
from engine.collection.profiles.profile_text import in_words
from engine.errors import SettingsError
from engine.index.generation import current_profile
from engine.index.manifest import Manifest
from engine.indexing.build_settings import BuildSettings
from engine.text.analyser import analyser_from, make_analyser


def empty_manifest(settings: BuildSettings) -> Manifest:
    """Return the generation of a new index, without documents."""
    analyser = settings.analyser or make_analyser()
    profile = settings.profile or load_profile("auto")
    return Manifest(analyser.to_dict(), {**profile.to_dict(), "digest": digest_of(profile)})


def check_settings(index: Path, old: Manifest, settings: BuildSettings) -> None:
    """Check that the documents of a build are indexed as those of the index were.

    Raises: IndexFormatError if built-in profiles have changed since the index was built; SettingsError for another
        analyser or profile than those of the index.
    """
    current_profile(index, old)
    if settings.analyser and settings.analyser.to_dict() != old.analyser:
        raise SettingsError(
            f"{index}: was built with {analyser_from(old.analyser)}, not {settings.analyser}: omit the options, or "
            "index into a new folder."
        )
    if settings.profile and digest_of(settings.profile) != old.profile["digest"]:
        was, asked = in_words(old.profile), in_words(settings.profile.to_dict())
        raise SettingsError(
            f"{index}: was built with the profile {was}, not {asked}: omit the option, or index into a new folder."
        )
