import bz2
import gzip
import io
import lzma
import os
import pickle
import socket
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.collection.sources import Entry, Limits, SourceListing, open_sources, source_key
from engine.errors import CollectionError

SHARED = Path(__file__).parents[3].parent / "shared" / "data"

XML = b"<article><p>text</p></article>"
SMALL = Limits(max_file_bytes=1000, max_archive_bytes=100_000, max_members=50, max_ratio=20, free_bytes=20_480)


def make(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def ids(listing: SourceListing) -> list[str]:
    return [entry.document for entry in listing.entries]


def list_ids(*sources: str | Path, limits: Limits = SMALL) -> list[str]:
    with open_sources(sources, limits=limits) as listing:
        assert listing.skipped == []
        return ids(listing)


def tar_bytes(members: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, member in members.items():
            if isinstance(member, bytes):
                info = tarfile.TarInfo(name)
                info.size = len(member)
                tar.addfile(info, io.BytesIO(member))
            else:
                tar.addfile(member)
    return buffer.getvalue()


def zip_bytes(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


ARCHIVES: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    ".zip": zip_bytes,
    ".tar": tar_bytes,
    ".tar.gz": lambda members: gzip.compress(tar_bytes(members)),
    ".tgz": lambda members: gzip.compress(tar_bytes(members)),
    ".tar.xz": lambda members: lzma.compress(tar_bytes(members)),
    ".tar.bz2": lambda members: bz2.compress(tar_bytes(members)),
    ".tar.zst": lambda members: zstandard.compress(tar_bytes(members)),
}


# Document ids


def test_ids_in_a_folder_are_paths_below_it_in_the_order_of_code_points(tmp_path: Path) -> None:
    make(tmp_path, {"b/c.xml": XML, "b.xml": XML, "B/a.xml": XML, "ö/é 1.xml": XML, "a.xml.gz": gzip.compress(XML)})

    assert list_ids(tmp_path) == ["B/a", "a", "b", "b/c", "ö/é 1"]
    assert list_ids(f"{tmp_path}/") == ["B/a", "a", "b", "b/c", "ö/é 1"]


@pytest.mark.parametrize(
    ("name", "document"),
    [("a.xml", "a"), ("a.xml.gz", "a"), ("a.XML", "a"), ("a.nxml", "a.nxml"), ("a.b.xml", "a.b"), ("plain", "plain")],
)
def test_the_id_of_a_single_file_is_its_name_whatever_its_ending(tmp_path: Path, name: str, document: str) -> None:
    make(tmp_path, {f"folder/{name}": XML})

    assert list_ids(tmp_path / "folder" / name) == [document]


@pytest.mark.parametrize("ending", ARCHIVES)
def test_ids_in_an_archive_are_below_the_folder_that_its_members_share(tmp_path: Path, ending: str) -> None:
    members = {"top/x/a.xml": XML, "top/x/y/b.xml": XML + b" ", "top/x/c.xml.gz": gzip.compress(XML)}
    archive = tmp_path / f"coll{ending}"
    archive.write_bytes(ARCHIVES[ending](members))

    with open_sources([archive], limits=SMALL) as listing:
        assert [(entry.document, entry.name, entry.read()) for entry in listing.entries] == [
            ("a", f"{archive}!top/x/a.xml", XML),
            ("c", f"{archive}!top/x/c.xml.gz", XML),
            ("y/b", f"{archive}!top/x/y/b.xml", XML + b" "),
        ]
        assert {entry.source for entry in listing.entries} == {str(archive)}


def test_all_files_of_an_archive_count_for_the_folder_they_share(tmp_path: Path) -> None:
    # the same ids as in the folder that the archive unpacks to; dots and doubled strokes in names do not count
    make(tmp_path, {"a.tar": tar_bytes({"./README": b"", ".//docs/x.xml": XML, "docs/./y.xml": XML})})

    assert list_ids(tmp_path / "a.tar") == ["docs/x", "docs/y"]


def test_ids_of_a_pattern_are_below_the_longest_folder_that_its_files_share(tmp_path: Path) -> None:
    make(tmp_path, {"c/one/1.xml": XML, "c/two/2.xml": XML, "c/two/x.txt": b"", "c/3.xml": XML, "c/.hidden/4.xml": XML})

    assert list_ids(f"{tmp_path}/c/**/*.xml") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/*/*.xml") == ["one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/t*/?.xml") == ["2"]
    assert list_ids(f"{tmp_path}/**/[12].xml") == ["one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/*") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/**") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/two/*.txt") == ["x.txt"]


def test_a_pattern_finds_archives(tmp_path: Path) -> None:
    make(tmp_path, {"a.zip": zip_bytes({"d/x.xml": XML}), "b.tar": tar_bytes({"d/y.xml": XML}), "z.xml": XML})

    assert list_ids(f"{tmp_path}/*") == ["x", "y", "z"]


def test_a_name_that_exists_is_no_pattern(tmp_path: Path) -> None:
    make(tmp_path, {"a[1].xml": XML, "a1.xml": XML})

    assert list_ids(tmp_path / "a[1].xml") == ["a[1]"]


def test_ids_of_a_list_are_below_the_longest_folder_that_its_files_share(tmp_path: Path) -> None:
    make(tmp_path, {"c/one/1.xml": XML, "c/two/2.xml": XML, "c/two/3.xml": XML, "a.zip": zip_bytes({"d/x.xml": XML})})
    text = "\ufeff# the collection\n\n  c/one/1.xml \r\nc/two\nc/two/2.xml\na.zip\n@more/list\n"
    make(tmp_path, {"all.txt": text.encode(), "more/list": b"../c/*/3.xml\n"})

    assert list_ids(f"@{tmp_path}/all.txt") == ["one/1", "two/2", "two/3", "x"]


def test_names_in_messages_are_as_the_user_wrote_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"c/a.xml": XML, "c/b.tar": tar_bytes({"m.xml": XML}), "list": b"c/a.xml"})
    monkeypatch.chdir(tmp_path)

    for source, name in [("c", "c/a.xml"), ("c/a.xml",) * 2, ("c/*.xml", "c/a.xml"), ("c/b.tar", "c/b.tar!m.xml")]:
        with open_sources([source]) as listing:
            assert [(entry.name, entry.source) for entry in listing.entries] == [(name, str(tmp_path / source))]
    with open_sources(["@list"]) as listing:
        assert [(entry.name, entry.source) for entry in listing.entries] == [("c/a.xml", f"@{tmp_path}/list")]


