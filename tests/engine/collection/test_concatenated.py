"""Several XML documents in one file: each is a document, whose id has its number."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collection.limits import Limits
from engine.collection.sources import concatenated
from engine.collection.sources.concatenated import content_digest, contents, document_ranges
from engine.collection.sources.document_entry import ByteRange, DocumentEntry
from engine.errors import CollectionError
from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.presentation.source_documents import SourceDocuments

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
ONE = f"{DECLARATION}<!DOCTYPE grant SYSTEM 'grant.dtd' []>\n<grant><p>Fog bell.</p></grant>\n"
TWO = f"{DECLARATION}<grant><p>Lamp</p></grant>\n<!-- end -->\n"


@pytest.mark.parametrize(
    ("text", "n"),
    [
        (ONE, 1),
        (ONE + TWO, 2),
        (ONE + "\ufeff" + TWO + "\n\n" + ONE, 3),
        (f"{DECLARATION}<a><![CDATA[<b/>\n{DECLARATION}<c/>]]></a>" + TWO, 2),
        (f"{DECLARATION}<!-- <b/>{DECLARATION} --><a/>", 1),
        (f"{DECLARATION}<a>text {DECLARATION}</a>", 1),
        ("<a/>" + TWO, 2),
        ("", 1),
    ],
)
def test_documents_begin_with_declarations(text: str, n: int) -> None:
    assert len(document_ranges(text.encode())) == n


@given(st.lists(st.sampled_from(["<a>", "</a>", DECLARATION, "x", "<![CDATA[", "]]>", "<!--", "-->", "\n"])))
def test_ranges_cover_the_file(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    ranges = document_ranges(data)
    assert b"".join(data[begin:end] for begin, end in ranges) == data


def ids(folder: Path) -> list[str]:
    with open_reader(folder / "index") as index:
        return [index.ids[document] for document in index.live_documents.tolist()]


@pytest.mark.parametrize("name", ["week.xml", "week.xml.gz"])
def test_each_is_named_kept_up_to_date_and_found_in_its_file(tmp_path: Path, name: str) -> None:
    source = tmp_path / "source"
    source.mkdir()

    def write(text: str) -> None:
        raw = text.encode()
        (source / name).write_bytes(gzip.compress(raw, mtime=0) if name.endswith("gz") else raw)

    write(ONE + TWO)
    (source / "other.xml").write_text("<a>b</a>")
    os.utime(source / name, (1, 1))
    assert update_index(tmp_path / "index", [str(source)], BuildSettings()).read == 3
    assert ids(tmp_path) == ["other", "week/1", "week/2"]
    with open_reader(tmp_path / "index") as index, SourceDocuments(index) as sources:
        found = sources.document(2)
        root = int(index.elements.root(index.live_documents)[2])
        assert found.xml(root) == "<grant><p>Lamp</p></grant>"
        assert found.line(root) == 5
        write("<changed/>")
        assert sources.document(1).file == found.file  # read once for both
    write(ONE + TWO)
    os.utime(source / name, (1, 1))

    assert update_index(tmp_path / "index", [], BuildSettings()).read == 0
    write(ONE + TWO + ONE)
    report = update_index(tmp_path / "index", [], BuildSettings())
    assert (report.read, report.dropped, ids(tmp_path)[1:]) == (3, 2, ["week/1", "week/2", "week/3"])
    (source / name).unlink()
    update_index(tmp_path / "index", [], BuildSettings())
    assert ids(tmp_path) == ["other"]


def test_one_that_cannot_be_read_is_skipped_alone(tmp_path: Path) -> None:
    (tmp_path / "week.xml").write_text(ONE + f"{DECLARATION}<a>\n<b></a>\n" + TWO)
    report = update_index(tmp_path / "index", [str(tmp_path / "week.xml")], BuildSettings())
    assert ids(tmp_path) == ["week/1", "week/3"]
    (skipped,) = report.skipped
    assert skipped.line == 6
    assert skipped.reason.startswith("document 2 of it: column ")


def test_a_file_larger_than_the_limit_is_read_document_by_document(tmp_path: Path) -> None:
    (tmp_path / "week.xml").write_text((ONE + TWO) * 20)
    settings = BuildSettings(limits=Limits(max_file_bytes=200))
    assert update_index(tmp_path / "index", [str(tmp_path / "week.xml")], settings).read == 40


@given(st.lists(st.sampled_from(["<a>", "</a>", DECLARATION, "x" * 50, "\n" * 30, "<![CDATA[", "]]>", "<!--", "-->"])))
def test_a_large_file_has_the_documents_that_a_small_one_has(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    ranges = document_ranges(data)
    limit = max(end - begin for begin, end in ranges)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(concatenated, "BLOCK", 64)
        file = Path(folder) / "week.xml"
        file.write_bytes(data)
        # as if it were larger than the limit, even if it has one document alone
        entry = DocumentEntry("week", "week.xml", "", len(data) + 1, 0, ByteRange(str(file), 0, -1))
        with contents(entry, max(limit, 1)) as found:
            assert found.ranges == ranges
            assert b"".join(found.read(begin, end) for begin, end in found.ranges) == data
            assert found.digest == content_digest(data)
        if len(ranges) > 1 and limit > 1:
            with pytest.raises(CollectionError, match="bytes of XML, the limit max_file_bytes"):
                contents(entry, limit - 1).__enter__()


def test_a_large_document_leaves_out_its_file_which_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "week.xml").write_text(ONE + TWO)
    os.truncate(tmp_path / "week.xml", 2**40)
    report = update_index(tmp_path / "index", [str(tmp_path / "week.xml")], BuildSettings(limits=Limits(2**20)))
    assert [each.reason for each in report.skipped] == [
        "document 2 has more than 1,048,576 bytes of XML, the limit max_file_bytes (max_file_bytes=N allows more): "
        "split it."
    ]


def test_declarations_in_a_comment_take_no_longer_the_more_there_are() -> None:
    data = b"<a/><!-- " + b"><?xml version=" * 100_000 + b" -->"
    began = time.process_time()
    assert document_ranges(data) == [(0, len(data))]
    assert time.process_time() - began < 1
