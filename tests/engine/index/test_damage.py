"""A damaged index is refused with the file named, or answers as if undamaged."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.errors import CollectionError, IndexFormatError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing.build import compact_index, update_index
from engine.indexing.build_settings import BuildSettings
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import FILES, expected, found, random_files, update, write
from tests.engine.small_index import answers_to, index_of
from tests.reference.inverted_index import Contents

COLLECTION = {**FILES, **random_files(6)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two segments, one of them with a deleted document."""
    folder = tmp_path_factory.mktemp("damage")
    write(folder / "source", FILES | {"gone": "<a>rock</a>"})
    update(folder / "index", folder / "source")
    write(folder / "source", COLLECTION)
    update(folder / "index", folder / "source")
    assert len(Manifest.read(folder / "index").segments) == 2
    return folder / "index"


@pytest.fixture(scope="module")
def contents(whole: Path) -> Contents:
    return found(whole)


def index_files(index: Path) -> Iterator[Path]:
    named = [index / "segments" / entry.name for entry in Manifest.read(index).segments]
    yield from sorted(path for segment in named for path in segment.rglob("*") if path.is_file())


def damage_found(index: Path) -> str | None:
    """Return why `verify` refuses the index."""
    try:
        verify_index(open_reader(index))
    except IndexFormatError as error:
        return str(error)
    return None


def test_an_undamaged_index_is_verified(whole: Path, contents: Contents) -> None:
    assert contents == expected(COLLECTION)
    assert damage_found(whole) is None


def test_a_missing_segment_is_refused(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    name = Manifest.read(whole).segments[0].name
    shutil.rmtree(tmp_path / "copy" / "segments" / name)

    with pytest.raises(IndexFormatError, match=rf"segments/{name}/segment\.json: cannot be read"):
        open_reader(tmp_path / "copy")


def test_a_changed_byte_in_the_manifest_is_refused(whole: Path) -> None:
    path = whole / "manifest.json"
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x01]) + data[place + 1 :])
        try:
            read = Manifest.read(whole)
        except IndexFormatError as error:
            assert str(whole) in str(error)  # noqa: PT017  (white space between the values may change)
        else:
            path.write_bytes(data)
            assert read == Manifest.read(whole)
    path.write_bytes(data)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b'"x"', b"{}", b"\xff\xfe", b'{"checksum": "x"}', b"null"])
def test_a_file_that_is_not_a_manifest_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)

    with pytest.raises(IndexFormatError, match=r"manifest\.json: "):
        open_reader(tmp_path)


def test_a_manifest_that_was_edited_by_hand_is_refused(whole: Path, tmp_path: Path) -> None:
    content = json.loads((whole / "manifest.json").read_bytes())
    content["statistics"]["documents"] += 1
    (tmp_path / "manifest.json").write_text(json.dumps(content), "utf-8")

    with pytest.raises(IndexFormatError, match="does not match its checksum"):
        open_reader(tmp_path)


def rewritten(whole: Path, folder: Path, **changes: object) -> Path:
    """Return a folder with the manifest of an index, changed, its checksum right."""
    content = json.loads((whole / "manifest.json").read_bytes()) | changes
    del content["checksum"]
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(content), "utf-8")
    return folder


def test_an_index_built_with_other_profiles_is_refused(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "segments", tmp_path / "segments")
    open_reader(rewritten(whole, tmp_path))
    auto = load_profile("auto")
    rewritten(whole, tmp_path, profile={**auto.to_dict(), "digest": "that of last year"})

    refused = "was built with other versions of the built-in profiles: index the sources again into a new folder"
    with pytest.raises(IndexFormatError, match=refused):
        open_reader(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"}
    more = tmp_path.parent / f"{tmp_path.name}-more"
    write(more, {"new": "<a>reef</a>"})
    for sources, settings in (([], BuildSettings()), ([str(more)], BuildSettings(profile=auto))):
        with pytest.raises(IndexFormatError, match=refused):
            update_index(tmp_path, sources, settings)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"} == before


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexFormatError, match=r"not a foxir index: it has no manifest\.json"):
        open_reader(tmp_path)
    with pytest.raises(IndexFormatError, match="not a foxir index: there is no such folder"):
        open_reader(tmp_path / "none")
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(IndexFormatError, match=r"file"):
        open_reader(tmp_path / "file")
    with pytest.raises(CollectionError, match=r"cannot be written: '.*file' is a file, not a folder"):
        update(tmp_path / "file", tmp_path)


def test_a_folder_with_other_files_is_unchanged(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    source = write(tmp_path / "source", FILES)
    for names in (["thesis.txt"], ["lock", "notes"]):
        foreign.mkdir()
        for name in names:
            (foreign / name).write_text("years of work", "utf-8")
        with pytest.raises(CollectionError, match=rf"foreign: contains other files \('{max(names)}'\) and no index"):
            update(foreign, source)

        assert sorted(path.name for path in foreign.iterdir()) == names
        assert all((foreign / name).read_text("utf-8") == "years of work" for name in names)
        shutil.rmtree(foreign)


def test_damaged_reports_and_leftovers_do_not_affect_the_index(whole: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "source", FILES)
    index = tmp_path / "index"
    update(index, source)
    for content in (b"", b"{", b"[]", b'{"skipped": 1}', b'{"skipped": [{"a": 1}]}', b'{"nobody": 1, "skipped": []}'):
        (index / "ingest.json").write_bytes(content)
        (index / "segments" / "new-1").mkdir()
        (index / ".work-1").mkdir()
        assert update(index, source).documents == len(FILES)
        assert found(index) == expected(FILES)
        assert not (index / ".work-1").exists()
        shutil.rmtree(index / "segments" / "new-1", ignore_errors=True)


def test_compaction_does_not_copy_damage(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    path = next(path for path in index_files(tmp_path / "copy") if path.name == "ordinal.npy")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    before = (tmp_path / "copy" / "manifest.json").read_bytes()

    with pytest.raises(IndexFormatError, match=r"ordinal\.npy: block 0"):
        compact_index(tmp_path / "copy")
    assert (tmp_path / "copy" / "manifest.json").read_bytes() == before


def test_a_path_query_detects_a_damaged_column_of_tags(tmp_path: Path) -> None:
    folder = index_of(tmp_path, {"a": "<article><sec>lamp</sec></article>"}).folder
    (file,) = (folder / "segments").glob("*/elements/tag.npy")
    raw = bytearray(file.read_bytes())
    raw[-1] ^= 1
    file.write_bytes(raw)

    with pytest.raises(IndexFormatError, match=r"tag\.npy: block 0 .* does not match its checksum"):
        answers_to(open_reader(folder), "//sec[about(., lamp)]")
