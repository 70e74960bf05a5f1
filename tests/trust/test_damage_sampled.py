"""Whatever happens to the bytes of an index: it is refused with the file named, or answers as before; never otherwise.

`tests/engine/index/test_damage.py` has the cases one by one; here they are drawn.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.collection.profiles.profile import Profile
from engine.errors import IndexFormatError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing.build import BuildSettings, update_index
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import random_files, write
from tests.engine.small_index import unchecked_answers
from tests.foxir.commands.command import COLLECTIONS, foxir, refused
from tests.trust.damaged_index import Damage, applied, check, disk_faults, files_of, flips
from tests.trust.killed_writers import ROOT
from tests.trust.query_results import query_results
from tests.trust.soak import SOAKING, effort

pytestmark = pytest.mark.long

PROFILE = Profile("own", inline=frozenset({"b"}), titles=frozenset({"title"}), attributes=frozenset({"lang", "é"}))
SMALL = {
    **random_files(9),
    "en": '<article><sec><title>rock</title><p lang="en" é="ü">sea ti<b>de</b> lamp</p></sec></article>',
    "é": '<article lang="de"><sec><p lang="en">fog</p><p>Straße, the light-house, sea</p></sec></article>',
    "gone": "<article><p>sea tide rock</p></article>",
}
LARGE = {"large": f"<article>{'<p>sea lamp <b>night</b> été</p>' * 20_000}</article>", "skipped": "<article>"}


def build(folder: Path, *stages: dict[str, str]) -> Path:
    for files in stages:
        source = write(folder / "source", files)
        update_index(folder / "index", [str(source)], BuildSettings(profile=PROFILE))
    return folder / "index"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two segments, a deleted document, attributes, and what was left out."""
    last = {**SMALL, **random_files(3, seed=8), "bad": "<a>\n<b></a>"}
    del last["gone"]
    made = build(tmp_path_factory.mktemp("sampled"), SMALL, last)
    assert [bool(entry.deleted) for entry in Manifest.read(made).segments] == [True, False]
    return made


@pytest.fixture(scope="module")
def whole(index: Path) -> Any:
    return query_results(open_reader(index))


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """An index some of whose files have several blocks."""
    return build(tmp_path, LARGE)


def test_every_question_has_answers(whole: Any) -> None:
    assert all(answer["listed"] for answer in whole["answers"])
    assert whole["info"]["skipped"] == 1


@pytest.mark.parametrize("seed", range(effort(1, 10)))
def test_a_changed_byte_never_changes_an_answer(index: Path, whole: Any, seed: int) -> None:
    files = files_of(index)[:: effort(3, 1, thorough=1)]
    damages = flips(files, effort(1, 8, thorough=4), Random(seed))
    n_answering = [check(index, damage, whole) for damage in damages].count(True)

    assert n_answering > 0  # what is not read to answer does not hinder it: the table by which Whoosh opens a segment
    assert query_results(open_reader(index)) == whole


@pytest.mark.parametrize("seed", range(effort(1, 10)))
def test_no_mishap_of_a_whole_file_changes_an_answer(index: Path, whole: Any, seed: int) -> None:
    for damage in disk_faults(files_of(index), Random(seed), effort(1, 9, thorough=9)):
        check(index, damage, whole)

    verify_index(open_reader(index))


def test_blocks_are_checked_when_they_are_first_read_and_not_before(large: Path) -> None:
    whole = query_results(open_reader(large))
    [frames] = large.rglob("text_frames.bin")
    [positions] = large.rglob("position.npy")
    assert positions.stat().st_size > 2**16
    columns = [path for path in files_of(large) if path.parent.name in ("articles", "elements")]
    lost = Damage("all", {path: bytes(path.stat().st_size) for path in columns})
    with applied(lost):
        opened = open_reader(large)
        with pytest.raises(IndexFormatError, match="checksum"):
            unchecked_answers(opened, "sea")
    with applied(Damage("texts", {frames: bytes(frames.stat().st_size)})):
        answers = unchecked_answers(open_reader(large), "sea")
        first = answers[0]
        assert [first.document, first.path] == whole["answers"][0]["listed"][0][:2]
        with pytest.raises(IndexFormatError, match=r"text_frames\.bin: block 0"):
            assert first.text
    data = positions.read_bytes()
    with applied(Damage("far block", {positions: data[:-1] + bytes([data[-1] ^ 1])})):
        opened = open_reader(large)
        assert len(unchecked_answers(opened, '"lamp night"'))  # what is in the first blocks
        with pytest.raises(IndexFormatError, match=r"position\.npy: block [1-9]"):
            verify_index(opened)


def test_the_commands_refuse_what_is_damaged(index: Path) -> None:
    [tf] = (
        path
        for path in files_of(index)
        if path.parts[-3:] == (open_reader(index).segments[0].name, "articles", "tf.npy")
    )
    damaged = tf.read_bytes()[:-1] + b"\xff"
    asked = [
        ("search", index, "sea tide rock fog lamp night", "--max-answers", "1500"),
        ("explain", index, "sea tide rock fog lamp night", "en", "/article[1]"),
        ("info", index, "--verify"),
    ]
    with applied(Damage("tf", {tf: damaged})):
        for arguments in asked:
            refused(foxir(*arguments), str(tf), "does not match its checksum")
    assert foxir("info", index, "--verify").status == 0


@pytest.mark.skipif(not SOAKING, reason="takes minutes: FOXIR_SOAK=1")
@pytest.mark.parametrize(("collection", "n_flips"), [("small", 3000), ("sample", 2000), ("large", 300)])
def test_thousands_of_damages_in_a_process_of_its_own(collection: str, n_flips: int, tmp_path: Path) -> None:
    files = {"small": SMALL, "large": LARGE, "sample": {}}[collection]
    source = write(tmp_path / "source", files) if files else COLLECTIONS
    made = tmp_path / "index"
    update_index(made, [str(source)], BuildSettings(profile=PROFILE if files else None))
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.trust.damaged_index", str(made), "1", str(n_flips)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = result.stdout.splitlines()

    assert result.returncode == 0, (lines[-1:], result.stderr[-2000:])
    assert len(lines) > 2 * n_flips
    assert lines[1::2].count("  answers") < lines[1::2].count("  refused")
