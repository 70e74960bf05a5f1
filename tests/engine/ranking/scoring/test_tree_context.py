"""The context of elements, read from a tree of long elements, is the one that is read from the columns of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.index.elements.element_trees
from engine.errors import IndexFormatError
from engine.index.elements.element_trees import ENTRY, ElementTree, ElementTrees, TreeKind
from engine.index.elements.header_rows import NO_HEADER_ROWS
from engine.index.reader import IndexReader
from engine.ranking.scoring.context import NEIGHBOUR_BLOCKS, Context, context_of, neighbours_in
from engine.ranking.scoring.tree_context import context_in_tree
from tests.engine.similarity.random_input import trees_of
from tests.engine.small_index import grown_index, index_of
from tests.reference.similarity import Node
from tests.trust.soak import effort

OF_TABLES = 'inline = ["i"]\ntables = ["a"]\nrows = ["b"]\n'
PROFILES = (
    *("", 'inline = ["i"]\ntitles = ["b"]\n', 'inline = ["i"]\ntitles = ["a"]\nheadings = ["b", "c"]\n'),
    *(OF_TABLES, f'{OF_TABLES}titles = ["c"]\n', 'tables = ["a", "i"]\nrows = ["b", "c"]\nheadings = ["i"]\n'),
)

collections = st.lists(trees_of("abci"), min_size=1, max_size=4)
lengths = st.sampled_from([(1, 1), (1, 3), (2, 4), (5, 5), (30, 30)])
kinds = st.builds(
    lambda words, **options: TreeKind(*words, **options),
    lengths,
    with_headings=st.booleans(),
    with_header_rows=st.booleans(),
)


def markup(node: Node) -> str:
    return f"<{node.name}>{' '.join(node.words)} {' '.join(map(markup, node.children))}</{node.name}>"


def trees_of_index(index: IndexReader) -> ElementTrees:
    return ElementTrees(index.elements, index.titles, index.profile.title_and_heading_tags, index.header_rows)


def plain(context: Context) -> list[Any]:
    """Return the columns of a context as lists."""
    columns = context[: Context._fields.index("scopes")]
    return [column.tolist() for column in (*columns, *context.scopes)]


@settings(max_examples=effort(4, 1000, thorough=60), deadline=None)
@given(st.lists(collections, min_size=1, max_size=2), st.sampled_from(PROFILES), kinds, st.integers(1, 9), st.data())
def test_as_read_from_columns(
    steps: Any, profile: str, kind: TreeKind, read_at_a_time: int, data: st.DataObject
) -> None:
    sources = [{f"{number:02}": markup(tree) for number, tree in enumerate(step)} for step in steps]
    with grown_index(sources, profile_text=profile) as index, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.index.elements.element_trees, "READ_AT_A_TIME", read_at_a_time)
        elements, n_elements = index.elements, int(index.elements.row_base[-1])
        is_chosen = data.draw(st.lists(st.booleans(), min_size=n_elements, max_size=n_elements))
        chosen = elements.nearest_non_inline(np.flatnonzero(np.array(is_chosen, np.bool_)))
        chosen = np.unique(chosen)
        documents = np.unique(elements.document(chosen))
        headed = index.profile if kind.with_headings else None
        header_rows = NO_HEADER_ROWS
        if kind.with_headings and kind.with_header_rows:
            header_rows = index.header_rows.of(documents)
        expected = context_of(
            elements, chosen, documents, min_words=kind.min_words, profile=headed, header_rows=header_rows
        )
        tree = trees_of_index(index).find(kind, n_elements)
        assert tree is not None

        found = context_in_tree(tree, elements, chosen, documents, headed)

        assert plain(found) == plain(expected)
        blocks = kind.neighbour_words / NEIGHBOUR_BLOCKS
        beside = neighbours_in(expected, blocks)
        assert [each.tolist() for each in neighbours_in(found, blocks)] == [each.tolist() for each in beside]
        asked = expected.rows, expected.ends, expected.words, documents, expected.document
        assert found.is_mostly_titles is not None
        assert found.is_mostly_titles.tolist() == index.titles.are_most(*asked).tolist()


def test_made_when_enough_was_read_and_kept_if_not_too_large(tmp_path, monkeypatch):
    index = index_of(tmp_path, {"d": "<a>" + "<p>sea</p>" * 79 + "</a>"})
    kind = TreeKind(1, 1, with_headings=True, with_header_rows=True)
    trees = trees_of_index(index)
    assert trees.find(kind, 5) is None
    tree = trees.find(kind, 1)
    assert tree is not None
    assert tree is trees.find(kind, 1)
    assert 0 < tree.size < 80 * 8
    monkeypatch.setattr(engine.index.elements.element_trees, "CAPACITY", 200)
    assert trees_of_index(index).find(kind, 80) is None


def test_a_tree_that_another_one_displaced_is_made_again_when_enough_was_read(tmp_path, monkeypatch):
    index = index_of(tmp_path, {"d": "<a>" + "<p>sea</p>" * 79 + "</a>"})
    one, other = (TreeKind(1, words, with_headings=True, with_header_rows=True) for words in (1, 2))
    tree = trees_of_index(index).find(one, 80)
    assert tree is not None
    monkeypatch.setattr(engine.index.elements.element_trees, "CAPACITY", tree.size)
    trees = trees_of_index(index)
    assert trees.find(one, 80) is not None
    assert trees.find(other, 80) is not None
    assert trees.find(one, 5) is None
    assert trees.find(one, 1) is not None


def test_a_subtree_that_ends_before_one_of_its_elements_ends_the_search() -> None:
    entries = np.zeros(2, ENTRY)
    entries["row"], entries["end"] = [0, 2], [2, 3]  # the root has four elements
    tree = ElementTree(entries, np.array([0, 0], np.int32), 4)

    assert tree.places(np.array([0, 1, 2])).tolist() == [0, 0, 1]
    with pytest.raises(IndexFormatError, match="a subtree ends before one of its elements"):
        tree.places(np.array([1, 3]))
