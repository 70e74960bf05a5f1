"""Where the members of one set stand among those of another, and what is above them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns.byte_column import LARGE
from engine.errors import QueryError
from engine.index.elements.containment import chains, insertion_places, with_ancestors
from engine.index.elements.element_lookup import number_of, row_of
from engine.index.elements.nearest_tag import nearest_tag
from engine.kernels.table import has_kernels, native
from tests.engine.small_index import index_of
from tests.trust.soak import effort

sets = st.sets(st.integers(0, 30)).map(lambda rows: np.array(sorted(rows), np.int64))


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@settings(max_examples=effort(80, 20_000, thorough=3000), deadline=None)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=500), st.sets(st.integers(0, 499)), st.sampled_from("HIQ"))
@pytest.mark.long
def test_ancestors_by_the_kernel_are_those_without(drawn: list[int], chosen: set[int], letter: str) -> None:
    parents = np.zeros(len(drawn), np.int64)
    open_elements = [0]
    for row, depth in enumerate(
        drawn[1:], 1
    ):  # a tree in document order: the parent is on the path to the last element
        open_elements = open_elements[: 1 + depth % (len(open_elements) + 1)]
        if not open_elements or depth > 390:  # another root
            open_elements = []
        parents[row] = open_elements[-1] if open_elements else row
        open_elements.append(row)
    rows = np.array(sorted(row for row in chosen if row < len(drawn)), np.int64)
    distances = np.arange(len(drawn)) - parents
    large = np.flatnonzero(distances >= LARGE)
    columns = np.minimum(distances, LARGE).astype(np.uint8), large.astype(letter), distances[large].astype(letter)
    expected = with_ancestors(lambda level: parents[level], rows)

    found = [np.frombuffer(column, np.int64).tolist() for column in native.ancestors_or_self(*columns, rows)]

    assert found == [expected.rows.tolist(), expected.parents.tolist()]


@given(sets, sets)
def test_merging_two_sets_is_searching_for_each(others: np.ndarray, rows: np.ndarray) -> None:
    for few, many in ((others, rows), (rows, others)):
        assert insertion_places(few, many, "left").tolist() == [int((few < row).sum()) for row in many]
        assert insertion_places(few, many, "right").tolist() == [int((few <= row).sum()) for row in many]


def test_ancestors_have_the_places_of_their_parents(tmp_path):
    inner = "<s><p>sea<b>x</b></p><s><p>tide</p></s></s>"
    elements = index_of(tmp_path, dict.fromkeys("de", f"<a>{inner}<p/>{inner}</a>")).elements
    n_rows = int(elements.row_base[-1])
    rng = np.random.default_rng(1)
    for size in [0, 1, 1, 2, 2, 3, 5, 8, n_rows]:
        rows = np.sort(rng.choice(n_rows, size, replace=False))
        climbed = set(rows.tolist())
        for row in rows.tolist():
            while (above := int(elements.parent(np.array([row]))[0])) != row:
                climbed.add(row := above)

        for found in (with_ancestors(elements.parent, rows), chains(elements, rows)):
            assert found.rows.tolist() == sorted(climbed)
            assert found.rows[found.parents].tolist() == elements.parent(found.rows).tolist()


# A document that is not in the index is answered with the one that was probably meant.


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("f", "d/f.tei"),
        ("f.xml", "d/f.tei"),
        ("g", "e/g"),
        ("e/g.xml", "e/g"),
        ("x/f.tei", "d/f.tei"),
        ("d/f.tie", "d/f.tei"),
    ],
)
def test_an_unknown_document_is_answered_with_one_of_the_same_name(asked, meant, tmp_path):
    source = tmp_path / "source" / "d"
    source.mkdir(parents=True)
    (source / "f.tei").write_text("<a>sea</a>")
    index = index_of(tmp_path, {"e/g": "<a>fog</a>", "e/g.v2": "<a>fog</a>"})

    with pytest.raises(QueryError, match=f"did you mean '{meant}'"):
        number_of(index, asked)


def test_an_element_is_found_by_its_id(tmp_path):
    long = "x" * 200
    index = index_of(
        tmp_path,
        {
            "a": f'<a><p n="s1">fog</p><p id="s1"/><p xml:id="s2">sea <b id="s2">in</b></p><p id="{long}"/></a>',
            "b": '<a><p id="s1">fog</p><p id="introduction"/></a>',
            "c": "<a>fog</a>",
        },
    )

    assert row_of(index, "a", "s1") == row_of(index, "a", "#s1") == row_of(index, "a", "/a/p[2]")
    assert row_of(index, "a", "s2") == row_of(index, "a", "/a/p[3]")  # the first of two
    assert row_of(index, "a", long) == row_of(index, "a", "/a/p[4]")
    assert row_of(index, "b", "s1") == row_of(index, "b", "/a/p")
    with pytest.raises(
        QueryError, match=r"'introdction': expected a path .*, or the id .* 'b': did you mean 'introduction'\?$"
    ):
        row_of(index, "b", "introdction")
    with pytest.raises(QueryError, match=r"or the id of an element of document 'c', which has none\.$"):
        row_of(index, "c", "s1")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("section", "sec"),  # which it lengthens, before a tag that is as similar
        ("sections", "sec"),
        ("art", "article-meta"),  # of several that it shortens, the most frequent
        ("paragraph", "p"),  # the word for it, before similar letters
        ("Paragraphs", "p"),
        ("captoin", "caption"),
        ("TITLE", "title"),
        ("xyz", None),
    ],
)
def test_a_tag_that_shortens_an_unknown_one_was_meant_before_a_similar_one(
    tmp_path: Path, name: str, meant: str | None
) -> None:
    metadata = "<article-meta><title>x</title></article-meta>"
    others = "<caption>x</caption><sec>x</sec><graphic/><p>x</p><p>x</p><ip1>x</ip1>"
    index = index_of(tmp_path, {"a": f"<article><s>x</s>{2 * metadata}{others}</article>"})

    assert nearest_tag(index, name) == meant