def test_a_source_is_remembered_by_a_key_that_is_a_source_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"c/a.xml": XML, "list": b"c"})
    monkeypatch.chdir(tmp_path)

    for source in ("c", "c/", "./c", "@list", "c/*.xml", "c/a.xml"):
        with open_sources([source]) as listing, open_sources([source_key(source)]) as again:
            assert listing.sources == again.sources == (source_key(source),)
            assert [entry[0] for entry in listing.entries] == [entry[0] for entry in again.entries] == ["a"]
    assert source_key("c") == source_key("c/") == source_key(tmp_path / "c")


# What is found twice, and what is no XML


def test_the_second_document_of_one_id_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, {"one/a.xml": XML, "two/a.xml": XML, "two/a.xml.gz": gzip.compress(XML), "two/b.xml": XML})

    with open_sources([tmp_path / "two", tmp_path / "one"]) as listing:
        assert [entry.name for entry in listing.entries] == [f"{tmp_path}/two/a.xml", f"{tmp_path}/two/b.xml"]
        assert [(skipped.file, skipped.line) for skipped in listing.skipped] == [
            (f"{tmp_path}/two/a.xml.gz", 0),
            (f"{tmp_path}/one/a.xml", 0),
        ]
        for skipped in listing.skipped:
            assert skipped.reason == f"its document id 'a' is already that of {tmp_path}/two/a.xml; rename one of them"


def test_a_source_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML})

    assert list_ids(tmp_path, f"{tmp_path}/", tmp_path / ".." / tmp_path.name) == ["a"]


def test_what_is_no_xml_is_counted(tmp_path: Path) -> None:
    other = {"README": b"", "b.txt": b"", ".xml": b"", "._a.xml": b"", "inner.zip": zip_bytes({"x.xml": XML})}
    make(tmp_path, {"f/a.xml": XML, **{f"f/{name}": data for name, data in other.items()}})
    make(tmp_path, {"b.tar": tar_bytes({"b.xml": XML, "c.txt": b"", "._b.xml": b""})})

    with open_sources([tmp_path / "f", tmp_path / "b.tar"]) as listing:
        assert (ids(listing), listing.ignored, listing.skipped) == (["a", "b"], 5 + 2, [])


