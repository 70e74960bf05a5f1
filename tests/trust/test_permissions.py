"""An index that its owner only lets others read: it answers, nothing is written, and what is closed is reported."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.index.manifest import Manifest
from tests.engine.index.index_contents import FILES, update, write
from tests.foxir.commands.command import Outcome, foxir, refused

NOBODY = 65534


@pytest.fixture(autouse=True)
def files_that_others_may_read() -> Iterator[None]:
    """Create files with the usual permissions, under any umask of the environment."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def index() -> Iterator[Path]:
    """An index of two segments that may be read, and not be written, by whoever asks."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # pytest's own folders are closed to others
        folder = Path(name)
        made = folder / "index"
        update(made, write(folder / "source", FILES))
        update(made, write(folder / "source", {**FILES, "a": "<article>sea fog</article>"}))
        _set_modes(folder, 0o555, 0o444)
        yield made
        _set_modes(folder, 0o755, 0o644)


def _set_modes(folder: Path, of_folders: int, of_files: int) -> None:
    folder.chmod(0o755)
    for path in sorted(folder.rglob("*")):
        path.chmod(of_folders if path.is_dir() else of_files)


def asked(*arguments: str | Path) -> Outcome:
    """Run foxir, where root asks as somebody who owns nothing here."""
    if os.geteuid():
        return foxir(*arguments)
    foxir(*arguments)  # modules that are imported late are perhaps root's alone
    os.seteuid(NOBODY)
    try:
        return foxir(*arguments)
    finally:
        os.seteuid(0)


def refusal(done: Outcome) -> str:
    refused(done)
    return done.err.rstrip("\n")


@pytest.mark.long
def test_users_with_read_access_can_search_an_index(index: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in index.rglob("*")}
    found = asked("search", index, "sea", "--json")
    assert (found.status, found.err) == (0, "")
    assert "a" in {answer["document"] for answer in found.json["answers"]}
    for arguments in (("info", index, "--verify"), ("explain", index, "sea", "a", "/article[1]")):
        done = asked(*arguments)
        assert (done.status, done.err) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in index.rglob("*")} == before


def test_users_without_write_access_get_one_line(index: Path) -> None:
    for arguments in (("index", index), ("compact", index)):
        assert (
            refusal(asked(*arguments))
            == f"foxir: {index}: cannot be written: you have no permission for it. Choose another place."
        )


@pytest.mark.long
def test_what_is_closed_is_not_called_damaged(index: Path) -> None:
    segment = index / "segments" / Manifest.read(index).segments[0].name
    files = ["articles/terms.bin", "elements/tag.npy", "segment.json", "elements", "articles", "", "../"]
    for path in [*(segment / each for each in files), index / "manifest.json", index]:
        mode = path.stat().st_mode
        path.chmod(0)
        message = refusal(asked("search", index, "sea"))
        assert message.startswith(f"foxir: {index}")
        assert "cannot be read: Permission denied." in message
        assert "index the sources" not in message
        path.chmod(mode)
    assert asked("search", index, "sea").status == 0


@pytest.mark.long
def test_a_report_that_is_closed_takes_nothing_away_from_answers(index: Path) -> None:
    (index / "ingest.json").chmod(0)

    assert asked("search", index, "sea").status == 0
    assert "unknown    leaves, terms" in asked("info", index).out
    assert refusal(asked("info", index, "--verify")).startswith(
        f"foxir: {index}/ingest.json: cannot be read: Permission denied"
    )


def test_a_lock_that_is_closed_hinders_no_reader(index: Path) -> None:
    (index / "lock").chmod(0)

    assert asked("search", index, "sea").status == 0
    shutil.rmtree(index)
    assert "there is no such folder" in refusal(asked("search", index, "sea"))
