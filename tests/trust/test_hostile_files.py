"""Files of an index that are not what they seem: other names of other files, and sizes that nothing has."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import CollectionError, IndexFormatError, IndexLockedError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.write_lock import writer_lock
from engine.indexing.build import compact_index
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import FILES, expected, found, update, write
from tests.trust.killed_writers import ROOT

CHANGED = {**FILES, "a": "<article>quite another</article>"}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    update(tmp_path / "index", write(tmp_path / "source", FILES))
    return tmp_path / "index"


def test_nothing_is_written_into_a_file_that_has_another_name(index: Path, tmp_path: Path) -> None:
    """A lock is emptied and signed; a manifest and a report are replaced."""
    thesis = tmp_path / "thesis"
    thesis.write_text("years of work")
    for name in ("lock", "ingest.json", f".manifest.json.{os.getpid()}.json"):
        (index / name).unlink(missing_ok=True)
        (index / name).hardlink_to(thesis)
    update(index, write(tmp_path / "source", CHANGED))
    compact_index(index)

    assert thesis.read_text() == "years of work"
    assert found(index) == expected(CHANGED)
    with writer_lock(index), pytest.raises(IndexLockedError, match="another process is writing to it"):
        update(index)
    shutil.copytree(index, tmp_path / "copy", copy_function=os.link)  # as backups do it
    update(tmp_path / "copy", write(tmp_path / "source", FILES))
    assert (found(index), found(tmp_path / "copy")) == (expected(CHANGED), expected(FILES))


@pytest.mark.parametrize(
    "content",
    [
        b'{"process": 999999999, "host": "elsewhere", "since": "2999-12-31T23:59:59+00:00"}',
        b'{"process": 1, "host": "here", "since": "1970-01-01T00:00:00+00:00"}',
        b"\xff\xfe",
        b"[" * 10**6,
        b"1" * 10**6,
    ],
    ids=["dead", "alive", "no text", "deep", "long"],
)
def test_the_content_of_a_released_lock_does_not_block(index: Path, tmp_path: Path, content: bytes) -> None:
    (index / "lock").write_bytes(content)
    update(index, write(tmp_path / "source", CHANGED))

    assert found(index) == expected(CHANGED)
    assert (index / "lock").read_bytes() == b""
    with writer_lock(index):
        (index / "lock").write_bytes(content)
        with pytest.raises(IndexLockedError, match="writing to it: wait, or stop that process"):
            update(index)


LITTLE = """
import resource, sys
from foxir.terminal.main import main
resource.setrlimit(resource.RLIMIT_AS, (2 << 30,) * 2)
main()
"""


@pytest.mark.long
def test_a_manifest_a_description_and_a_report_that_are_too_long_are_not_read(index: Path) -> None:
    description = index / "segments" / Manifest.read(index).segments[0].name / "segment.json"
    for path in (index / "manifest.json", description, index / "ingest.json"):
        size = path.stat().st_size
        os.truncate(path, 2**40)  # no memory holds that, and no disk need to
        command = [sys.executable, "-c", LITTLE, "info", str(index), "--verify"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        os.truncate(path, size)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert len(done.stderr.splitlines()) == 1
        assert f"{path}: cannot be read" in done.stderr
        assert "it has more than 1,073,741,824 bytes" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
    verify_index(open_reader(index))


def test_files_of_equal_size_that_changed_places_are_noticed(index: Path) -> None:
    [folder] = (index / "segments").iterdir()
    by_size: dict[int, list[Path]] = {}
    for path in sorted(folder.rglob("*.npy")):
        by_size.setdefault(path.stat().st_size, []).append(path)
    pairs = [
        (one, other)
        for paths in by_size.values()
        for one, other in pairwise(paths)
        if one.read_bytes() != other.read_bytes()
    ]
    assert len(pairs) > 10
    for one, other in pairs:
        one.rename(folder / "aside")
        other.rename(one)
        (folder / "aside").rename(other)
        with pytest.raises(IndexFormatError, match="does not match its checksum"):
            verify_index(open_reader(index))
        one.rename(folder / "aside")
        other.rename(one)
        (folder / "aside").rename(other)
    verify_index(open_reader(index))


def test_another_index_in_its_place_does_not_disturb_a_reader(index: Path, tmp_path: Path) -> None:
    update(tmp_path / "other", write(tmp_path / "another", CHANGED))
    before = found(index)
    opened = open_reader(index)
    index.rename(tmp_path / "away")
    (tmp_path / "other").rename(index)

    assert found(opened) == before == expected(FILES)
    assert found(index) == expected(CHANGED)
    shutil.rmtree(tmp_path / "away")
    assert found(opened) == before


@pytest.mark.parametrize("name", ["manifest.json", "lock", "segments"])
def test_folders_and_files_in_place_of_one_another_are_refused(index: Path, name: str) -> None:
    path = index / name
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("x")
    else:
        path.unlink()
        path.mkdir()
    with pytest.raises((IndexFormatError, CollectionError), match=f"{index}.*(?:{name}|it is a folder, not a file)"):
        update(index)
    if name != "lock":
        with pytest.raises(IndexFormatError, match=name):
            open_reader(index)