def test_an_empty_folder_and_an_empty_archive_have_no_documents(tmp_path: Path) -> None:
    make(tmp_path, {"a.tar": tar_bytes({}), "a.zip": zip_bytes({}), "list": b"# none\n"})
    (tmp_path / "empty").mkdir()

    assert list_ids(tmp_path / "empty", tmp_path / "a.tar", tmp_path / "a.zip", f"@{tmp_path}/list") == []


# Sources that cannot be met


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("gone", r"no such source: '.*gone' \(looked for '/.*/gone'\)"),
        ("gone.zip", "no such source"),
        ("go*.xml", r"no file matches '.*go\*\.xml'"),
        ("@gone", "no such list"),
        ("a.xml/b", "cannot be read: Not a directory"),
        ("pipe", "pipe is a FIFO; a source is a file, a folder or an archive"),
        ("@bad", r"bad:3: no such source: '.*/gone'"),
        ("@self", r"self:1: the list '.*self' names itself"),
        ("@latin", "is not UTF-8 at byte 1"),
        ("@pipe", "no such list"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_a_source_that_cannot_be_met_is_an_error(tmp_path: Path, source: str, message: str) -> None:
    make(tmp_path, {"a.xml": XML, "bad": b"\n# x\ngone\n", "self": b"@self", "latin": b"a\xff"})
    os.mkfifo(tmp_path / "pipe")
    at = "@" if source.startswith("@") else ""

    with pytest.raises(CollectionError, match=message), open_sources([f"{at}{tmp_path}/{source.removeprefix('@')}"]):
        pass


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(CollectionError, match="an empty source"), open_sources([""]):
        pass


# Folders that set traps


def test_links_to_files_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    make(tmp_path, {"c/a/x.xml": XML, "outside/y.xml": XML, "outside/deep/z.xml": XML, "single.xml": XML})
    (tmp_path / "c/a/loop").symlink_to(tmp_path / "c")
    (tmp_path / "c/a/up").symlink_to(tmp_path)
    (tmp_path / "c/0").symlink_to(tmp_path / "c/a")  # comes before a, but a is not to be called 0
    (tmp_path / "c/more").symlink_to(tmp_path / "outside")
    (tmp_path / "c/more2").symlink_to(tmp_path / "outside")
    (tmp_path / "outside/back").symlink_to(tmp_path / "c/a")
    (tmp_path / "c/one.xml").symlink_to(tmp_path / "single.xml")

    assert list_ids(tmp_path / "c") == ["a/x", "more/deep/z", "more/y", "one"]
    assert list_ids(f"{tmp_path}/c/**/x.xml") == ["x"]


def test_what_is_no_file_is_listed_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML})
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "gone.xml").symlink_to("nowhere")
    (tmp_path / "self.xml").symlink_to("self.xml")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    (tmp_path / "null.xml").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))

    with open_sources([tmp_path]) as listing:
        assert ids(listing) == ["a"]
        assert {(Path(skipped.file).name, skipped.reason) for skipped in listing.skipped} == {
            ("pipe.xml", "a FIFO, not a file"),
            ("socket", "a socket, not a file"),
            ("null.xml", "a device, not a file"),
            ("gone.xml", "cannot be read: No such file or directory"),
            ("self.xml", "cannot be read: Too many levels of symbolic links"),
        }


def test_names_that_no_run_file_can_hold_are_listed(tmp_path: Path) -> None:
    make(tmp_path, {"a\u00a0b.xml": XML, "two\nlines.xml": XML})
    (tmp_path / os.fsdecode(b"latin\xe9.xml")).write_bytes(XML)

    with open_sources([tmp_path]) as listing:
        assert ids(listing) == ["a\u00a0b"]
        assert sorted(skipped.reason for skipped in listing.skipped) == [
            "its name holds a control character or a line break; rename it",
            "its name is not UTF-8; rename it",
        ]
        for skipped in listing.skipped:
            assert skipped.file.isprintable()


# Archives that set traps


def test_members_that_are_no_plain_files_are_listed(tmp_path: Path) -> None:
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
            ("c/inner.tar.gz", "an archive in an archive; take it out and name it as a source of its own"),
            ("c/two\\nlines.xml", "its name holds a control character or a line break; rename it"),
            ("c/latin\\udce9.xml", "its name is not UTF-8; rename it"),
        ]


