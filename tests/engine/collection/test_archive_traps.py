"""Archives with false directories or headers do not exhaust memory, and no byte of them is read twice."""

from __future__ import annotations

import gzip
import struct
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.collection.limits import Limits
from engine.collection.sources import archives
from engine.collection.sources.source_listing import open_sources
from engine.errors import CollectionError
from tests.engine.collection.source_files import (
    SMALL,
    XML,
    extension,
    ids,
    in_blocks,
    list_ids,
    make,
    special,
    tar_bytes,
    tar_header,
    tar_member,
    zip_bytes,
)
from tests.trust.soak import effort

END = bytes(2 * tarfile.BLOCKSIZE)


def reason(archive: Path, limits: Limits = SMALL) -> str:
    """Return why an archive is left out."""
    with open_sources([archive], limits=limits) as listing:
        assert listing.entries == []
        assert [skipped.file for skipped in listing.skipped] == [str(archive)]
        return listing.skipped[0].reason


@pytest.mark.parametrize("size", ["-1", "-512", "-1024", "-1536", "-2048"])  # -1536 leads back to the extended header
def test_tar_members_of_negative_size_are_refused(tmp_path: Path, size: str) -> None:
    make(tmp_path, {"a.tar": extension({"size": size}) + tar_member() + tar_member("b.xml") + END})

    assert reason(tmp_path / "a.tar") == "the archive is skipped: damaged: a member of negative size"


@pytest.mark.parametrize("name", ["GNU.sparse.size", "GNU.sparse.realsize"])
def test_a_tar_member_cannot_contain_those_after_it(tmp_path: Path, name: str) -> None:
    lying = extension({name: "900"} if name == "GNU.sparse.realsize" else {name: "900", "GNU.sparse.major": "2"})
    make(tmp_path, {"a.tar": tar_member() + lying + tar_member("b.xml") + tar_member("c.xml") + END})

    with open_sources([tmp_path / "a.tar"], limits=SMALL) as listing:
        held = [entry for entry in listing.entries if len(entry.read()) > len(XML)]
        assert held == []
        assert len(listing.skipped) == 1


def long_map(n_blocks: int) -> bytes:
    """Return a sparse file whose map goes on for some blocks."""
    header = bytearray(tar_header("sparse.xml", tarfile.GNUTYPE_SPARSE, 0))
    header[482] = 1  # the map goes on in the next block
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    block = b"00000000001\0" * 42 + b"\1".ljust(8, b"\0")
    return bytes(header) + block * (n_blocks - 1) + block[:504] + bytes(8)


def sparse_numbers(n_numbers: int) -> bytes:
    data = in_blocks(f"{n_numbers}\n".encode() + b"1\n" * n_numbers)
    records = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    return extension(records) + tar_header("sparse.xml", tarfile.REGTYPE, len(data)) + data


TIMES = effort(1, 4, thorough=4)  # as long
MANY = {f"name{number}": "" for number in range(1500)}  # 20 KB
FILLING: dict[str, tuple[Callable[[], bytes], str]] = {
    "a long map of a sparse file": (lambda: long_map(20_000), "a sparse file in an archive"),
    "many numbers of a sparse file": (
        lambda: sparse_numbers(500_000 * TIMES),
        "a sparse file in an archive",
    ),
    "many lasting extensions": (
        lambda: b"".join(
            extension({f"{each}{name}": "" for name in MANY}, tarfile.XGLTYPE) for each in range(100 * TIMES)
        ),
        "an extended header of",
    ),
    "extensions of extensions": (lambda: extension(MANY) * (60 * TIMES), "an extended header of"),
    "long names of long names": (
        lambda: (tar_header("long", tarfile.GNUTYPE_LONGNAME, 10_000) + in_blocks(b"a" * 10_000)) * 250,
        "an extended header of",
    ),
}


