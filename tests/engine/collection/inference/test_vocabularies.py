"""What the tags of unknown vocabularies mean, by their use: a table of truth, and what must hold of any collection."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import foxir
from engine.collection.profiles.profile import Profile
from engine.index.reader import open_reader

FOLDER = Path(__file__).parents[3] / "fixtures" / "vocabularies"
TRUTH = tomllib.loads((FOLDER / "truth.toml").read_text("utf-8"))
HELD_OUT = frozenset(TRUTH.pop("held_out"))
ROLES = {"inline": ("inline",), "titles": ("titles", "labels", "headings")}


def inferred(folder: Path, *files: Path, **options: object) -> Profile:
    """Return the profile that is inferred of files with one root."""
    foxir.build_index(*files, into=folder / "x.foxir", **options)  # type: ignore[arg-type]
    found = open_reader(folder / "x.foxir").profile.inferred
    assert found is not None
    assert len(found) == 1
    return found[0].profile


def tags(profile: Profile, role: str) -> set[str]:
    return {tag for key in ROLES[role] for tag in getattr(profile, key)}


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, set[str]]]:
    index = tmp_path_factory.mktemp("truth") / "x.foxir"
    foxir.build_index(*(FOLDER / f"{name}.xml" for name in TRUTH), into=index)
    reader = open_reader(index)
    profiles = {name: reader.profile_of(number) for number, name in enumerate(reader.ids)}
    return {name: {role: tags(profiles[name], role) for role in ROLES} for name in TRUTH}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("is_held_out", [False, True], ids=["tuned", "held out"])
def test_roles_are_those_that_a_reader_sees(
    roles: dict[str, dict[str, set[str]]], role: str, is_held_out: bool
) -> None:
    names = [name for name in TRUTH if (name in HELD_OUT) == is_held_out]
    pairs = [({(name, tag) for tag in roles[name][role]}, {(name, tag) for tag in TRUTH[name][role]}) for name in names]
    found, true = (set[tuple[str, str]]().union(*sets) for sets in zip(*pairs, strict=True))

    assert len(names) >= 10
    assert len(found & true) / len(found) >= 0.95, sorted(found - true)
    assert len(found & true) / len(true) >= 0.95, sorted(true - found)
