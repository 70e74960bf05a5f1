from __future__ import annotations

import gzip
import lzma
import os
import pickle
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from engine.collection.sources.document_entry import ByteRange, DocumentEntry
from engine.collection.sources.source_listing import open_sources
from engine.errors import CollectionError
from tests.engine.collection.source_files import ARCHIVES, XML, ids, make, tar_bytes, zip_bytes


def test_reading_stops_at_the_limit(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(3_000_000))
    make(tmp_path, {"a.xml": XML, "b.xml.gz": bomb, "z.zip": zip_bytes({"c.xml.gz": bomb, "d.xml": XML})})

    with open_sources([tmp_path, tmp_path / "z.zip"]) as listing:
        entries = {entry.document_id: entry for entry in listing.entries}
        assert entries["a"].read(len(XML)) == entries["d"].read(len(XML)) == XML
        for document in "abcd":
            with pytest.raises(CollectionError, match=r"more than 29 bytes of XML, the limit max_file_bytes"):
                entries[document].read(len(XML) - 1)


@pytest.mark.parametrize(
    "data",
    [gzip.compress(XML)[:-9], b"no gzip", gzip.compress(XML) + b"more", gzip.compress(XML)[:-8] + bytes(8)],
    ids=["cut", "other", "more", "checksum"],  # the bytes hold the time
)
def test_a_damaged_gzip_file_raises_an_error(tmp_path: Path, data: bytes) -> None:
    make(tmp_path, {"a.xml.gz": data})

    with open_sources([tmp_path]) as listing, pytest.raises(CollectionError, match=r"a\.xml\.gz: damaged: "):
        listing.entries[0].read()


def test_a_gzip_of_several_members_is_read_to_its_end(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml.gz": gzip.compress(XML[:9]) + gzip.compress(b"") + gzip.compress(XML[9:]) + bytes(5)})

    with open_sources([tmp_path]) as listing:
        assert listing.entries[0].read() == XML


def test_a_file_longer_than_the_limit_is_not_read(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML})
    os.truncate(tmp_path / "a.xml", 1 << 40)  # no memory holds that

    with open_sources([tmp_path]) as listing, pytest.raises(CollectionError, match="the limit max_file_bytes"):
        listing.entries[0].read()


def test_a_file_that_changed_after_the_listing_raises_an_error(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "b.tar": tar_bytes({"b.xml": XML})})

    with open_sources([tmp_path, tmp_path / "b.tar"]) as listing:
        (tmp_path / "a.xml").unlink()
        (tmp_path / "b.tar").write_bytes(b"")
        with pytest.raises(CollectionError, match=r"a\.xml: cannot be read: No such file"):
            listing.entries[0].read()
        with pytest.raises(CollectionError, match=r"b\.tar!b\.xml: damaged: it ends early"):
            listing.entries[1].read()


def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "b.tar": tar_bytes({"b.xml": XML}), "c.xml": XML})
    (tmp_path / "d.xml").symlink_to("c.xml")

    with open_sources([tmp_path, tmp_path / "b.tar"]) as listing:
        for name in ("a.xml", "b.tar"):
            (tmp_path / name).unlink()
            os.mkfifo(tmp_path / name)
        for entry in listing.entries[:2]:
            with pytest.raises(CollectionError, match=r"cannot be read: it is not a regular file"):
                entry.read()
        assert [entry.read() for entry in listing.entries[2:]] == [XML, XML]


def read_in_another_process(entry: DocumentEntry) -> bytes:
    return entry.read()


@pytest.mark.long
def test_entries_can_be_read_by_other_processes(tmp_path: Path) -> None:
    for ending, archive in ARCHIVES.items():
        make(tmp_path, {f"a{ending}": archive({f"d/1{ending}.xml": ending.encode(), f"d/2{ending}.xml": XML})})

    with (
        open_sources([f"{tmp_path}/*"]) as listing,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
    ):
        assert len(listing.entries) == 2 * len(ARCHIVES)
        assert list(pool.map(read_in_another_process, listing.entries)) == [entry.read() for entry in listing.entries]
        assert pickle.loads(pickle.dumps(listing)) == listing


def test_entries_have_size_and_modification_time(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "b.zip": zip_bytes({"b.xml": XML})})
    for name in ("a.xml", "b.zip"):
        os.utime(tmp_path / name, ns=(0, 1_234_567_890))

    with open_sources([tmp_path, tmp_path / "b.zip"]) as listing:
        assert [(entry.size, entry.mtime_ns) for entry in listing.entries] == [(len(XML), 1_234_567_890)] * 2


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
def test_a_full_disk_is_not_reported_as_a_damaged_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.tar.xz": lzma.compress(tar_bytes({"a.xml": XML}))})
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    monkeypatch.setattr(tempfile, "mkstemp", lambda **_: (os.open(full, os.O_WRONLY), str(full)))

    with pytest.raises(OSError, match="No space left on device"), open_sources([tmp_path / "a.tar.xz"]):
        pass


def test_decompressed_archives_are_removed_with_the_context(tmp_path: Path) -> None:
    make(tmp_path, {"a.tar.xz": lzma.compress(tar_bytes({"a.xml": XML})), "b.tar.xz": b"damaged"})
    spool = tmp_path / "spool"
    spool.mkdir()
    steps: list[tuple[str, int, int]] = []
    size = (tmp_path / "a.tar.xz").stat().st_size

    with open_sources(
        [f"{tmp_path}/*.xz"], temporary_folder=spool, progress=lambda *step: steps.append(step)
    ) as listing:
        assert ids(listing) == ["a"]
        assert len(list(spool.glob("*/*"))) == 1
    assert list(spool.iterdir()) == []
    assert steps[-1] == (f"{tmp_path}/a.tar.xz", size, size)


@pytest.mark.parametrize("limit", [3, 8, 100])
@pytest.mark.parametrize("name", ["whole.xml", "packed.xml.gz", "cut.xml.gz", "missing.xml", "in.zip", "in.tar"])
def test_a_copy_is_read_as_the_document(tmp_path: Path, name: str, limit: int) -> None:
    path, markup = tmp_path / name, b"<a>sea</a>"
    place = ByteRange(str(path), 0, -1, is_gzipped=name.endswith(".gz"))
    if name == "in.zip":
        packed = zlib.compressobj(wbits=-15)
        deflated = packed.compress(markup) + packed.flush()
        path.write_bytes(b"before" + deflated + b"behind")
        place = ByteRange(str(path), 6, len(deflated), is_deflated=True, crc=zlib.crc32(markup))
    elif name == "in.tar":
        path.write_bytes(b"before" + markup + b"behind")
        place = ByteRange(str(path), 6, len(markup))
    elif name != "missing.xml":
        data = gzip.compress(markup) if place.is_gzipped else markup
        path.write_bytes(data[:-9] if name.startswith("cut") else data)
    entry = DocumentEntry("d", name, "s", len(markup), 0, place)
    stored = entry.stored(limit)
    assert (stored is None) == (name == "missing.xml")
    if stored is None:
        return
    (tmp_path / "copy").write_bytes(stored)
    copied = entry.copied_to(str(tmp_path / "copy"))
    assert outcome(copied, limit) == outcome(entry, limit)


def outcome(entry: DocumentEntry, limit: int) -> bytes | str:
    try:
        return entry.read(limit)
    except CollectionError as error:
        return str(error)
