"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.settings import default_settings
from engine.system.files import replace_file, replacing
from foxir import write_settings


def test_a_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "run.fol"
    file.write_text("old")
    with replacing(file) as temporary:
        temporary.write_text("new")
        assert file.read_text() == "old"
        assert (temporary.parent, temporary.suffix) == (tmp_path, ".fol")

    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    file = tmp_path / "run.fol"
    file.write_text("old")

    def fail() -> None:
        with replacing(file) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()

    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_replaced_itself(tmp_path: Path) -> None:
    (tmp_path / "linked").write_text("old")
    file = tmp_path / "file"
    file.symlink_to(tmp_path / "linked")

    replace_file(file, b"new")

    assert (file.read_bytes(), file.is_symlink()) == (b"new", False)
    assert (tmp_path / "linked").read_text() == "old"


@pytest.mark.posix("the numbers of files are compared")
def test_a_file_is_durable_before_it_replaces_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power failure could leave an empty file in the place of the old one."""
    durable, file = dict[int, bytes](), tmp_path / "run.fol"
    file.write_text("old")

    def synced(descriptor: int) -> None:
        assert file.read_text() == "old"
        durable[os.fstat(descriptor).st_ino] = os.pread(descriptor, 100, 0)

    monkeypatch.setattr(os, "fsync", synced)
    write_settings(default_settings(), file)
    assert durable[file.stat().st_ino] == file.read_bytes()[:100]
    file.write_text("old")
    with replacing(file) as temporary:
        temporary.write_text("drawn")
    assert durable[file.stat().st_ino] == b"drawn"


def test_a_folder_that_is_a_file_raises_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(OSError, match="Not a directory"):
        replace_file(tmp_path / "file" / "run.fol", b"")


@pytest.mark.parametrize("folder", [".", "..", "/", "", "folder", "folder/.."])
def test_a_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()

    with pytest.raises(IsADirectoryError, match="Is a directory"):
        replace_file(Path(folder), b"new")

    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@pytest.mark.posix("Windows replaces no link to a folder by a file")
def test_a_link_to_a_folder_is_replaced_itself(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")

    replace_file(tmp_path / "link", b"new")

    assert (tmp_path / "link").read_bytes() == b"new"
    assert (tmp_path / "folder").is_dir()


def test_a_file_is_replaced_in_the_folder_that_was_there_at_the_beginning(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"old {name}")
    (tmp_path / "link").symlink_to("one")

    with replacing(tmp_path / "link" / "file") as temporary:
        temporary.write_text("new")
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to("other")

    assert [(path.parent.name, path.read_text()) for path in sorted(tmp_path.glob("o*/*"))] == [
        ("one", "new"),
        ("other", "old other"),
    ]