@pytest.mark.parametrize("name", FILLING)
@pytest.mark.long
def test_extended_tar_headers_are_bounded(tmp_path: Path, name: str) -> None:
    fill, expected = FILLING[name]
    make(tmp_path, {"a.tar": fill() + tar_member() + END})
    tracemalloc.start()
    with open_sources([tmp_path / "a.tar"], limits=Limits()) as listing:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert [expected in skipped.reason for skipped in listing.skipped] == [True]
        assert ids(listing) == (["a"] if "sparse" in expected else [])
    assert peak < 16 * 2**20


def test_a_truncated_sparse_map_is_reported_as_damage(tmp_path: Path) -> None:
    make(tmp_path, {"a.tar": tar_member() + long_map(9)[:-700]})

    assert "damaged: it ends in the header of a sparse file" in reason(tmp_path / "a.tar")


def zip_of(kernel: bytes, places: list[int], packed: int, unpacked: int, crc: int) -> bytes:
    """Return a zip whose directory says that a member begins at each place."""
    directory = b""
    for number, place in enumerate(places):
        name = f"{number}.xml".encode()
        numbers = (crc, packed, unpacked, len(name), 0, 0, 0, 0, 0, place)
        directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, *numbers) + name
    counts = (0, 0, len(places), len(places), len(directory), len(kernel), 0)
    return kernel + directory + struct.pack("<4s4H2LH", b"PK\5\6", *counts)


def local_header(packed: int, unpacked: int, crc: int, extra: int = 0) -> bytes:
    return struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, packed, unpacked, 5, extra) + b"a.xml"


def test_overlapping_zip_members_are_refused(tmp_path: Path) -> None:
    data = b"<a>" + b"sea " * 200 + b"</a>"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    facts = (len(packed), len(data), zlib.crc32(data))
    header = local_header(*facts)
    nested = local_header(*facts, extra=len(header)) + header + packed  # the second lies in the first's extra field
    make(
        tmp_path,
        {
            "one.zip": zip_of(header + packed, [0], *facts),
            "same.zip": zip_of(header + packed, [0] * 30, *facts),
            "nested.zip": zip_of(nested, [0, len(header)], *facts),
        },
    )

    assert list_ids(tmp_path / "one.zip") == ["0"]
    assert reason(tmp_path / "same.zip") == "the archive is skipped: damaged: two members have the same offset"
    assert reason(tmp_path / "nested.zip") == "the archive is skipped: damaged: '0.xml' overlaps another member"


def test_the_compression_ratio_is_limited_over_all_members(tmp_path: Path) -> None:
    small = {f"{number}.xml": bytes(900) for number in range(100)}  # each packed to a tenth, directory and all
    make(tmp_path, {"a.zip": zip_bytes(small), "few.zip": zip_bytes(dict(list(small.items())[:20]))})
    limits = Limits(max_ratio=2, free_bytes=20_000)

    assert len(list_ids(tmp_path / "few.zip", limits=limits)) == 20
    assert "more than 2 times its compressed size, the limit max_ratio" in reason(tmp_path / "a.zip", limits)


def test_an_oversized_zip_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.zip": zip_bytes({f"{number:0500}.xml": XML for number in range(40)})})
    monkeypatch.setattr(archives, "LONGEST_DIRECTORY", 20_000)

    assert "a directory of 2" in reason(tmp_path / "a.zip")


def test_member_names_longer_than_a_path_are_skipped_and_shortened_in_messages(tmp_path: Path) -> None:
    long = "n" * 50_000 + ".xml"
    tar = extension({"path": long}) + tar_member() + END
    make(tmp_path, {"a.zip": zip_bytes({long: XML, "good.xml": XML}), "b.tar": tar})

    for name in ("a.zip", "b.tar"):
        with open_sources([tmp_path / name], limits=SMALL) as listing:
            [skipped] = listing.skipped
            assert skipped.reason == "a name of 50,004 characters in an archive"
            assert skipped.file == f"{tmp_path / name}!{'n' * 200}…"


