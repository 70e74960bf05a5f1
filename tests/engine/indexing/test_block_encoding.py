"""Vectors in the index: of which texts they are, and that a build makes only those that are missing."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns.ascending_column import AscendingColumn
from engine.errors import CollectionError, SettingsError
from engine.index.block_vectors import VECTOR, WORD, EncoderRecord, quantised
from engine.index.reader import IndexReader, open_reader
from engine.indexing.block_encoding import KEPT, LEAST, MOST, blocks
from engine.indexing.build import compact_index
from engine.notices import Notice
from engine.semantic.encoders import Encoder, loaded_encoder
from tests.engine.semantic import toy_encoder
from tests.engine.small_index import answers_to, build_index, index_of, write

MODULE = "tests.engine.semantic.toy_encoder"
REMEMBERS, CHANGING = f"{MODULE}:remembers", f"{MODULE}:changing"
DOCUMENTS = {
    "a": "<art><p>sea fog</p><p>lamp <note>oil</note> lit</p></art>",
    "b": "<art><p>a bell rings</p></art>",
    "c": "<art><p>gulls</p></art>",
}


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Encoders are loaded anew, and none has taken a text."""
    loaded_encoder.cache_clear()
    toy_encoder.taken()
    yield
    loaded_encoder.cache_clear()


def taken() -> set[str]:
    """The texts of documents that were encoded since the last call."""
    return {text for text in toy_encoder.taken() if not text.startswith("The ship")}


def rebuilt(folder: Path, *, vectors: str | None = None) -> IndexReader:
    build_index(folder / "source", into=folder / "index", profile="none", vectors=vectors)
    return open_reader(folder / "index")


def vectors_of(index: IndexReader) -> dict[str, list[list[int]]]:
    """The vectors of each live document."""
    found = {}
    for number in index.live_documents.tolist():
        place, local = index.locate(number)
        segment = index.segments[place]
        words = AscendingColumn(segment.elements, WORD).all()
        first, end = np.searchsorted(words, segment.words.take(segment.first_row[local : local + 2])).tolist()
        found[index.ids[number]] = segment.elements.column(VECTOR).slice(first, end).tolist()
    return found


