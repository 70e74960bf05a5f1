from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.collection.limits import Limits
from engine.collection.sources.source_listing import open_sources
from engine.errors import CollectionError
from tests.engine.collection.source_files import (
    ARCHIVES,
    SMALL,
    XML,
    ids,
    list_ids,
    make,
    special,
    tar_bytes,
    zip_bytes,
)
from tests.trust.soak import effort


def test_members_that_are_not_regular_files_are_skipped(tmp_path: Path) -> None:
    hostile: dict[str, bytes | tarfile.TarInfo] = {
        "c/good.xml": XML,
        "../up.xml": XML,
        "c/../../up.xml": XML,
        "/etc/abs.xml": XML,
        "C:\\abs.xml": XML,
        "c/..\\up.xml": XML,
        "c/sym.xml": special("c/sym.xml", tarfile.SYMTYPE, "/etc/passwd"),
        "c/hard.xml": special("c/hard.xml", tarfile.LNKTYPE, "c/good.xml"),
        "c/fifo.xml": special("c/fifo.xml", tarfile.FIFOTYPE),
        "c/dev.xml": special("c/dev.xml", tarfile.CHRTYPE),
        "c/dir.xml": special("c/dir.xml", tarfile.DIRTYPE),
        "c/inner.tar.gz": gzip.compress(tar_bytes({"x.xml": XML})),
        "c/two\nlines.xml": XML,
        os.fsdecode(b"c/latin\xe9.xml"): XML,
    }
    make(tmp_path, {"a.tar": tar_bytes(hostile)})

    with open_sources([tmp_path / "a.tar"]) as listing:
        assert ids(listing) == ["good"]
        assert [(skipped.file.partition("!")[2], skipped.reason) for skipped in listing.skipped] == [
            ("../up.xml", "a name with '..' in an archive"),
            ("c/../../up.xml", "a name with '..' in an archive"),
            ("/etc/abs.xml", "an absolute name in an archive"),
            ("C:\\abs.xml", "an absolute name in an archive"),
            ("c/..\\up.xml", "a name with '..' in an archive"),
            ("c/sym.xml", "a link in an archive"),
            ("c/hard.xml", "a link in an archive"),
            ("c/fifo.xml", "a FIFO in an archive"),
            ("c/dev.xml", "a device in an archive"),
            ("c/inner.tar.gz", "an archive in an archive; extract it and index it as a separate source"),
            ("c/two\\nlines.xml", "its name contains a control character or a line break; rename it"),
            ("c/latin\\udce9.xml", "its name is not UTF-8; rename it"),
        ]


def test_unreadable_zip_members_are_skipped(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("good.xml", XML)
        archive.writestr("folder/", b"")
        link, fifo = zipfile.ZipInfo("link.xml"), zipfile.ZipInfo("fifo.xml")
        link.external_attr, fifo.external_attr = 0o120777 << 16, 0o010644 << 16
        archive.writestr(link, b"/etc/passwd")
        archive.writestr(fifo, b"")
        archive.writestr("../up.xml", XML)
        archive.writestr("lzma.xml", XML, zipfile.ZIP_LZMA)
        archive.writestr("bomb.xml", bytes(100_000), zipfile.ZIP_DEFLATED)
        archive.writestr("locked.xml", XML)
    data = bytearray(buffer.getvalue())
    nameless = data.index(b"../up.xml", data.index(b"PK\1\2"))
    data[nameless] = 0  # a zip's names end at a zero byte
    entry = data.rindex(b"PK\1\2")
    data[entry + 8] |= 1  # the flag that says encrypted
    make(tmp_path, {"a.zip": bytes(data)})

    with open_sources([tmp_path / "a.zip"], limits=Limits(max_ratio=20, free_bytes=2000)) as listing:
        assert [(entry.document_id, entry.read()) for entry in listing.entries] == [("good", XML)]
        assert {(skipped.file.partition("!")[2], skipped.reason) for skipped in listing.skipped} == {
            ("link.xml", "a link in an archive"),
            ("fifo.xml", "a FIFO in an archive"),
            ("", "a member without a name"),
            ("lzma.xml", "compressed by method 14; compress it with deflate"),
            (
                "bomb.xml",
                "more than 20 times its compressed size, the limit max_ratio (max_ratio=N allows more)",
            ),
            ("locked.xml", "encrypted"),
        }


NOISE = bytes((i * i * 2654435761 >> 7) & 255 for i in range(900))  # hardly packs


@pytest.mark.parametrize(
    ("ending", "members", "limit"),
    [
        (".tar.gz", {"a.xml": bytes(60_000)}, "max_ratio"),
        (".tar.xz", {"a.xml": bytes(60_000)}, "max_ratio"),
        (".tar.zst", {"a.xml": bytes(60_000)}, "max_ratio"),
        (".tar.gz", {f"{i}.xml": os.urandom(900) for i in range(100)}, "max_archive_bytes"),
        (".zip", {f"{i}.xml": NOISE for i in range(120)}, "max_members"),
        (".tar", {f"{i}.xml": b"" for i in range(51)}, "max_members"),
        (".zip", {"a.txt": bytes(100_001)}, "max_archive_bytes"),
        (".tar", {"a.xml": b"", "a" * 2_000_000: b""}, "an extended header of"),
    ],
)
def test_an_archive_that_exceeds_a_limit_is_skipped_as_a_whole(
    tmp_path: Path, ending: str, members: dict[str, bytes], limit: str
) -> None:
    make(tmp_path, {f"a{ending}": ARCHIVES[ending](members), "b.xml": XML})

    with open_sources([tmp_path / f"a{ending}", tmp_path], limits=SMALL) as listing:
        assert ids(listing) == ["b"]
        assert len(listing.skipped) == 1
        assert listing.skipped[0].file == f"{tmp_path}/a{ending}"
        assert limit in listing.skipped[0].reason


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n"])  # zipfile reads zips that something precedes
def test_zip_members_are_counted_before_zipfile_reads_the_directory(
    before: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"a.zip": before + zip_bytes({f"{i}" * i + ".xml": XML for i in range(1, 8)})})

    assert len(list_ids(tmp_path / "a.zip", limits=replace(SMALL, max_members=7))) == 7
    monkeypatch.setattr(zipfile, "ZipInfo", None)
    with open_sources([tmp_path / "a.zip"], limits=replace(SMALL, max_members=6)) as listing:
        assert listing.entries == []
        assert "more than 6 members, the limit max_members" in listing.skipped[0].reason


