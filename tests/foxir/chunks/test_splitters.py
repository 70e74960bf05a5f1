"""Splitters of libraries as places in a text: nothing but white space is lost, and the pieces are the library's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ArgumentError
from foxir.chunks.chunkers import hierarchy, langchain_splitter, llamaindex_splitter, located

pytestmark = pytest.mark.filterwarnings("ignore")

TEXTS = st.text(alphabet="ab \n.", max_size=200)
PROSE = "\n\n".join(f"Light {n} is seen, in fog, for {n} miles. It was lit in {1800 + n}!" for n in range(60))


def test_chunks_are_found_one_behind_the_other():
    assert located("a b a b", ["a", "b", "a"]).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert located("aaaa", ["aaa", "aa"], 1).tolist() == [[0, 3], [2, 4]]
    assert located(" aa", ["a", "aa"], 1).tolist() == [[1, 2], [1, 3]]
    assert located("a", []).tolist() == []
    with pytest.raises(ArgumentError, match="text that the document has not: 'c'"):
        located("a b", ["a", "c"])


@given(TEXTS, st.integers(1, 40))
def test_langchains_chunks_are_disjoint_short_and_lose_white_space_only(text, size):
    pytest.importorskip("langchain_text_splitters")
    spans = langchain_splitter(size)(text).tolist()
    covered = [n for start, end in spans for n in range(start, end)]
    assert all(end - start <= size for start, end in spans)
    assert covered == sorted(set(covered))
    assert all(text[n].isspace() for n in set(range(len(text))) - set(covered))


@given(TEXTS, st.integers(2, 40), st.integers(0, 10))
def test_chunks_are_those_of_langchain(text, size, overlap):
    library = pytest.importorskip("langchain_text_splitters")
    overlap = min(overlap, size - 1)
    expected = library.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap).split_text(text)
    assert [text[start:end] for start, end in langchain_splitter(size, overlap)(text)] == expected


def test_a_hierarchy_is_that_of_llamaindex():
    pytest.importorskip("llama_index.core", exc_type=ImportError)
    from llama_index.core import Document  # noqa: PLC0415
    from llama_index.core.node_parser import HierarchicalNodeParser  # noqa: PLC0415

    sizes = [128, 64, 32]
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=sizes, chunk_overlap=0)
    nodes = parser.get_nodes_from_documents([Document(text=PROSE)])

    levels, parents = hierarchy(PROSE, [llamaindex_splitter(size) for size in sizes])

    chunks = [PROSE[start:end] for level in levels for start, end in level.tolist()]
    assert sorted(chunks) == sorted(node.text for node in nodes)
    assert len(levels[0]) > 1
    assert (parents[0] == -1).all()
    for lower, upper, parent in zip(levels[1:], levels, parents[1:], strict=False):
        assert (upper[parent, 0] <= lower[:, 0]).all()
        assert (lower[:, 1] <= upper[parent, 1]).all()


def test_a_hierarchy_of_nothing_has_no_chunks():
    levels, parents = hierarchy("", [lambda text: located(text, [])] * 2)
    assert [len(level) for level in levels] == [0, 0]
    assert [len(parent) for parent in parents] == [0, 0]
