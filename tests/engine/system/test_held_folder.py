"""A folder that is held open is the one that files are replaced and removed in, wherever its path leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CollectionError
from engine.system.held_folder import HeldFolder


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Return a link to one of two folders, each with a file."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name, "utf-8")
    link = tmp_path / "link"
    link.symlink_to("one")
    return link


def test_files_are_replaced_and_removed_in_the_folder_that_was_opened(link: Path) -> None:
    with HeldFolder(link) as held:
        assert held.is_in_place
        link.unlink()
        link.symlink_to("other")
        assert not held.is_in_place
        held.replace("new", b"made", sync=True)
        held.remove(["file", "none"])
        assert held.names() == ["new"]
        assert held.read("new") == b"made"
        assert held.read("file") is None
        with pytest.raises(CollectionError, match=r"link: another folder was put in its place, or a link in the path"):
            held.path_of("file")

    assert (link / "file").read_text("utf-8") == "other"
    assert [path.name for path in link.iterdir()] == ["file"]


def test_no_link_in_it_is_followed_and_none_removed_with_its_target(link: Path) -> None:
    with HeldFolder(link.parent) as held:
        with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
            held.folder("link")
        held.remove(["link"])

    assert not link.is_symlink()
    assert (link.parent / "one" / "file").exists()


def test_a_folder_in_it_is_the_one_that_was_opened_first(link: Path) -> None:
    with HeldFolder(link.parent) as held:
        with held.folder("one"):
            pass
        (link.parent / "one").rename(link.parent / "away")
        (link.parent / "other").rename(link.parent / "one")
        with pytest.raises(CollectionError, match=r"one: another folder was put in its place"):
            held.folder("one")
