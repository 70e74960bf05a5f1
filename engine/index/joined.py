"""Several indexes as one generation: a place names them by their folders, with commas between.

Their segments are read as those of one index, so statistics, scores and order are those of one built over all their
documents. An id that documents of several indexes have is preceded by the names of these.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from engine.collection.profiles.profile import INFERENCE, INFERRED, Vocabulary
from engine.collection.profiles.profile_files import in_words
from engine.errors import IndexFormatError
from engine.index.generation import current_profile, read_generation
from engine.index.manifest import Manifest, SegmentEntry, Totals
from engine.records import dataclass
from engine.wording import listed, shortened

SEPARATOR = ","
# Key of a profile in a manifest that follows from the others.
DIGEST = "digest"
# Names of an analyser's choices in messages, where these are not their own; the first difference is reported.
WORDS = {"name": "analyser", "stem": "stemming", "stop": "stop words"}


@dataclass(frozen=True)
class JoinedSegment(SegmentEntry):
    """A live segment of one of several indexes.

    index: absolute folder of its index; inside: its folder in that; label: name of its index among the others; renamed:
    names of profiles that mean another one in another index, each with the name it has here.
    """

    index: str = ""
    inside: str = ""
    label: str = ""
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def folder(self) -> Path:
        """Its folder, absolute."""
        return Path(self.index) / self.inside

    def profile_names(self, names: list[str]) -> list[str]:
        """Return the names of its profiles among those of all indexes."""
        renamed = dict(self.renamed)
        return [renamed.get(name, name) for name in names]


def parts_of(place: str) -> tuple[str, ...]:
    """Return the folders, or URLs, of the indexes that a place names; one that exists is the folder of one.

    >>> parts_of("a.foxir,s3://bucket/b.foxir")
    ('a.foxir', 's3://bucket/b.foxir')
    """
    if SEPARATOR not in place or os.path.lexists(place):
        return (place,)
    return tuple(part.strip() for part in place.split(SEPARATOR) if part.strip()) or (place,)


def folders_of(place: Path) -> tuple[Path, ...]:
    """Return the folders of the indexes that a place names."""
    return tuple(map(Path, parts_of(os.fspath(place))))


def place_of(folders: Sequence[Path | str]) -> Path:
    """Return the place that names several folders."""
    return Path(SEPARATOR.join(str(folder) for folder in folders))


def absolute_place(place: Path) -> Path:
    """Return a place whose folders are absolute, as the working folder may change."""
    return place_of([os.path.abspath(folder) for folder in folders_of(place)])


def name_of(place: Path) -> str:
    """Return the name of an index, that of its folder without `.foxir`; of several, their names with commas between."""
    return SEPARATOR.join(folder.resolve().name.removesuffix(".foxir") for folder in folders_of(place))


def current_generation(place: Path) -> Manifest:
    """Return the current generation of the index in a folder, or of several as one.

    Raises: IndexFormatError if an index cannot be read, is given twice, or was not made as the others were.
    """
    folders = folders_of(place)
    return read_generation(place) if len(folders) == 1 else _joined(folders)


def _joined(folders: Sequence[Path]) -> Manifest:
    places = [Path(os.path.realpath(folder)) for folder in folders]
    for place, number in Counter(places).items():
        if number > 1:
            raise IndexFormatError(f"several indexes as one: {place} is given {number} times: name each index once.")
    manifests = [read_generation(folder) for folder in folders]
    for folder, manifest in zip(folders, manifests, strict=True):
        current_profile(folder, manifest)
        _check_like(folders[0], manifests[0], folder, manifest)
    inferred, renamed = _vocabularies([manifest.profile.get(INFERENCE) for manifest in manifests])
    entries = [
        JoinedSegment(entry.name, entry.digest, entry.deleted, str(place), str(entry.folder), label, names)
        for place, label, manifest, names in zip(places, _labels(places), manifests, renamed, strict=True)
        for entry in manifest.segments
    ]
    totals = [manifest.statistics for manifest in manifests]
    profile = {key: value for key, value in manifests[0].profile.items() if key != INFERENCE}
    return replace(
        manifests[0],
        profile={**profile, **({} if inferred is None else {INFERENCE: inferred})},
        generation=sum(manifest.generation for manifest in manifests),
        sources=tuple(dict.fromkeys(source for manifest in manifests for source in manifest.sources)),
        segments=tuple(entries),
        statistics=Totals(
            sum(each.documents for each in totals),
            sum(each.elements for each in totals),
            sum(each.tokens for each in totals),
            None,
        ),
    )


def _check_like(first: Path, of_first: Manifest, other: Path, of_other: Manifest) -> None:
    """Raise IndexFormatError for two indexes in which words, or tags, do not mean the same."""
    for name in dict.fromkeys((*WORDS, *of_first.analyser, *of_other.analyser)):
        one, two = of_first.analyser.get(name), of_other.analyser.get(name)
        if one != two:
            shown = (shortened(value if isinstance(value, str) else json.dumps(value)) for value in (one, two))
            _refuse(WORDS.get(name, name.replace("_", " ")), first, other, *shown)
    profiles = [
        {key: value for key, value in manifest.profile.items() if key not in (INFERENCE, DIGEST)}
        for manifest in (of_first, of_other)
    ]
    if profiles[0] != profiles[1]:
        words = [in_words(profile) for profile in profiles]
        if words[0] == words[1]:
            keys = [key for key in profiles[0] | profiles[1] if profiles[0].get(key) != profiles[1].get(key)]
            words = [f"{word} with one {listed(keys, 3)}" for word in words[:1]] + [f"{words[1]} with another"]
        _refuse("profile", first, other, *words)


def _refuse(what: str, first: Path, other: Path, one: str, two: str) -> None:
    raise IndexFormatError(
        f"several indexes as one: {what} {one} in {first}, {two} in {other}, so their scores cannot be compared: index "
        "the documents of one again with the options of the other."
    )


# The vocabularies of a profile as a manifest has them.
Vocabularies = list[dict[str, Any]]


def _vocabularies(
    of_indexes: Sequence[Vocabularies | None],
) -> tuple[Vocabularies | None, list[tuple[tuple[str, str], ...]]]:
    """Return the inferred vocabularies of all indexes, and what each index renames; each document keeps its own."""
    found: list[Vocabulary] = []
    renamed = []
    for of_index in of_indexes:
        names: dict[str, str] = {}
        for vocabulary in map(Vocabulary.from_dict, of_index or ()):
            name = vocabulary.profile.name
            same = next((each for each in found if each.key == vocabulary.key and _alike(each, vocabulary)), None)
            if same is not None:
                names[name] = same.profile.name
                continue
            if name.startswith(INFERRED):
                taken = {each.profile.name for each in found}
                name = next(each for each in chain([name], (f"{name}-{n}" for n in count(2))) if each not in taken)
                names[vocabulary.profile.name] = name
            found.append(replace(vocabulary, profile=replace(vocabulary.profile, name=name)))
        renamed.append(tuple((old, new) for old, new in names.items() if old != new))
    is_inferring = any(of_index is not None for of_index in of_indexes)
    return [each.to_dict() for each in found] if is_inferring else None, renamed


def _alike(one: Vocabulary, other: Vocabulary) -> bool:
    return replace(one.profile, name="") == replace(other.profile, name="")


def _labels(places: Sequence[Path]) -> list[str]:
    """Return a short name of each index that no other one has: the end of its path, without `.foxir`."""
    for length in range(1, max(len(place.parts) for place in places) + 1):
        labels = ["/".join(place.parts[-length:]).removesuffix(".foxir").lstrip("/") for place in places]
        if len(set(labels)) == len(labels):
            return labels
    return [str(place) for place in places]


def ids_told_apart(ids: Sequence[str], labels: Sequence[str], are_live: Sequence[bool]) -> list[str]:
    """Return the ids of documents; one that live documents of several indexes have follows the name of its index.

    Args:
        labels: the name of the index of each document.

    >>> ids_told_apart(["a", "b", "a"], ["x", "x", "y"], [True, True, True])
    ['x/a', 'b', 'y/a']
    """
    live = [document for document, is_live in zip(ids, are_live, strict=True) if is_live]
    frequencies: Mapping[str, int] = Counter(live)
    if len(frequencies) == len(live):
        return list(ids)
    taken = set(frequencies)
    told = []
    for document, label, is_live in zip(ids, labels, are_live, strict=True):
        shown = document
        if is_live and frequencies[document] > 1:
            while shown in taken:
                shown = f"{label}/{shown}"
            taken.add(shown)
        told.append(shown)
    return told