@given(st.lists(st.integers(1, 3 * MOST), min_size=1, max_size=30))
def test_blocks_are_neighbouring_texts_of_about_100_to_200_words(counts):
    words = np.cumsum([0, *counts])
    found = list(blocks(words[:-1], np.array(counts), lambda number, part, parts: f"{number}:{part}/{parts}"))
    starts = [start for start, _ in found]
    sizes = np.diff([*starts, words[-1]])
    assert starts[0] == 0
    assert (sizes > 0).all()
    assert (sizes <= MOST).all()
    assert all(one >= LEAST or one + other > LEAST for one, other in pairwise(sizes.tolist()))
    pieces = " ".join(text for _, text in found).split()
    assert pieces == [
        f"{n}:{k}/{-(-count // MOST)}" for n, count in enumerate(counts) for k in range(-(-count // MOST))
    ]


def test_a_vector_is_that_of_the_text_of_its_block(tmp_path):
    with index_of(tmp_path, DOCUMENTS, vectors=REMEMBERS) as index:
        assert taken() == {"sea fog lamp oil lit", "a bell rings", "gulls"}
        (expected,) = quantised(Encoder("toy", toy_encoder.encode).unit_vectors(["a bell rings"], lambda: None))
        assert vectors_of(index)["b"] == [expected.tolist()]
        assert index.vectors.record.name == REMEMBERS


def test_a_long_text_is_cut_between_words_and_skipped_text_is_left_out(tmp_path):
    profile = tmp_path / "profile.toml"
    profile.write_text('skip = ["del"]\n', "utf-8")
    text = " ".join(f"word{number}" for number in range(3 * MOST))
    index_of(tmp_path, {"a": f"<art><p>{text} <del>gone</del></p></art>"}, profile=str(profile), vectors=REMEMBERS)
    parts = sorted(taken(), key=lambda part: int(part.split()[0].removeprefix("word")))
    assert len(parts) == 3
    assert " ".join(parts) == text


def test_an_update_encodes_what_is_new_and_compaction_nothing(tmp_path):
    index_of(tmp_path, DOCUMENTS, vectors=REMEMBERS).close()
    taken()
    write(tmp_path / "source", {"b": "<art><p>a whistle</p></art>", "d": "<art><p>buoys</p></art>"})
    rebuilt(tmp_path, vectors=REMEMBERS).close()
    assert taken() == {"a whistle", "buoys"}
    compact_index(tmp_path / "index")
    assert toy_encoder.taken() == []
    texts = {path.stem: path.read_text("utf-8") for path in (tmp_path / "source").iterdir()}
    with open_reader(tmp_path / "index") as compact, index_of(tmp_path / "new", texts, vectors=REMEMBERS) as at_once:
        assert len(compact.segments) == 1
        assert vectors_of(compact) == vectors_of(at_once)


def test_vectors_can_be_added_changed_and_removed_later(tmp_path):
    with index_of(tmp_path, DOCUMENTS) as plain:
        names = [each.name for each in plain.segments]
        assert plain.vectors.record is None
    with rebuilt(tmp_path, vectors=REMEMBERS) as index:
        assert len(vectors_of(index)) == 3
    with rebuilt(tmp_path, vectors=f"{MODULE}:encode") as index:
        assert index.vectors.record.name == f"{MODULE}:encode"
    with rebuilt(tmp_path, vectors="none") as index:
        assert [each.name for each in index.segments] == names


def test_how_many_texts_were_encoded_is_told(tmp_path):
    index_of(tmp_path, DOCUMENTS).close()
    build = {"into": tmp_path / "index", "profile": "none", "vectors": REMEMBERS}
    told = [build_index(tmp_path / "source", **build).notices for _ in range(2)]
    assert told == [[Notice("texts_encoded", {"texts": 3, "encoder": REMEMBERS})], []]


@pytest.mark.parametrize("wrong", ["raises", "not_a_number", "other_dimensions"])
def test_an_encoder_that_fails_leaves_the_index_as_it_was_and_what_was_encoded_is_not_encoded_again(
    tmp_path, monkeypatch, wrong
):
    index_of(tmp_path, DOCUMENTS).close()
    before = (tmp_path / "index" / "manifest.json").read_bytes()
    monkeypatch.setattr("engine.indexing.block_encoding.AT_ONCE", 1)
    calls = []

    def fails_later(texts: list[str]) -> object:
        calls.append(texts)
        return getattr(toy_encoder, wrong)(texts) if len(calls) > 4 else toy_encoder.encode(texts)

    monkeypatch.setattr(toy_encoder, "NOW", fails_later)
    with pytest.raises(SettingsError, match=CHANGING):
        rebuilt(tmp_path, vectors=CHANGING)
    assert (tmp_path / "index" / "manifest.json").read_bytes() == before
    assert [*(tmp_path / "index").glob(KEPT.format("*"))]
    monkeypatch.setattr(toy_encoder, "NOW", toy_encoder.remembers)
    loaded_encoder.cache_clear()
    with rebuilt(tmp_path, vectors=CHANGING) as index:
        assert len(taken()) == 1
        assert len(vectors_of(index)) == 3
    assert not [*(tmp_path / "index").glob(KEPT.format("*"))]


def test_an_update_by_an_encoder_that_has_changed_is_refused(tmp_path, monkeypatch):
    index_of(tmp_path, DOCUMENTS, vectors=CHANGING).close()
    loaded_encoder.cache_clear()
    monkeypatch.setattr(toy_encoder, "NOW", lambda texts: toy_encoder.encode(texts)[:, ::-1])
    monkeypatch.setattr("engine.indexing.block_encoding.is_of_user", lambda _: False)  # as one of foxir, new in it
    write(tmp_path / "source", {"d": "<art><p>buoys</p></art>"})
    with pytest.raises(SettingsError) as refused:
        rebuilt(tmp_path)
    assert refused.value.notice.code == "encoder_changed"
    with rebuilt(tmp_path, vectors=CHANGING) as index:
        assert len(vectors_of(index)) == 4


def test_an_index_alone_cannot_choose_a_function_that_runs(tmp_path, monkeypatch):
    index_of(tmp_path, DOCUMENTS, vectors=REMEMBERS).close()
    monkeypatch.setattr("engine.indexing.block_encoding.encoder", lambda name: pytest.fail(f"{name} was loaded"))
    (tmp_path / "source" / "a.xml").unlink()
    compact_index(tmp_path / "index")
    with rebuilt(tmp_path) as index:  # nothing is encoded
        assert len(vectors_of(index)) == 2
    write(tmp_path / "source", {"d": "<art><p>buoys</p></art>"})
    with pytest.raises(SettingsError) as refused:
        rebuilt(tmp_path)
    assert refused.value.notice.code == "encoder_not_named"
    with rebuilt(tmp_path, vectors="none") as index:
        assert index.vectors.record is None


def link_to_another(kept: Path, another: Path) -> None:
    kept.symlink_to(another)


def another_name(kept: Path, another: Path) -> None:
    kept.hardlink_to(another)


def no_vectors(kept: Path, another: Path) -> None:
    with closing(sqlite3.connect(kept)) as database, database:
        database.execute("CREATE TABLE vectors (text BLOB PRIMARY KEY, vector BLOB)")
        record = EncoderRecord.of(Encoder(REMEMBERS, toy_encoder.encode)).to_bytes()
        for text, vector in (("a bell rings", "text"), ("gulls", b"short")):
            key = hashlib.blake2b(record + text.encode(), digest_size=16).digest()
            database.execute("INSERT INTO vectors VALUES (?, ?)", (key, vector))


@pytest.mark.parametrize("forge", [link_to_another, another_name, no_vectors])
def test_what_is_kept_of_a_build_is_not_trusted(tmp_path, forge):
    another = tmp_path / "another"
    with closing(sqlite3.connect(another)) as database, database:
        database.execute("CREATE TABLE mine (text)")
    before = another.read_bytes()
    index_of(tmp_path, DOCUMENTS).close()
    forge(tmp_path / "index" / KEPT.format("forged"), another)
    with rebuilt(tmp_path, vectors=REMEMBERS) as index, index_of(tmp_path / "new", DOCUMENTS, vectors=REMEMBERS) as new:
        assert vectors_of(index) == vectors_of(new)
    assert another.read_bytes() == before


def test_a_file_that_keeps_no_vectors_ends_in_one_error(tmp_path):
    index_of(tmp_path, DOCUMENTS).close()
    (tmp_path / "index" / KEPT.format("forged")).write_bytes(b"no database" * 1000)
    with pytest.raises(CollectionError, match=r"cannot be kept \(file is not a database\)"):
        rebuilt(tmp_path, vectors=REMEMBERS)


WAITS = """
import sys, time
from pathlib import Path
from engine.indexing import block_encoding
from tests.engine.semantic import toy_encoder
from tests.engine.small_index import build_index

def waits(texts):
    if texts == ["gulls"]:
        print("waits", flush=True)
        time.sleep(600)
    return toy_encoder.encode(texts)

block_encoding.AT_ONCE, toy_encoder.NOW = 1, waits
folder = Path(sys.argv[1])
build_index(folder / "source", into=folder / "index", profile="none", vectors=sys.argv[2])
"""


@pytest.mark.long
def test_a_build_killed_while_it_encodes_leaves_the_index_as_it_was_and_the_next_encodes_what_remains(
    tmp_path, monkeypatch
):
    index_of(tmp_path, DOCUMENTS).close()
    before = (tmp_path / "index" / "manifest.json").read_bytes()
    command = [sys.executable, "-c", WAITS, str(tmp_path), CHANGING]
    with subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True) as build:
        assert build.stdout
        assert build.stdout.readline() == "waits\n"
        build.kill()
    assert (tmp_path / "index" / "manifest.json").read_bytes() == before
    with open_reader(tmp_path / "index") as index:
        assert index.vectors.record is None
        assert answers_to(index, "bell")
    monkeypatch.setattr(toy_encoder, "NOW", toy_encoder.remembers)
    with rebuilt(tmp_path, vectors=CHANGING) as index:
        assert taken() == {"gulls"}
        assert len(vectors_of(index)) == 3
    assert sorted(path.name for path in (tmp_path / "index").iterdir() if path.name.startswith(".")) in (
        [],
        [".lock"],
    )
