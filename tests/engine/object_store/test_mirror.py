"""The local copy of an index in object storage: of one generation, whole, with no report but its own."""

from __future__ import annotations

import os
import shutil
import time
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import foxir
from engine.collection.ingest_report import IngestReport
from engine.errors import CollectionError, IndexFormatError, IndexLockedError, StorageError
from engine.index.reader import open_reader
from engine.indexing.build_settings import BuildSettings
from engine.object_store import mirror, publishing
from engine.object_store.mirror import open_mirror, verify_opened
from engine.object_store.publishing import compact_remote, update_remote
from engine.object_store.remote_index import RemoteIndex
from tests.engine.small_index import write
from tests.trust.soak import some

pytest.importorskip("obstore")

KINDS = [None, 2, 3]


def update(url: str, *sources: Path, n_shards: int | None = None) -> IngestReport:
    with patch("os.fsync", lambda _: None):
        return update_remote(url, list(map(str, sources)), BuildSettings(), n_shards=n_shards)


def texts_of(url: str) -> list[str]:
    with open_reader(open_mirror(url)) as reader:
        return sorted(reader.text(number) for number in reader.live_documents.tolist())


def put(source: Path, word: str, age_s: float) -> None:
    """Replace the documents of a source by one, of a word and an age."""
    for path in source.iterdir():
        path.unlink()
    write(source, {"d": f"<a>{word}</a>"})
    os.utime(source / "d.xml", (time.time() - age_s,) * 2)


