"""Ways to cut documents, by name or by a function, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import foxir
from engine.errors import ArgumentError
from engine.index.reader import open_reader
from foxir.chunks.chunkers import cut
from foxir.chunks.collection import Collection


def places(chunks):
    units = chunks.units
    return list(zip(units.document.tolist(), units.start.tolist(), units.end.tolist(), strict=True))


def blocks(text):
    """Return the blocks of a text, which blank lines separate."""
    return [match.span() for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text)]


def test_documents_paragraphs_and_elements_are_where_the_index_has_them(collection):
    text = collection.text(0)
    (whole, *_) = places(cut(collection, "documents"))
    assert whole == (0, 0, len(text))
    assert len(cut(collection, "documents").units) == 4
    (first, second, *_) = places(cut(collection, "paragraphs"))
    assert text[slice(*first[1:])].startswith("The moon number 0")
    assert text[slice(*second[1:])].startswith("word0x0")
    titles = [text[start:end] for document, start, end in places(cut(collection, "paragraphs:title")) if not document]
    assert titles == ["Tides of 0", "Moon 0"]
    assert len(cut(collection, "elements").units) == 4 * 6  # article, section, two titles, two paragraphs
    assert cut(collection, "elements").are_nested


def test_a_function_gets_blocks_apart_and_its_chunks_stand_in_the_document(collection):
    seen = []

    def chunker(text):
        seen.append(text)
        return blocks(text)

    chunks = cut(collection, chunker)
    assert seen[0].startswith("Tides of 0\n\nMoon 0\n\nThe moon")
    assert chunks.name == "test_a_function_gets_blocks_apart_and_its_chunks_stand_in_the_document.<locals>.chunker"
    for document, start, end in places(chunks):
        assert collection.text(document)[start:end] in seen[document].split("\n\n")
    assert len(chunks.units) == 16


def test_a_function_of_a_module_in_the_working_directory_is_found(collection, tmp_path, monkeypatch):
    (tmp_path / "halving.py").write_text(
        "def halves(text):\n    return [(0, len(text) // 2), (len(text) // 2, len(text))]"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert len(cut(collection, "halving:halves").units) == 8


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([(0, 5000)], r"got \(0, 5000\)"),
        ([(3, 3)], r"got \(3, 3\)"),
        ([(-1, 3)], r"got \(-1, 3\)"),
        ([(0.5, 3)], "expected pairs"),
        ([(0, 1, 2)], "expected pairs"),
        (["chunk"], "expected pairs"),
        (None, "expected pairs"),
        ([(0, math.inf)], "expected pairs"),
        ([(0, 2**70)], "expected pairs"),
    ],
)
def test_chunks_outside_their_text_are_refused(collection, returned, message):
    with pytest.raises(ArgumentError, match=message):
        cut(collection, lambda _: returned)


@pytest.mark.parametrize(
    ("chunker", "message"),
    [
        ("paragraph", "expected one of documents, paragraphs"),
        ("documents:3", "documents has no parameters"),
        ("paragraphs:nothing", "no element is named nothing"),
        ("langchain:0", "expected SIZE"),
        ("langchain:10,10", "the overlap smaller"),
        ("langchain:many", "expected sizes"),
        ("llamaindex-tree:9,0", "expected sizes"),
        ("no_such_module:cut", "No module named 'no_such_module'"),
        ("re:NOFLAG", "expected a function"),
    ],
)
def test_what_names_no_chunks_is_refused(collection, chunker, message):
    with pytest.raises(ArgumentError, match=message):
        cut(collection, chunker)


def test_a_function_may_return_no_chunks_for_a_document(collection):
    chunks = cut(collection, lambda text: [(0, 8)] if "Tides of 1" in text else [])
    assert places(chunks) == [(1, 0, 8)]


def test_chunks_without_a_word_are_left_out(collection):
    assert len(cut(collection, lambda text: [(9, 10)]).units) == 4
    assert len(cut(collection, lambda text: [(0, 8), (text.index("."), text.index(".") + 1)]).units) == 4


@pytest.mark.parametrize("returned", [[], [(5, 6)]])  # (5, 6) of "Tides of 0" is a space
def test_a_chunker_without_chunks_is_named(collection, returned):
    def nothing(text):
        return returned

    with pytest.raises(ArgumentError, match=r"chunker .*nothing: returned no chunk that contains a word, in 4 doc"):
        cut(collection, nothing)


def test_deleted_documents_have_no_chunks(tmp_path, collection):
    foxir.build_index(into=tmp_path / "i.foxir", remove=[str(tmp_path / "d1.xml")])
    left = Collection(open_reader(tmp_path / "i.foxir"))
    names = [left.ids[document] for document in np.unique(cut(left, "paragraphs").units.document)]
    for chunker in ("documents", "elements", blocks):
        assert [left.ids[d] for d in np.unique(cut(left, chunker).units.document)] == names
    assert [name[-2:] for name in names] == ["d0", "d2", "d3"]