def test_members_of_a_zip_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
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
    entry = data.rindex(b"PK\1\2")
    data[entry + 8] |= 1  # the flag that says encrypted
    make(tmp_path, {"a.zip": bytes(data)})

    with open_sources([tmp_path / "a.zip"], limits=Limits(max_ratio=20, free_bytes=2000)) as listing:
        assert [(entry.document, entry.read()) for entry in listing.entries] == [("good", XML)]
        assert {(skipped.file.partition("!")[2], skipped.reason) for skipped in listing.skipped} == {
            ("link.xml", "a link in an archive"),
            ("fifo.xml", "a FIFO in an archive"),
            ("../up.xml", "a name with '..' in an archive"),
            ("lzma.xml", "packed by method 14; pack it by deflate"),
            ("bomb.xml", "more than 20 times its packed size, the limit max_ratio"),
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
def test_an_archive_past_a_limit_is_left_out_as_a_whole(
    tmp_path: Path, ending: str, members: dict[str, bytes], limit: str
) -> None:
    make(tmp_path, {f"a{ending}": ARCHIVES[ending](members), "b.xml": XML})

    with open_sources([tmp_path / f"a{ending}", tmp_path], limits=SMALL) as listing:
        assert ids(listing) == ["b"]
        assert len(listing.skipped) == 1
        assert listing.skipped[0].file == f"{tmp_path}/a{ending}"
        assert limit in listing.skipped[0].reason


@pytest.mark.parametrize("ending", [".tar", ".zip"])
def test_a_member_that_is_too_long_is_listed(tmp_path: Path, ending: str) -> None:
    make(tmp_path, {f"a{ending}": ARCHIVES[ending]({"a.xml": NOISE + NOISE, "b.xml": XML})})

    with open_sources([tmp_path / f"a{ending}"], limits=SMALL) as listing:
        assert ids(listing) == ["b"]
        assert [skipped.reason for skipped in listing.skipped] == [
            "1,800 bytes, more than the limit max_file_bytes of 1,000"
        ]


@pytest.mark.parametrize("ending", ARCHIVES)
@pytest.mark.parametrize("damage", ["cut", "header", "other", "empty"])
def test_of_a_damaged_archive_nothing_is_used(tmp_path: Path, ending: str, damage: str) -> None:
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
        assert listing.skipped[0].reason.startswith("the archive is left out: ")


def test_a_tar_that_is_cut_between_two_members_is_damaged(tmp_path: Path) -> None:
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


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst"]), st.data())
def test_no_damage_raises_anything_but_ours(tmp_path: Path, ending: str, choice: st.DataObject) -> None:
    data = bytearray(ARCHIVES[ending]({"x/a.xml": XML, "x/b.xml.gz": gzip.compress(XML), "y" * 120 + ".xml": XML}))
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


# Reading


def test_what_is_read_is_bounded(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(3_000_000))
    make(tmp_path, {"a.xml": XML, "b.xml.gz": bomb, "z.zip": zip_bytes({"c.xml.gz": bomb, "d.xml": XML})})

    with open_sources([tmp_path, tmp_path / "z.zip"]) as listing:
        entries = {entry.document: entry for entry in listing.entries}
        assert entries["a"].read(len(XML)) == entries["d"].read(len(XML)) == XML
        for document in "abcd":
            with pytest.raises(CollectionError, match=r"more than 29 bytes of XML, the limit max_file_bytes"):
                entries[document].read(len(XML) - 1)


@pytest.mark.parametrize(
    "data", [gzip.compress(XML)[:-9], b"no gzip", gzip.compress(XML) + b"more", gzip.compress(XML)[:-8] + bytes(8)]
)
def test_a_damaged_gzip_is_refused(tmp_path: Path, data: bytes) -> None:
    make(tmp_path, {"a.xml.gz": data})

    with open_sources([tmp_path]) as listing, pytest.raises(CollectionError, match=r"a\.xml\.gz: damaged: "):
        listing.entries[0].read()


def test_a_gzip_of_several_members_is_read_to_its_end(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml.gz": gzip.compress(XML[:9]) + gzip.compress(b"") + gzip.compress(XML[9:]) + bytes(5)})

    with open_sources([tmp_path]) as listing:
        assert listing.entries[0].read() == XML


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_member_with_a_wrong_checksum_is_refused(tmp_path: Path, method: int) -> None:
    data = bytearray(zip_bytes({"a.xml": XML, "b.xml": XML}, method))
    crc = struct.unpack_from("<I", data, data.index(b"PK\1\2") + 16)[0]
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 16, crc ^ 1)
    make(tmp_path, {"a.zip": bytes(data)})

    with open_sources([tmp_path / "a.zip"]) as listing:
        assert listing.entries[1].read() == XML
        with pytest.raises(CollectionError, match=r"a\.zip!a\.xml: damaged: its checksum is wrong"):
            listing.entries[0].read()


def test_a_file_that_changed_since_the_listing_is_noticed(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "b.tar": tar_bytes({"b.xml": XML})})

    with open_sources([tmp_path, tmp_path / "b.tar"]) as listing:
        (tmp_path / "a.xml").unlink()
        (tmp_path / "b.tar").write_bytes(b"")
        with pytest.raises(CollectionError, match=r"a\.xml: cannot be read: No such file"):
            listing.entries[0].read()
        with pytest.raises(CollectionError, match=r"b\.tar!b\.xml: damaged: it ends early"):
            listing.entries[1].read()