@pytest.mark.parametrize(("before", "after"), some([*product(KINDS, KINDS)], 3))
@pytest.mark.long
def test_an_index_in_the_place_of_a_removed_one_is_read_and_updated(
    url: str, source: Path, tmp_path: Path, before: int | None, after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(source, "old", 3600)
    update(url, source, n_shards=before)
    assert texts_of(url) == ["old"]
    shutil.rmtree(tmp_path / "store/x.foxir")
    put(source, "new", 3600)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
        update(url, source, n_shards=after)
    assert texts_of(url) == ["new"]
    write(source, {"more": "<a>more</a>"})
    update(url)
    assert texts_of(url) == ["more", "new"]
    (copy,) = (tmp_path / "cache").glob("*/write/x.foxir")
    assert len(list(copy.glob("shard-*"))) >= (after or 0)
    assert (copy / "segments").exists() == (after is None)


@pytest.mark.parametrize("after", KINDS)
@pytest.mark.long
def test_a_writer_begins_anew_in_the_place_of_a_removed_index(
    url: str, source: Path, tmp_path: Path, after: int | None
) -> None:
    update(url, source, n_shards=2)
    shutil.rmtree(tmp_path / "store/x.foxir")
    put(source, "new", 60)
    update(url, source, n_shards=after)
    assert texts_of(url) == ["new"]


@pytest.mark.parametrize("kinds", [(None, None), (2, 2), (None, 2)])
@pytest.mark.long
def test_a_reader_takes_up_an_index_that_replaces_its_own_with_the_same_number(
    url: str, source: Path, tmp_path: Path, kinds: tuple[int | None, int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(source, "old", 3600)
    update(url, source, n_shards=kinds[0])
    with foxir.open_index(url) as index:
        before = index.generation
        shutil.rmtree(tmp_path / "store/x.foxir")
        put(source, "new", 3600)
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
            update(url, source, n_shards=kinds[1])
        assert not index.is_current
        assert len(index.search("old")) == 1
        assert index.refresh()
        assert (len(index.search("old")), len(index.search("new"))) == (0, 1)
        assert (index.generation.number, index.is_current, index.refresh()) == (before.number, True, False)
        assert index.generation != before


@pytest.mark.long
def test_nothing_is_published_on_top_of_another_index_than_the_one_that_was_read(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(url, source)
    real = publishing.store_segments

    def replaced(*arguments: Any) -> None:
        real(*arguments)
        monkeypatch.setattr(publishing, "store_segments", real)
        shutil.rmtree(tmp_path / "store/x.foxir")
        put(source, "new", 60)
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
            update(url, source)

    put(source, "changed", 60)
    monkeypatch.setattr(publishing, "store_segments", replaced)
    with pytest.raises(IndexLockedError, match="built anew meanwhile"):
        update(url)
    assert texts_of(url) == ["new"]
    assert RemoteIndex(url).newest() == 1


@pytest.mark.long
def test_a_writer_that_loses_leaves_the_report_of_the_winner(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(source, "old", 3600)
    real = publishing.update_index

    def overtaken(*arguments: Any, **options: Any) -> Any:
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(publishing, "update_index", real)
            elsewhere.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
            update(url, source)
        put(source, "new", 60)
        return real(*arguments, **options)

    with monkeypatch.context() as slow:
        slow.setattr(publishing, "update_index", overtaken)
        with pytest.raises(IndexLockedError):
            update(url, source)
    stored = (tmp_path / "store/x.foxir/reports/000000000001.json").read_bytes()
    (winner,) = (tmp_path / "another machine").glob("*/write/x.foxir/ingest.json")
    assert stored == winner.read_bytes()

    monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / "a third machine"))
    assert update(url).read == 1
    assert texts_of(url) == ["new"]


@pytest.mark.parametrize("n_shards", [None, 2])
@pytest.mark.long
def test_the_report_of_a_build_that_was_not_published_is_not_used(
    url: str, source: Path, monkeypatch: pytest.MonkeyPatch, n_shards: int | None
) -> None:
    def fail(*_arguments: Any) -> None:
        raise StorageError("down")

    put(source, "old", 3600)
    update(url, source, n_shards=n_shards)
    put(source, "new", 60)
    for place, name in ((publishing, "store_segments"), (RemoteIndex, "report")):
        with monkeypatch.context() as failing:
            failing.setattr(place, name, fail)
            with pytest.raises(StorageError):
                update(url)
    assert update(url).read == 1
    assert texts_of(url) == ["new"]


def test_an_index_whose_report_cannot_be_stored_is_published(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = RemoteIndex._put

    def put_no_report(remote: RemoteIndex, path: str, data: Any) -> None:
        if path.startswith("reports"):
            raise StorageError("down")
        real(remote, path, data)

    put(source, "old", 3600)
    monkeypatch.setattr(RemoteIndex, "_put", put_no_report)
    update(url, source)
    assert texts_of(url) == ["old"]
    monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
    assert update(url).read == 0


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("segment.json", "missing"),
        ("segment.json", "cut"),
        ("elements/leaf.npy", "missing"),
        ("elements/leaf.npy", "cut"),
        ("articles", "missing"),
    ],
)
@pytest.mark.long
def test_a_damaged_copy_is_fetched_again(url: str, source: Path, tmp_path: Path, name: str, damage: str) -> None:
    update(url, source)
    before = texts_of(url)
    for segment in (tmp_path / "cache").glob("*/*/x.foxir/segments/*"):  # of readers and of writers
        if (segment / name).is_dir():
            shutil.rmtree(segment / name)
        elif damage == "cut":
            (segment / name).write_bytes(b"")
        else:
            (segment / name).unlink()
    assert texts_of(url) == before
    compact_remote(url)
    write(source, {"more": "<a>more</a>"})
    update(url)
    assert texts_of(url) == sorted([*before, "more"])


def test_verification_removes_a_copy_with_a_changed_byte(url: str, source: Path, tmp_path: Path) -> None:
    update(url, source)
    before = texts_of(url)
    (file,) = (tmp_path / "cache").glob("*/read/x.foxir/segments/*/elements/leaf.npy")
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with open_reader(open_mirror(url)) as reader, pytest.raises(IndexFormatError) as caught:
        verify_opened(reader)
    assert str(caught.value).startswith(f"{url}: the local copy was damaged (")
    with open_reader(open_mirror(url)) as reader:
        verify_opened(reader)
    assert texts_of(url) == before


def test_the_bound_on_copies_leaves_those_of_writers(url: str, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOXIR_CACHE_SIZE", "1")
    update(url, source)
    update(url)
    with pytest.raises(StorageError, match="more than FOXIR_CACHE_SIZE allows"):
        open_mirror(url)


@pytest.mark.parametrize("use", ["read", "write"])
def test_a_link_in_the_place_of_a_copy_is_refused(url: str, source: Path, tmp_path: Path, use: str) -> None:
    update(url, source)
    open_mirror(url)
    (copy,) = (tmp_path / "cache").glob(f"*/{use}/x.foxir")
    copy.rename(tmp_path / "own")
    copy.symlink_to(tmp_path / "own")
    kept = written(tmp_path / "own")
    shutil.rmtree(tmp_path / "store")
    with pytest.raises(StorageError, match="a local copy"):
        update(url, source) if use == "write" else [update(url, source), open_mirror(url)]
    assert written(tmp_path / "own") == kept


def written(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


@pytest.mark.parametrize("n_shards", [None, 2])
def test_a_folder_put_in_the_place_of_a_copy_meanwhile_loses_nothing(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_shards: int | None
) -> None:
    update(url, source, n_shards=n_shards)
    folder = open_mirror(url)
    segment = next(folder.rglob("segment.json")).parent
    (segment / "segment.json").write_text("damaged", "utf-8")
    other = tmp_path / "other" / segment.relative_to(folder)
    shutil.copytree(segment, other)
    whole = RemoteIndex.fetch_segment

    def swapped(*args: Any) -> None:
        whole(*args)
        folder.rename(tmp_path / "away")
        (tmp_path / "other").rename(folder)

    monkeypatch.setattr(RemoteIndex, "fetch_segment", swapped)
    with pytest.raises(CollectionError, match="another folder was put in its place"):
        open_mirror(url)
    assert (segment / "segment.json").read_text("utf-8") == "damaged"
    assert sorted(path.name for path in folder.iterdir()) == [other.relative_to(tmp_path / "other").parts[0]]


def test_what_a_link_leads_to_is_no_copy_to_be_removed(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(url, source)
    open_mirror(url)
    (key,) = {path.parent for path in (tmp_path / "cache").glob("*/read")}
    key.rename(tmp_path / "own")
    key.with_name("linked").symlink_to(tmp_path / "own")
    for path in (tmp_path / "own").rglob("segment.json"):
        os.utime(path, (1, 1))
    kept = [*(tmp_path / "own").rglob("*")]
    monkeypatch.setenv("FOXIR_CACHE_SIZE", str(sum(path.stat().st_size for path in kept if path.is_file())))
    open_mirror(url)
    assert [*(tmp_path / "own").rglob("*")] == kept


def test_a_damaged_copy_is_not_removed_where_a_link_leads_by_now(url: str, source: Path, tmp_path: Path) -> None:
    update(url, source)
    folder = open_mirror(url)
    own = shutil.copytree(folder, tmp_path / "own")
    kept = written(own)
    (file,) = folder.glob("segments/*/elements/leaf.npy")
    file.write_bytes(file.read_bytes()[:-1] + b"\xff")
    with open_reader(folder) as reader:
        folder.rename(tmp_path / "away")
        folder.symlink_to(own)
        with pytest.raises(IndexFormatError):
            verify_opened(reader)
    assert written(own) == kept


def test_a_copy_that_a_link_leads_to_by_now_makes_no_room(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(f"{url}1", source)
    folder = open_mirror(f"{url}1")
    size = sum(path.stat().st_size for path in folder.rglob("segments/**/*") if path.is_file())

    def swapped(root: Path, clock: Any = mirror.clock_ns) -> int:
        if not folder.is_symlink():
            folder.rename(tmp_path / "own")
            folder.symlink_to(tmp_path / "own")
        return int(clock(root))

    update(url, source)
    monkeypatch.setattr(mirror, "RECENT_S", 0.0)
    monkeypatch.setattr(mirror, "clock_ns", swapped)
    monkeypatch.setenv("FOXIR_CACHE_SIZE", str(size + size // 2))
    open_mirror(url)
    assert folder.is_symlink()
    assert [*(tmp_path / "own").glob("segments/*/segment.json")]


@pytest.mark.parametrize("name", ["².json", "1.json", "00000000000١.json", "0000000000009.json", "readme.json"])
def test_only_manifests_that_foxir_names_are_generations(url: str, source: Path, tmp_path: Path, name: str) -> None:
    update(url, source)
    (tmp_path / "store/x.foxir/manifests" / name).write_text("{}")
    assert RemoteIndex(url).newest() == 1
    assert len(texts_of(url)) == 9


@pytest.mark.parametrize("n_shards", [None, 2])
def test_messages_name_the_object(url: str, source: Path, tmp_path: Path, n_shards: int | None) -> None:
    update(url, source, n_shards=n_shards)
    path = tmp_path / "store/x.foxir/manifests/000000000001.json"
    path.write_bytes(path.read_bytes().replace(b"generation", b"Generation"))
    with pytest.raises(IndexFormatError) as caught:
        open_mirror(url)
    assert str(caught.value).startswith(f"{url}/manifests/000000000001.json: ")
