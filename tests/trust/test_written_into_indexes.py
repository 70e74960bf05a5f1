"""Nothing is written into the folder of an index but by its own writers: outputs are refused, and so are indexes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import foxir
from tests.foxir.commands.command import TOPICS
from tests.foxir.commands.command import foxir as command

RUN = "1 Q0 a 1 2.0 me\n"


@pytest.fixture(params=[None, 2], ids=["whole", "shards"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    for name in "abc":
        (source / f"{name}.xml").write_text(f"<a><p>fog signal {name}</p></a>", "utf-8")
    foxir.build_index(source, into=tmp_path / "index", shards=request.param)
    return tmp_path / "index"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def write_run(index: Path, file: Path) -> None:
    (run := index.parent / "run.trec").write_text(RUN, "utf-8")
    foxir.write_run(foxir.read_run(run), file, "trec")


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "run": write_run,
    "settings": lambda _, file: foxir.write_settings(foxir.make_settings(), file),
    "quotes": lambda _, file: foxir.write_quotes([foxir.Quote("fog", "a", "fog signal")], file),
    "index": lambda index, file: foxir.build_index(index.parent / "source", into=file),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", ["manifest.json", "shards.json", "segments/x", "shard-0000/manifest.json", "x/y"])
@pytest.mark.parametrize("through", ["folder", "link", "parents"])
def test_no_output_is_written_into_an_index(index: Path, way: str, place: str, through: str) -> None:
    before = contents(index)
    folder = index
    if through == "link":
        folder = index.parent / "link"
        folder.symlink_to(index)
    elif through == "parents":
        folder = index / ".." / "index"

    with pytest.raises(foxir.FoxirError, match=r"would be in the index '.*index"):
        WAYS[way](index, folder / place)

    assert contents(index) == before
    assert len(foxir.open_index(index).search("fog")) == 3


def test_commands_say_so_before_they_begin(index: Path) -> None:
    before = contents(index)
    name = "shards.json" if (index / "shards.json").exists() else "manifest.json"

    outcome = command("run", index, TOPICS / "co", "--out", index / name)

    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.endswith("name another file.\n")
    assert "would be in the index" in outcome.err
    assert contents(index) == before


def test_a_folder_beside_an_index_and_one_with_a_manifest_of_others_are_written_to(index: Path) -> None:
    (index.parent / "manifest.json").write_text("{}", "utf-8")

    write_run(index, index.parent / "other.trec")
    foxir.build_index(index.parent / "source", into=index.parent / "other")

    assert (index.parent / "other.trec").read_text("utf-8").split() == RUN.split()
    assert os.listdir(index.parent / "other")