def read_in_another_process(entry: Entry) -> bytes:
    return entry.read()


def test_entries_can_be_read_by_other_processes(tmp_path: Path) -> None:
    for ending, archive in ARCHIVES.items():
        make(tmp_path, {f"a{ending}": archive({f"d/{ending}.xml": ending.encode(), f"d/{ending}2.xml": XML})})

    with (
        open_sources([f"{tmp_path}/*"]) as listing,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
    ):
        assert len(listing.entries) == 2 * len(ARCHIVES)
        assert list(pool.map(read_in_another_process, listing.entries)) == [entry.read() for entry in listing.entries]
        assert pickle.loads(pickle.dumps(listing)) == listing


def test_size_and_time_tell_a_change(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "b.zip": zip_bytes({"b.xml": XML})})
    for name in ("a.xml", "b.zip"):
        os.utime(tmp_path / name, ns=(0, 1_234_567_890))

    with open_sources([tmp_path, tmp_path / "b.zip"]) as listing:
        assert [(entry.size, entry.mtime_ns) for entry in listing.entries] == [(len(XML), 1_234_567_890)] * 2


def test_unpacked_archives_go_away_with_the_context(tmp_path: Path) -> None:
    make(tmp_path, {"a.tar.xz": lzma.compress(tar_bytes({"a.xml": XML})), "b.tar.xz": b"damaged"})
    spool = tmp_path / "spool"
    spool.mkdir()
    steps: list[tuple[str, int, int]] = []
    size = (tmp_path / "a.tar.xz").stat().st_size

    with open_sources([f"{tmp_path}/*.xz"], spool_folder=spool, progress=lambda *step: steps.append(step)) as listing:
        assert ids(listing) == ["a"]
        assert len(list(spool.glob("*/*"))) == 1
    assert list(spool.iterdir()) == []
    assert steps[-1] == (f"{tmp_path}/a.tar.xz", size, size)


# Real data, and speed


def test_the_trials_archive_has_its_1232_documents() -> None:
    archive = SHARED / "trials" / "collection.tar.xz"
    if not archive.exists():
        pytest.skip("the collection of trial reports is not here")

    with open_sources([archive]) as listing:
        assert (len(listing.entries), listing.skipped) == (1232, [])
        assert listing.entries[0].document == "PMC1079844"
        assert listing.entries[0].name == f"{archive}!trials/PMC1079844.xml"
        assert listing.entries[0].read().rstrip().endswith(b"</article>")


def test_a_folder_of_12000_files_is_listed_in_a_moment(tmp_path: Path) -> None:
    for i in range(60):
        folder = tmp_path / f"{i:02}"
        folder.mkdir()
        for j in range(200):
            (folder / f"{j}.xml").touch()

    seconds = []
    for _ in range(3):
        start = time.process_time()
        with open_sources([tmp_path]) as listing:
            assert len(listing.entries) == 12_000
        seconds.append(time.process_time() - start)
    print(f"{min(seconds):.3f} s")

    assert min(seconds) < 0.5  # 0.1 s where nothing else runs
