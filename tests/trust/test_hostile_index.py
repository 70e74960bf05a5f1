"""An index from a stranger runs no code, reads nothing outside its folder, and makes nobody write outside it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from engine.collection.ingest_report import IngestReport
from engine.errors import CollectionError, FoxirError, IndexFormatError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing.build import compact_index
from engine.object_store.mirror import verify_index
from tests.engine.index.index_contents import FILES, expected, found, update, write
from tests.engine.small_index import answers_to, index_of, unchecked_answers

CHANGED = {**FILES, "a": "<article>quite another</article>"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two segments, one of them with a deleted document."""
    folder = tmp_path_factory.mktemp("hostile")
    update(folder / "index", write(folder / "source", FILES))
    update(folder / "index", write(folder / "source", CHANGED))
    return folder / "index"


@pytest.fixture
def index(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "index")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of somebody's, beside the index."""
    folder = tmp_path / "thesis"
    (folder / "chapters").mkdir(parents=True)
    (folder / "chapters" / "one").write_text("years of work", "utf-8")
    (folder / "notes").write_text("more of it", "utf-8")
    return folder


def assert_untouched(outside: Path) -> None:
    assert (outside / "chapters" / "one").read_text("utf-8") == "years of work"
    assert (outside / "notes").read_text("utf-8") == "more of it"