@pytest.mark.parametrize("ending", [".tar", ".zip"])
def test_a_member_above_the_size_limit_is_skipped(tmp_path: Path, ending: str) -> None:
    make(tmp_path, {f"a{ending}": ARCHIVES[ending]({"a.xml": NOISE + NOISE, "b.xml": XML})})

    with open_sources([tmp_path / f"a{ending}"], limits=SMALL) as listing:
        assert ids(listing) == ["b"]
        assert [skipped.reason for skipped in listing.skipped] == [
            "more than 1,000 bytes of XML, the limit max_file_bytes (max_file_bytes=N allows more)"
        ]


@pytest.mark.parametrize("ending", ARCHIVES)
@pytest.mark.parametrize("damage", ["cut", "header", "other", "empty"])
def test_a_damaged_archive_is_skipped_as_a_whole(tmp_path: Path, ending: str, damage: str) -> None:
    data = bytearray(ARCHIVES[ending]({f"{i}.xml": os.urandom(700) for i in range(20)}))
    if damage == "cut":
        del data[len(data) // 2 :]
    elif damage == "header":
        data[:40] = b"\xff" * 40
        data[len(data) // 2 : len(data) // 2 + 1024] = b"\xff" * 1024
    else:
        data[:] = b"<article/>" if damage == "other" else b""
    make(tmp_path, {f"a{ending}": bytes(data), "good.xml": XML})

    with open_sources([tmp_path / f"a{ending}", tmp_path / "good.xml"]) as listing:
        assert ids(listing) == ["good"]
        assert [skipped.file for skipped in listing.skipped] == [f"{tmp_path}/a{ending}"]
        assert listing.skipped[0].reason.startswith("the archive is skipped: ")


def test_a_tar_truncated_between_members_is_reported_as_damaged(tmp_path: Path) -> None:
    # each member takes two blocks of 512 bytes; tarfile alone takes both of these for complete
    whole = tar_bytes({"a.xml": XML, "b.xml": XML})
    make(tmp_path, {"cut.tar": whole[:1024], "spoilt.tar": whole[:1024] + b"\xff" * 512 + whole[1536:]})

    for name in ("cut.tar", "spoilt.tar"):
        with open_sources([tmp_path / name]) as listing:
            assert listing.entries == []
            assert "damaged at byte 1,024: neither a member nor the end" in listing.skipped[0].reason


def test_an_xz_of_several_streams_and_padding_is_read_to_its_end(tmp_path: Path) -> None:
    tar = tar_bytes({"a.xml": XML, "b.xml": XML})
    make(tmp_path, {"a.tar.xz": lzma.compress(tar[:700]) + bytes(8) + lzma.compress(tar[700:]) + bytes(4)})

    assert list_ids(tmp_path / "a.tar.xz") == ["a", "b"]


@settings(
    max_examples=effort(6, 1500, thorough=150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from([".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst"]), st.data())
def test_damaged_archives_raise_only_collection_errors(tmp_path: Path, ending: str, choice: st.DataObject) -> None:
    data = bytearray(
        ARCHIVES[ending]({"x/a.xml": XML, "x/b.xml.gz": gzip.compress(XML, mtime=0), "y" * 120 + ".xml": XML})
    )
    for _ in range(choice.draw(st.integers(1, 4))):
        data[choice.draw(st.integers(0, len(data) - 1))] = choice.draw(st.integers(0, 255))
    archive = tmp_path / f"a{ending}"
    archive.write_bytes(data)

    with open_sources([archive], limits=SMALL) as listing:
        for entry in listing.entries:
            try:
                assert len(entry.read(1000)) <= 1000
            except CollectionError as error:
                assert str(error).startswith(f"{archive}!")  # noqa: PT017 - to raise is one of two right outcomes
