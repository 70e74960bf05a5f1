"""Indexes that people have: those of every format so far open with their answers, or are refused with what to do.

`tests/fixtures/index_formats` holds a small index of each format, made by `tests/trust/format_sample.py`, and one of a
format that there is not yet. `expected.json` beside it says what becomes of it: the answers, or the words in which it
is refused, in which {current} stands for the format of today.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.errors import IndexFormatError
from engine.index.reader import open_reader
from engine.index.sealed_file import FORMAT
from engine.indexing.build import compact_index, update_index
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import write
from tests.engine.small_index import answers_to
from tests.foxir.commands.command import foxir, refused
from tests.trust.format_sample import FORMATS, answers

KEPT = sorted(folder.name for folder in FORMATS.iterdir())


def expected(name: str) -> dict[str, Any]:
    contents: dict[str, Any] = json.loads((FORMATS / name / "expected.json").read_text("utf-8"))
    return contents


OPENED = [name for name in KEPT if "answers" in expected(name)]
REFUSED = [name for name in KEPT if "refused" in expected(name)]


@pytest.fixture
def copy(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return shutil.copytree(FORMATS / request.param / "index", tmp_path / "index")


def bytes_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_format_so_far_is_kept() -> None:
    made = {f"format_{number}" for number in range(1, FORMAT + 1)}

    assert made < set(KEPT)
    assert sorted([*OPENED, *REFUSED]) == KEPT
    assert f"format_{FORMAT}" in OPENED


@pytest.mark.parametrize("name", OPENED)
def test_an_index_of_a_format_that_is_read_gives_its_answers(name: str) -> None:
    index = FORMATS / name / "index"
    verify_index(open_reader(index))

    assert answers(index) == expected(name)["answers"]
    assert all(expected(name)["answers"].values())


@pytest.mark.parametrize(("name", "copy"), [(name, name) for name in OPENED], indirect=["copy"])
def test_an_index_of_a_format_that_is_read_can_be_gone_on_with(name: str, copy: Path, tmp_path: Path) -> None:
    before = expected(name)["answers"]
    source = write(tmp_path / "more", {"new": "<article>a tidepool</article>"})
    report = update_index(copy, [str(source)])
    assert report.documents == 3
    compact_index(copy)

    found = answers(copy)
    listed = {query: [answer[:2] for answer in listed] for query, listed in found.items()}
    assert listed == {query: [answer[:2] for answer in listed] for query, listed in before.items()}
    assert [answer.document for answer in answers_to(open_reader(copy), "tidepool")] == ["new"]


@pytest.mark.parametrize(("name", "copy"), [(name, name) for name in REFUSED], indirect=["copy"])
def test_an_index_of_another_format_is_refused_with_both_versions_and_left_alone(
    name: str, copy: Path, tmp_path: Path
) -> None:
    reason = expected(name)["refused"].format(current=FORMAT)
    before = bytes_in(copy)
    source = write(tmp_path / "more", {"new": "<article>sea</article>"})

    with pytest.raises(IndexFormatError) as caught:
        open_reader(copy)
    assert str(caught.value) == f"{copy / 'manifest.json'}: {reason}"
    for command in (("search", copy, "sea"), ("info", copy, "--verify"), ("index", copy, source)):
        refused(foxir(*command), reason)
    refused(foxir("compact", copy), reason)
    assert {path: data for path, data in bytes_in(copy).items() if path.name != "lock"} == before


@pytest.mark.parametrize("path", sorted(FORMATS.rglob("*.json")), ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_what_is_kept_says_nothing_of_the_machine_it_was_made_on(path: Path) -> None:
    text = path.read_text("utf-8")

    assert not any(word in text for word in ("/home/", "/tmp/", "/root/", "/Users/"))