def rewrite_manifest(index: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest as somebody would who knows how its checksum is made."""
    content = json.loads((index / "manifest.json").read_bytes())
    del content["checksum"]
    change(content)
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (index / "manifest.json").write_text(json.dumps(content), "utf-8")


def rewrite_description(index: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the description of the first segment, and its digest in the manifest; return the segment's folder."""
    folder = index / "segments" / Manifest.read(index).segments[0].name
    content = json.loads((folder / "segment.json").read_bytes())
    change(content)
    raw = json.dumps(content, sort_keys=True).encode()
    (folder / "segment.json").write_bytes(raw)
    digest = hashlib.sha256(raw).hexdigest()
    rewrite_manifest(index, lambda manifest: manifest["segments"][0].update(digest=digest))
    return folder


def replace_file(index: Path, name: str, data: bytes) -> None:
    """Put other bytes into a file of the first segment, checksums and all."""
    blocks = [data[start : start + 2**16] for start in range(0, len(data), 2**16)]
    entry = {"size": len(data), "crc32": [zlib.crc32(block) for block in blocks]}
    group, file = name.split("/")
    folder = rewrite_description(index, lambda content: content[group].update({file: entry}))
    (folder / name).write_bytes(data)


class Intruder:
    """What a pickle can do to whoever loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.path,)


def test_the_pickles_of_an_index_are_never_loaded(index: Path, tmp_path: Path) -> None:
    loaded = tmp_path / "loaded"
    bomb = pickle.dumps(Intruder(loaded))
    pickle.loads(bomb)
    loaded.unlink()  # the bomb works

    for folder in (index / "segments").iterdir():
        toc = next((folder / "articles").glob("_MAIN_*.toc"))
        description = json.loads((folder / "segment.json").read_bytes())
        assert toc.name in description["articles"]
        toc.write_bytes(bomb.ljust(toc.stat().st_size, b"."))
    contents = found(index)
    assert contents == expected(CHANGED)
    assert len(answers_to(open_reader(index), "sea"))
    with pytest.raises(IndexFormatError, match=r"\.toc: "):
        verify_index(open_reader(index))
    with pytest.raises(FoxirError):
        compact_index(index)
    update(index, write(tmp_path / "source", {"new": "<a/>"}))

    assert not loaded.exists()


def test_columns_that_are_pickled_objects_are_refused(index: Path, tmp_path: Path) -> None:
    file = io.BytesIO()
    np.save(file, np.array([Intruder(tmp_path / "loaded")] * 5, object), allow_pickle=True)
    replace_file(index, "elements/first_row.npy", file.getvalue())

    with pytest.raises(IndexFormatError, match=r"first_row\.npy: not a column of numbers"):
        found(index)
    assert not (tmp_path / "loaded").exists()


@pytest.mark.parametrize("name", ["../../thesis", "/etc", "..", ".", "", "a/b", "0123456789abcdeF", "segment", 7, None])
def test_segments_are_looked_for_inside_only(index: Path, name: object) -> None:
    rewrite_manifest(index, lambda manifest: manifest["segments"][0].update(name=name))

    with pytest.raises(IndexFormatError, match=r"manifest\.json: .*segments"):
        open_reader(index)
    with pytest.raises(IndexFormatError, match=r"manifest\.json: .*segments"):
        update(index)


@pytest.mark.parametrize("name", ["../../../../thesis/notes", "/etc/passwd", "..", "", "a/b", "a\0b"])
def test_files_of_a_segment_are_looked_for_inside_only(index: Path, outside: Path, name: str) -> None:
    size = (outside / "notes").stat().st_size
    rewrite_description(index, lambda content: content["elements"].update({name: {"size": size, "crc32": [0]}}))

    with pytest.raises(IndexFormatError, match=r"segment\.json: .*not a valid name of a file"):
        open_reader(index)
    assert_untouched(outside)


def test_checksums_cannot_be_left_out(index: Path) -> None:
    rewrite_description(index, lambda content: content["elements"]["tag.npy"].update(crc32=[]))

    with pytest.raises(IndexFormatError, match=r"segment\.json: .*'tag\.npy'"):
        open_reader(index)


@pytest.mark.parametrize("inside", ["articles/ids.bin", "elements/tag.npy", "segment.json", "elements", "articles", ""])
def test_links_to_the_outside_are_refused(index: Path, tmp_path: Path, inside: str) -> None:
    segment = index / "segments" / Manifest.read(index).segments[0].name
    path = segment / inside
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")

    with pytest.raises(IndexFormatError, match=r"link") as caught:
        open_reader(index)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("change", [update, compact_index])
def test_a_folder_behind_a_link_is_not_swept(index: Path, outside: Path, change: Callable[[Path], object]) -> None:
    for entry in Manifest.read(index).segments:  # all is there that the manifest names
        shutil.move(index / "segments" / entry.name, outside / entry.name)
    shutil.rmtree(index / "segments")
    (index / "segments").symlink_to(outside)
    with pytest.raises(FoxirError, match=r"segments.*link"):
        change(index)
    assert_untouched(outside)


def test_a_new_index_is_not_made_behind_a_link(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "segments").symlink_to(outside)
    with pytest.raises(CollectionError, match=r"segments.*link"):
        update(tmp_path / "index", write(tmp_path / "source", FILES))

    assert_untouched(outside)


def test_nothing_is_written_through_links(index: Path, outside: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"new": "<a/>"})
    (index / "lock").unlink()
    (index / "lock").symlink_to(outside / "notes")
    with pytest.raises(CollectionError, match=r"lock.*link"):
        update(index, source)
    with pytest.raises(CollectionError, match=r"lock.*link"):
        compact_index(index)
    assert_untouched(outside)

    (index / "lock").unlink()
    for name in ("manifest.json", "ingest.json"):
        (index / f".{name}.{os.getpid()}.json").symlink_to(outside / "notes")
    (index / "segments" / f"new-{os.getpid()}").symlink_to(outside / "chapters")
    compact_index(index)
    for name in ("manifest.json", "ingest.json"):
        (index / f".{name}.{os.getpid()}.json").symlink_to(outside / "notes")
    (index / ".work-x").symlink_to(outside / "chapters")
    (index / "ingest.json").unlink()
    (index / "ingest.json").symlink_to(outside / "notes")
    update(index, source)
    assert_untouched(outside)
    assert not (index / "ingest.json").is_symlink()
    assert found(index) == expected({**CHANGED, "new": "<a/>"})


def test_a_manifest_behind_a_link_is_refused(index: Path, tmp_path: Path) -> None:
    (index / "manifest.json").rename(tmp_path / "manifest.json")
    (index / "manifest.json").symlink_to(tmp_path / "manifest.json")

    with pytest.raises(IndexFormatError, match=r"manifest\.json: .*link"):
        open_reader(index)


@pytest.mark.parametrize("name", ["manifest.json", "ingest.json", "lock", "segment.json", "elements/tag.npy"])
def test_pipes_make_nobody_wait(index: Path, name: str) -> None:
    path = index / name if (index / name).exists() else next((index / "segments").iterdir()) / name
    path.unlink()
    os.mkfifo(path)
    if name not in ("ingest.json", "lock"):
        with pytest.raises(IndexFormatError, match=path.name):
            open_reader(index)
    else:
        assert found(index) == expected(CHANGED)
        assert IngestReport.load(index).documents in {0, len(CHANGED)}
    if name != "lock":
        return
    with pytest.raises(CollectionError, match="lock"):
        update(index)


def test_profiles_are_not_looked_for_in_files(index: Path, outside: Path) -> None:
    (outside / "x.toml").write_text('titles = ["secret"]', "utf-8")
    for name in (str(outside / "x.toml"), "x.toml", "nobody's"):
        rewrite_description(index, lambda content, name=name: content["lists"].update(profiles=[name]))
        with pytest.raises(IndexFormatError, match=r"unknown profile"):
            open_reader(index)


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda manifest: manifest.pop("segments"),
    lambda manifest: manifest.update(segments=7),
    lambda manifest: manifest.update(segments=[7]),
    lambda manifest: manifest.update(segments=[{}]),
    lambda manifest: manifest["segments"].append(manifest["segments"][0]),
    lambda manifest: manifest["segments"][0].update(deleted=[10**6]),
    lambda manifest: manifest["segments"][0].update(deleted=[-1]),
    lambda manifest: manifest["segments"][0].update(deleted=[0.5]),
    lambda manifest: manifest["segments"][0].update(deleted="0"),
    lambda manifest: manifest["segments"][0].update(digest="0"),
    lambda manifest: manifest.update(statistics=None),
    lambda manifest: manifest["statistics"].update(documents="many"),
    lambda manifest: manifest["statistics"].update(mean_weight=None),
    lambda manifest: manifest["statistics"].update(nobody=1),
    lambda manifest: manifest.update(analyser=None),
    lambda manifest: manifest.update(analyser={}),
    lambda manifest: manifest["analyser"].update(name="klingon"),
    lambda manifest: manifest["analyser"].update(nobody=1),
    lambda manifest: manifest["analyser"].update(stop_words=7),
    lambda manifest: manifest.update(profile=None),
    lambda manifest: manifest.update(profile={}),
    lambda manifest: manifest["profile"].pop("digest"),
    lambda manifest: manifest["profile"].update(nobody=1),
    lambda manifest: manifest.update(generation="last"),
    lambda manifest: manifest.update(sources=7),
    lambda manifest: manifest.update(sources=[7]),
    lambda manifest: manifest.update(nobody=1),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_manifest_that_says_what_none_can_is_refused(index: Path, number: int) -> None:
    rewrite_manifest(index, CHANGES[number])

    with pytest.raises(IndexFormatError, match=str(index)):
        open_reader(index)
    with pytest.raises(IndexFormatError, match=str(index)):
        update(index)


DESCRIPTIONS: list[Callable[[dict[str, Any]], object]] = [
    lambda content: content.pop("lists"),
    lambda content: content.update(lists=[]),
    lambda content: content["lists"].update(tags=7),
    lambda content: content["lists"].update(tags=[7]),
    lambda content: content.update(n_documents="1"),
    lambda content: content.update(n_documents=-1),
    lambda content: content.pop("elements"),
    lambda content: content.update(elements=[]),
    lambda content: content["elements"].update({"tag.npy": 7}),
    lambda content: content["elements"]["tag.npy"].update(size=-1),
    lambda content: content["elements"]["tag.npy"].update(crc32=["0"]),
    lambda content: content["elements"].pop("tag.npy"),
]


@pytest.mark.parametrize("number", range(len(DESCRIPTIONS)))
def test_a_description_that_says_what_none_can_is_refused(index: Path, number: int) -> None:
    rewrite_description(index, DESCRIPTIONS[number])

    with pytest.raises(IndexFormatError, match=str(index)):
        found(index)


@pytest.mark.parametrize("dtype", ["O", "S4", "U2", "V8", "m8[s]", "c16", [("a", "<i4")]])
def test_columns_of_other_things_than_numbers_are_refused(index: Path, dtype: Any) -> None:
    file = io.BytesIO()
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": (4,)}
    np.lib.format.write_array_header_1_0(file, header)
    replace_file(index, "elements/tag.npy", file.getvalue() + bytes(4 * np.dtype(dtype).itemsize))

    with pytest.raises(IndexFormatError, match=r"tag\.npy: not a column of numbers"):
        found(index)


def test_a_text_that_unpacks_without_end_is_refused(index: Path) -> None:
    segment = index / "segments" / Manifest.read(index).segments[0].name
    offsets = np.load(segment / "elements" / "text_frames.npy").astype(np.int64)
    frame = zstandard.compress(bytes(2**20))
    claimed = frame[:4] + bytes([0xE0]) + (2**50).to_bytes(8, "little") + frame[9:]  # "1 PiB of content follows"
    frames = (segment / "elements" / "text_frames.bin").read_bytes()
    changed = claimed + frames[offsets[1] :]
    offsets[1:] += len(changed) - len(frames)
    file = io.BytesIO()
    np.save(file, offsets)
    replace_file(index, "elements/text_frames.npy", file.getvalue())
    replace_file(index, "elements/text_frames.bin", changed)

    with pytest.raises(IndexFormatError, match="text"):
        open_reader(index).text(0)


@pytest.mark.parametrize("dtype", ["<u8", "<i2", "|i1", "<f8"])
def test_distances_to_parents_never_lead_on(index: Path, dtype: str) -> None:
    """Two rows that are each the other's parent would be climbed from without end, and memory would grow."""
    segment = index / "segments" / Manifest.read(index).segments[0].name
    distances = np.load(segment / "elements" / "parent.npy")
    lying = np.tile(distances, 50 if dtype == "<u8" else 1).astype(dtype)
    lying[-2:] = np.array([-1, 1]).astype(dtype)
    file = io.BytesIO()
    np.save(file, lying)
    replace_file(index, "elements/parent.npy", file.getvalue())

    with pytest.raises(IndexFormatError, match=r"parent\.npy"):
        answers_to(open_reader(index), "sea")


def test_an_element_without_a_parent_is_not_climbed_from_for_ever(tmp_path: Path) -> None:
    document = "<article><body><sec><title>Sea</title><p>sea</p><p>tide</p></sec></body></article>"
    index_of(tmp_path, {"d": document}, profile="jats")
    index = tmp_path / "index"
    segment = index / "segments" / Manifest.read(index).segments[0].name
    file = io.BytesIO()
    np.save(file, np.zeros_like(np.load(segment / "elements" / "parent.npy")))
    replace_file(index, "elements/parent.npy", file.getvalue())
    lying = open_reader(index)

    with pytest.raises(IndexFormatError, match=r"^parent\.npy: an element inside a document has no parent"):
        unchecked_answers(lying, "sea tide", rank_by="structure", answers="nCRE")
    answer = unchecked_answers(lying, "tide", rank_by="structure", answers="matching")[0]
    with pytest.raises(IndexFormatError, match=r"^parent\.npy: an element inside a document has no parent"):
        _ = answer.breadcrumb
