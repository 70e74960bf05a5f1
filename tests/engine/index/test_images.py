"""Images in an index: which are found, and that nothing depends on segments, updates or memory."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest

from engine.collection.limits import Limits
from engine.collection.sources.image_files import ImageFile
from engine.errors import IndexFormatError
from engine.images import reader as image_reader
from engine.images.similarity import group_scores, mean_of_groups, weighted_groups
from engine.index.images import image_store
from engine.index.manifest import Manifest
from engine.index.reader import IndexReader, open_reader
from engine.indexing import change_detection, document_images
from engine.indexing.build import BuildSettings, compact_index, update_index
from engine.notices import Notice
from engine.object_store.mirror import verify_index
from tests.engine.index.image_files import article, drawn, in_process, write_files
from tests.engine.small_index import build_index
from tests.reference import image_scores as reference

__all__ = ["in_process"]


@pytest.fixture(autouse=True)
def _quick_builds(unsynced: None, in_process: None) -> None:
    """Images are read in this process, and nothing is made durable."""


def images_of(index: Path) -> dict[tuple[str, str], list[int]]:
    """Return the rows, counted from the root, that refer to each image of each document."""
    opened = open_reader(index)
    images = opened.images
    rows, numbers = images.references
    found: dict[tuple[str, str], list[int]] = {}
    for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
        document = int(images.documents[number])
        root = int(opened.elements.root(np.array([document]))[0])
        found.setdefault((opened.ids[document], images.key(number)), []).append(row - root)
    return found


def scores(opened: IndexReader, example: bytes) -> dict[tuple[str, str], float]:
    """Return the score of each image of each document for an example."""
    images = opened.images
    groups = weighted_groups(document_images.ImageReader().features(example), images)
    found = mean_of_groups(group_scores(groups, images), groups)
    return {
        (opened.ids[int(images.documents[number])], images.key(number)): float(found[number])
        for number in np.flatnonzero(images.counts).tolist()
    }


def segments(index: Path) -> list[str]:
    """Return the names of the live segments, which say what is in them."""
    return [entry.name for entry in Manifest.read(index).segments]


def image_files(index: Path) -> dict[str, bytes]:
    """Return the files of images in the live segments."""
    found = (path for name in segments(index) for path in (index / "segments" / name).rglob("*image*"))
    return {path.name: path.read_bytes() for path in found}


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("a.png", "deep/a.png"),
        ("./a.png", "deep/a.png"),
        ("../b.png", "b.png"),
        ("/b.png", "b.png"),
        ("below/c d.png", "deep/below/c d.png"),
        ("below/c%20d.png", "deep/below/c d.png"),
        ("a", "deep/a.png"),
        ("a.png#xywh=1,2", "deep/a.png"),
        ("../../outside.png", None),
        ("link.png", None),
        ("inside.png", "deep/inside.png"),
        ("http://example.org/a.png", None),
        ("//example.org/a.png", None),
        ("file:a.png", None),
        ("none.png", None),
        ("below", None),
        ("", None),
        ("..", None),
    ],
)
@pytest.mark.long
def test_references_are_relative_to_the_file_and_stay_inside_the_source(tmp_path, reference, key):
    picture = drawn(0)
    names = ("deep/a.png", "b.png", "deep/below/c d.png")
    source = write_files(tmp_path / "source", dict.fromkeys(names, picture))
    write_files(tmp_path, {"outside.png": picture})
    (source / "deep/link.png").symlink_to(tmp_path / "outside.png")
    (source / "deep/inside.png").symlink_to("a.png")
    write_files(source, {"deep/d.xml": article(reference)})

    build_index(source, into=tmp_path / "index")

    assert images_of(tmp_path / "index") == ({("deep/d", key): [3]} if key else {})


@pytest.mark.parametrize("which", ["list", "pattern"])
def test_documents_of_lists_and_patterns_refer_to_images_of_their_own_folder(tmp_path, which):
    picture = drawn(0)
    files = ("one/own.png", "one/below/b.png", "secret/s.png", "whole/deep/w.png", "whole/x.png")
    write_files(tmp_path, dict.fromkeys(files, picture))
    references = {"one/d.xml": ("own.png", "below/b.png", "../secret/s.png"), "two/e.xml": ("../one/own.png",)}
    write_files(tmp_path, {name: article(*found) for name, found in references.items()})
    write_files(tmp_path, {"whole/deep/f.xml": article("../x.png", "../../secret/s.png")})
    (tmp_path / "list").write_text("one/d.xml\ntwo/e.xml\nwhole\n")
    source = f"@{tmp_path}/list" if which == "list" else f"{tmp_path}/*"

    build_index(source, into=tmp_path / "index")

    found = {os.path.basename(key) for _, key in images_of(tmp_path / "index")}
    assert found == {"own.png", "b.png", "x.png"}


@pytest.mark.long
def test_profiles_say_which_elements_refer_to_images(tmp_path):
    source = write_files(
        tmp_path / "source",
        {"d.xml": '<a><graphic href="x.png"/><plate src="x.png"/><note href="x.png"/></a>', "x.png": drawn(1)},
    )
    (tmp_path / "plates.toml").write_text('images = ["plate/@src"]\n')

    build_index(source, into=tmp_path / "index")
    build_index(source, into=tmp_path / "plates", profile=str(tmp_path / "plates.toml"))

    assert images_of(tmp_path / "index") == {("d", "x.png"): [1]}
    assert images_of(tmp_path / "plates") == {("d", "x.png"): [2]}


@pytest.mark.long
def test_an_image_has_all_elements_that_refer_to_it(tmp_path):
    source = write_files(tmp_path / "source", {"d.xml": article("x.png", "y.png", "x.png"), "x.png": drawn(1)})
    write_files(source, {"y.png": drawn(2), "e.xml": article("x.png")})

    report = build_index(source, into=tmp_path / "index")

    expected = {("d", "x.png"): [3, 9], ("d", "y.png"): [6], ("e", "x.png"): [3]}
    assert images_of(tmp_path / "index") == expected
    assert dict(report.images) == {"read": 2}


@pytest.mark.long
def test_scores_equal_the_slow_reference(tmp_path):
    pictures = {f"{n}.png": drawn(n) for n in range(5)}
    source = write_files(tmp_path / "source", {**pictures, "d.xml": article(*pictures)})
    build_index(source, into=tmp_path / "index")
    opened = open_reader(tmp_path / "index")
    reader = document_images.ImageReader()
    collection = {name: reader.features(data) for name, data in pictures.items()}

    for example in (drawn(2), drawn(77)):
        wanted = reader.features(example)
        expected = {
            ("d", name): reference.score(wanted, features, list(collection.values()))
            for name, features in collection.items()
        }
        assert scores(opened, example) == pytest.approx(expected, rel=1e-12)
    assert scores(opened, drawn(2))["d", "2.png"] == 1.0


def test_the_only_image_is_scored_by_its_histograms(tmp_path):
    # Each of its features is in all images, so no block has a weight.
    source = write_files(tmp_path / "source", {"x.png": drawn(1), "d.xml": article("x.png")})
    build_index(source, into=tmp_path / "index")

    assert scores(open_reader(tmp_path / "index"), drawn(1)) == {("d", "x.png"): 1.0}
    assert 0 < scores(open_reader(tmp_path / "index"), drawn(2))["d", "x.png"] < 1


@pytest.mark.long
def test_scores_do_not_depend_on_segments_updates_or_deletions(tmp_path, monkeypatch):
    monkeypatch.setattr(image_store, "FEATURES_AT_A_TIME", 7)
    source, index, fresh = tmp_path / "source", tmp_path / "index", tmp_path / "fresh"
    write_files(source, {f"{n}.png": drawn(n) for n in range(8)})
    for number in range(4):  # one segment each
        write_files(source, {f"d{number}.xml": article(f"{2 * number}.png", f"{2 * number + 1}.png", "0.png")})
        build_index(source, into=index)
    (source / "d1.xml").unlink()
    write_files(
        source, {"6.png": drawn(66), "d2.xml": article("4.png", words="tower"), "d9.xml": article(words="no image")}
    )
    build_index(source, into=index)
    build_index(source, into=fresh)

    assert len(segments(index)) == 2
    assert images_of(index) == images_of(fresh)
    assert scores(open_reader(index), drawn(3)) == scores(open_reader(fresh), drawn(3))
    compact_index(index)
    assert scores(open_reader(index), drawn(3)) == scores(open_reader(fresh), drawn(3))
    assert image_files(index) == image_files(fresh)
    verify_index(open_reader(index))


@pytest.mark.long
def test_scores_do_not_depend_on_shards(tmp_path):
    source = write_files(tmp_path / "source", {f"{n}.png": drawn(n) for n in range(6)})
    write_files(source, {f"d{n}.xml": article(f"{n}.png", "0.png") for n in range(6)})
    build_index(source, into=tmp_path / "one")
    report = update_index(tmp_path / "shards", [str(source)], BuildSettings(), n_shards=3)

    assert images_of(tmp_path / "shards") == images_of(tmp_path / "one")
    assert scores(open_reader(tmp_path / "shards"), drawn(3)) == scores(open_reader(tmp_path / "one"), drawn(3))
    assert report.images["read"] >= 6


@pytest.mark.long
def test_references_are_counted_in_shards_without_an_image_too(tmp_path):
    without = article("http://x.org/y.png", "none.png")
    source = write_files(tmp_path / "source", {f"d{n}.xml": without for n in range(9)})
    write_files(source, {"d0.xml": article("0.png"), "0.png": drawn(0)})
    one = build_index(source, into=tmp_path / "one")
    of_shards = update_index(tmp_path / "shards", [str(source)], BuildSettings(), n_shards=4)

    assert of_shards.images == one.images == {"elsewhere": 8, "missing": 8, "read": 1}


@pytest.mark.long
def test_what_is_written_does_not_depend_on_memory_or_batches(tmp_path, monkeypatch):
    source = write_files(tmp_path / "source", {f"{n}.png": drawn(n) for n in range(4)})
    write_files(source, {f"d{n}.xml": article(f"{n}.png", "0.png") for n in range(4)})
    build_index(source, into=tmp_path / "index")
    monkeypatch.setattr("engine.indexing.workers.document_reading.BATCH_BYTES", 1)
    monkeypatch.setattr("engine.index.images.image_columns.IMAGES_AT_A_TIME", 3)
    update_index(tmp_path / "other", [str(source)], BuildSettings(memory=2**20))

    assert image_files(tmp_path / "index") == image_files(tmp_path / "other")


def test_an_index_without_images_has_no_file_of_images(tmp_path):
    source = write_files(tmp_path / "source", {"d.xml": article("missing.png", "http://x.org/y.png")})

    report = build_index(source, into=tmp_path / "index")

    assert dict(report.images) == {}
    assert not image_files(tmp_path / "index")
    assert open_reader(tmp_path / "index").images.n_images == 0


@pytest.mark.long
def test_documents_whose_images_leave_leave_no_trace(tmp_path):
    # With a profile: roles that are inferred from documents remain when these leave.
    source = write_files(tmp_path / "source", {"d.xml": article("x.png"), "e.xml": article(), "x.png": drawn(1)})
    build_index(source, into=tmp_path / "index", profile="jats")
    (source / "d.xml").unlink()
    build_index(source, into=tmp_path / "index", profile="jats")
    assert images_of(tmp_path / "index") == {}

    compact_index(tmp_path / "index")
    build_index(source, into=tmp_path / "fresh", profile="jats")

    assert segments(tmp_path / "index") == segments(tmp_path / "fresh")


@pytest.mark.long
def test_a_changed_image_is_read_again(tmp_path):
    source = write_files(tmp_path / "source", {"d.xml": article("x.png"), "x.png": drawn(1), "e.xml": article()})
    build_index(source, into=tmp_path / "index")
    assert build_index(source, into=tmp_path / "index").read == 0
    write_files(source, {"x.png": drawn(2)})

    report = build_index(source, into=tmp_path / "index")

    assert (report.read, report.dropped) == (1, 1)
    assert scores(open_reader(tmp_path / "index"), drawn(2)) == {("d", "x.png"): 1.0}
    (source / "x.png").unlink()
    assert build_index(source, into=tmp_path / "index").read == 1
    assert images_of(tmp_path / "index") == {}


@pytest.mark.parametrize("n_shards", [None, 2])
def test_an_image_is_decoded_once_and_read_while_it_may_have_changed(tmp_path, monkeypatch, n_shards):
    decoded, read = [], []
    decode, read_file = document_images.ImageReader.features, ImageFile.read
    monkeypatch.setattr(
        document_images.ImageReader, "features", lambda self, data: decoded.append(data) or decode(self, data)
    )
    monkeypatch.setattr(ImageFile, "read", lambda self, limit: read.append(self.key) or read_file(self, limit))
    monkeypatch.setattr(change_detection, "FRESH", -(10**9))  # as if files were old
    pictures = {f"{n}.png": drawn(n) for n in range(4)}
    source = write_files(tmp_path / "source", {**pictures, "d.xml": article("0.png", "1.png")})
    write_files(source, {"e.xml": article("2.png"), "bad.png": b"no", "f.xml": article("bad.png")})

    def built() -> tuple[list[bytes], list[str]]:
        decoded.clear()
        read.clear()
        update_index(tmp_path / "index", [str(source)], BuildSettings(jobs=3), n_shards=n_shards)
        return sorted(decoded), sorted(read)

    first = [pictures[f"{n}.png"] for n in range(3)]
    assert built() == (sorted([*first, b"no"]), ["0.png", "1.png", "2.png", "bad.png"])
    assert built() == ([], [])
    write_files(source, {"d.xml": article("0.png", "1.png", words="tower"), "g.xml": article("2.png")})
    assert built() == ([], ["0.png", "1.png", "2.png"])  # of a changed document, and of a new one
    write_files(source, {"1.png": drawn(9)})
    assert built() == ([drawn(9)], ["0.png", "0.png", "1.png", "1.png"])  # is it another one? It is
    compact_index(tmp_path / "index")
    assert built() == ([], [])
    os.utime(source / "2.png", (1, 1))
    assert built() == ([], ["2.png", "2.png"])  # it is the same


@pytest.mark.long
def test_refused_images_are_reported_and_read_once_they_are_repaired(tmp_path):
    source = write_files(tmp_path / "source", {"d.xml": article("x.png", "y.png"), "x.png": b"no", "y.png": drawn(1)})

    report = build_index(source, into=tmp_path / "index")

    assert [skipped.file for skipped in report.skipped] == [f"x.png (an image of {source}/d.xml)"]
    assert report.skipped[0].reason.startswith("the image is left out: no image of a format that is read")
    assert dict(report.images) == {"read": 1, "refused": 1}
    assert open_reader(tmp_path / "index").images.n_images == 1
    assert build_index(source, into=tmp_path / "index").read == 0
    write_files(source, {"x.png": drawn(2)})
    assert dict(build_index(source, into=tmp_path / "index").images) == {"read": 2}
    assert images_of(tmp_path / "index") == {("d", "x.png"): [3], ("d", "y.png"): [6]}


def test_what_is_there_but_is_no_file_of_the_source_is_reported_with_the_reason(tmp_path):
    names = ("fifo.png", "folder.png", "out.png", "nowhere.png", "a.png")
    references = (*names, "fifo.png", "none.png", "http://example.org/x.png", "../x.png")
    source = write_files(tmp_path / "source", {"d.xml": article(*references), "a.png": drawn(1)})
    write_files(tmp_path, {"x.png": drawn(2)})
    os.mkfifo(source / "fifo.png")
    (source / "folder.png").mkdir()
    (source / "out.png").symlink_to(tmp_path / "x.png")
    (source / "nowhere.png").symlink_to("none.png")

    report = build_index(source, into=tmp_path / "index")

    reasons = {skipped.file.split(" ")[0]: skipped.reason for skipped in report.skipped if "image" in skipped.reason}
    assert reasons == {
        "fifo.png": "the image is left out: it is a FIFO",
        "folder.png": "the image is left out: it is a folder",
        "out.png": "the image is left out: it is a link that leads out of the source",
        "nowhere.png": "the image is left out: it is a link that leads nowhere",
    }
    assert dict(report.images) == {"read": 1, "refused": 4, "missing": 1, "elsewhere": 2}


def packed(kind: str, files: dict[str, str | bytes], archive: Path) -> Path:
    """Write files into an archive, and return its path."""
    folder = write_files(archive.parent.parent / f"unpacked-{len(list(archive.parent.parent.iterdir()))}", files)
    made = shutil.make_archive(str(archive), {"tar.gz": "gztar"}.get(kind, kind), folder)
    return Path(made)


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
@pytest.mark.long
def test_documents_in_an_archive_have_the_images_of_the_archive(tmp_path, kind):
    references = ("x.png", "../images/y%20z.png", "/images/v", "../../out.png", "none.png")
    files = {"texts/x.png": drawn(1), "images/y z.png": drawn(2), "images/v.png": drawn(3)}
    (tmp_path / "source").mkdir()
    write_files(tmp_path, {"out.png": drawn(4)})
    archive = packed(kind, {"texts/d.xml": article(*references), **files}, tmp_path / "source/lib")
    index, name = tmp_path / "index", f"lib.{kind}"

    report = build_index(archive, into=index)

    images = {f"{name}!texts/x.png": [3], f"{name}!images/y z.png": [6], f"{name}!images/v.png": [9]}
    assert {key: rows for (_, key), rows in images_of(index).items()} == images
    assert dict(report.images) == {"read": 3, "missing": 1, "elsewhere": 1}
    assert [key for (_, key), score in scores(open_reader(index), drawn(2)).items() if score == 1] == [
        f"{name}!images/y z.png"
    ]
    opened = open_reader(index).images
    assert [opened.key(number) for number in opened.named("texts/x.png").tolist()] == [f"{name}!texts/x.png"]
    assert build_index(archive, into=index).read == 0
    packed(kind, {"texts/d.xml": article(*references), **files, "texts/x.png": drawn(5)}, tmp_path / "source/lib")
    assert build_index(archive, into=index).read == 1
    assert scores(open_reader(index), drawn(5))["texts/d", f"{name}!texts/x.png"] == 1
    build_index(f"{tmp_path}/source/*", into=tmp_path / "of-pattern")
    assert {key for _, key in images_of(tmp_path / "of-pattern")} == set(images)


def test_members_that_are_no_files_are_no_images(tmp_path):
    with tarfile.open(tmp_path / "lib.tar", "w") as tar:
        for name, content in {"d.xml": article("fifo.png", "link.png", "a.png").encode(), "a.png": drawn(1)}.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            tar.addfile(header, io.BytesIO(content))
        for name, type_ in {"fifo.png": tarfile.FIFOTYPE, "link.png": tarfile.SYMTYPE}.items():
            header = tarfile.TarInfo(name)
            header.type, header.linkname = type_, "a.png"
            tar.addfile(header)

    report = build_index(tmp_path / "lib.tar", into=tmp_path / "index")

    reasons = {skipped.file.partition(" (")[0]: skipped.reason for skipped in report.skipped if "image" in skipped.file}
    assert reasons == {
        "lib.tar!fifo.png": "the image is left out: it is a FIFO in an archive",
        "lib.tar!link.png": "the image is left out: it is a link in an archive",
    }
    assert {key for _, key in images_of(tmp_path / "index")} == {"lib.tar!a.png"}


def test_images_in_archives_have_limits(tmp_path):
    files = {"d.xml": article("a.png", "b.png"), "a.png": drawn(1), "b.png": bytes(5000)}
    archive = packed("zip", files, tmp_path / "of/lib")

    report = update_index(tmp_path / "index", [str(archive)], BuildSettings(limits=Limits(max_image_bytes=4000)))

    assert dict(report.images) == {"read": 1, "refused": 1}
    assert "5,000 bytes (limit max_image_bytes=N)" in next(each.reason for each in report.skipped)


def test_without_pillow_texts_are_indexed_and_a_notice_says_what_is_missing(tmp_path, monkeypatch):
    source = write_files(tmp_path / "source", {"d.xml": article("x.png"), "x.png": drawn(1)})
    monkeypatch.setattr(document_images, "can_read_images", lambda: False)

    report = build_index(source, into=tmp_path / "index")

    assert report.documents == 1
    assert report.skipped == []
    assert report.notices == [Notice("unread_images", {"references": 1, "install": image_reader.EXTRA})]
    assert not image_files(tmp_path / "index")


@pytest.mark.long
def test_damaged_files_of_images_are_found(tmp_path):
    source = write_files(tmp_path / "source", {"d.xml": article("x.png"), "x.png": drawn(1)})
    build_index(source, into=tmp_path / "index")
    files = sorted((tmp_path / "index").rglob("*image*.npy"))
    assert len(files) == 12

    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(IndexFormatError, match="does not match its checksum"):
            verify_index(open_reader(tmp_path / "index"))
        file.write_bytes(whole)
    verify_index(open_reader(tmp_path / "index"))