def test_names_that_differ_in_case_only_are_two_documents(tmp_path: Path) -> None:
    make(tmp_path, {"a.zip": zip_bytes({"x/A.xml": XML, "x/a.xml": XML, "x/b.XML": XML}), "b.tar.gz": b""})
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(tar_member("A.xml") + tar_member() + END))

    assert list_ids(tmp_path / "a.zip") == ["A", "a", "b"]
    assert list_ids(tmp_path / "b.tar.gz") == ["A", "a"]


def test_what_a_zip_says_of_a_member_is_not_believed(tmp_path: Path) -> None:
    data = b"<a>" + b"sea " * 200_000 + b"</a>"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    n_packed, n_data, crc = len(packed), len(data), zlib.crc32(data)

    def lying(listed_packed: int, listed_data: int, listed_crc: int) -> bytes:
        header = local_header(listed_packed, listed_data, listed_crc)
        return zip_of(header + packed, [0], listed_packed, listed_data, listed_crc)

    make(
        tmp_path,
        {
            "true.zip": lying(n_packed, n_data, crc),
            "small.zip": lying(n_packed, 10, crc),
            "empty.zip": lying(n_packed, 0, crc),
            "checksum.zip": lying(n_packed, n_data, crc ^ 1),
            "large.zip": lying(n_packed, 2**32 - 2, crc),
            "beyond.zip": lying(n_packed + 10**6, n_data, crc),
        },
    )

    def read(name: str, limits: Limits = SMALL) -> bytes:
        with open_sources([tmp_path / name], limits=limits) as listing:
            (entry,) = listing.entries
            tracemalloc.start()
            try:
                return entry.read()
            finally:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak < 4 * n_data

    assert read("true.zip", Limits()) == data
    for name, size in (("small.zip", 10), ("empty.zip", 0)):
        with pytest.raises(CollectionError, match=f"decompresses to more than the {size} bytes that the archive lists"):
            read(name)
    with pytest.raises(CollectionError, match="its checksum is wrong"):
        read("checksum.zip", Limits())
    with open_sources([tmp_path / "large.zip"], limits=Limits()) as listing:
        assert ["the limit max_" in skipped.reason for skipped in listing.skipped] == [True]
    assert (
        reason(tmp_path / "beyond.zip") == "the archive is skipped: damaged: '0.xml' extends past the end of the file"
    )


def test_what_a_tar_or_gzip_says_of_its_size_is_not_believed(tmp_path: Path) -> None:
    whole, packed = tar_member() + END, gzip.compress(XML)
    make(
        tmp_path,
        {
            "beyond.tar": tar_header("a.xml", tarfile.REGTYPE, 10**9) + XML + END,
            "trailer.tar.gz": gzip.compress(whole)[:-4] + b"\xff\xff\xff\xff",
            "a.xml.gz": packed[:-4] + b"\xff\xff\xff\x7f",
        },
    )

    assert reason(tmp_path / "beyond.tar", Limits()) == "the archive is skipped: unexpected end of data"
    assert reason(tmp_path / "trailer.tar.gz") == "the archive is skipped: Incorrect length of data produced"
    with (
        open_sources([tmp_path / "a.xml.gz"], limits=SMALL) as listing,
        pytest.raises(CollectionError, match="damaged: Incorrect length"),
    ):
        listing.entries[0].read()


def test_a_link_to_a_folder_does_not_lead_members_below_it_away(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    members = {
        "t/good.xml": XML,
        "t/away": special("t/away", tarfile.SYMTYPE, str(outside)),
        "t/away/evil.xml": XML,
        "t/self.xml": special("t/self.xml", tarfile.LNKTYPE, "t/self.xml"),
        "t/again.xml": special("t/again.xml", tarfile.LNKTYPE, "t/good.xml"),
    }
    make(tmp_path, {"a.tar": tar_bytes(members)})

    with open_sources([tmp_path / "a.tar"]) as listing:
        assert ids(listing) == ["away/evil", "good"]  # below the archive, whatever is called away there
        assert {skipped.file.partition("!")[2]: skipped.reason for skipped in listing.skipped} == dict.fromkeys(
            ["t/away", "t/self.xml", "t/again.xml"], "a link in an archive"
        )
    assert list(outside.iterdir()) == []
