"""Each kernel of builds returns what NumPy returns; tests/trust/test_exactness.py compares whole indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.arrays import ranks_of
from engine.collection.markup.flat_documents import flatten
from engine.collection.markup.markup_tree import find_text, find_tree, ordinals
from engine.collection.profiles.profile import Profile
from engine.collection.xml_reader import read_markup
from engine.indexing.workers.inversion import DocumentFacts, invert
from engine.kernels.table import has_kernels, native, without_kernels
from engine.text.analyser import Analyser
from tests.reference.random_xml import analysers, documents, profiles
from tests.trust.soak import effort

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
many = settings(max_examples=effort(5, 3000, thorough=300), deadline=None)
batches = st.lists(documents(), min_size=1, max_size=4)
# Long names and values, escapes in texts and attributes, names with prefixes, deep and empty elements.
ODD = (
    b'<a:b xmlns:a="x"><a:b q="&lt;&amp;"/>&lt;&gt;&amp;&#13;x<b>1&amp;</b><a:b\n/><bb ><b/><b/></bb><b/></a:b>'
    + b"<%s/>" % (b"n" * 200)
)


def both(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """Return the results with kernels and without."""
    with without_kernels():
        expected = function(*arguments)
    return function(*arguments), expected


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays have the same bits."""
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def markup_of(raws: Sequence[bytes]) -> bytes:
    return b"".join(read_markup(raw, "made.xml").text for raw in raws)


@many
@given(batches.map(markup_of))
@example(ODD)
@example(b"<a/>")
def test_elements_and_text(markup: bytes) -> None:
    found, expected = both(find_tree, markup)

    assert all(same(getattr(found.tags, name), getattr(expected.tags, name)) for name in vars(expected.tags))
    assert all(map(same, found[1:], expected[1:]))
    texts = both(find_text, markup, expected.tags)
    assert same(texts[0].encoded, texts[1].encoded)
    assert same(texts[0].borders, texts[1].borders)


@many
@given(batches.map(markup_of), st.integers(1, 4), st.randoms(use_true_random=False))
def test_ordinals(markup: bytes, n_tags: int, random: Any) -> None:
    tree = find_tree(markup)
    tags = np.array([random.randrange(n_tags) for _ in tree.parent], np.int64)

    assert same(*both(ordinals, tree.parent, tags, tree.depth))


def test_ordinals_of_many_names_at_many_depths_need_no_table() -> None:
    n = 2000
    rows = np.arange(n)
    deep = np.maximum(rows - 1, 0), rows, rows + 1

    assert native.sibling_ordinals(*deep) is None
    assert same(*both(ordinals, *deep))


@many
@given(batches, profiles(), analysers())
def test_postings(raws: list[bytes], profile: Profile, analyser: Analyser) -> None:
    facts = [DocumentFacts(f"{number}", bytes(16), 1, 0, 0) for number in range(len(raws))]
    flat = flatten([read_markup(raw, "x").text for raw in raws], [profile], [0] * len(raws), analyser)

    found, expected = both(invert, flat, facts, ["x"], ["none"])

    assert found.terms == expected.terms
    assert all(same(found.columns[name], expected.columns[name]) for name in expected.columns)
    assert all(same(found.pointers[name], expected.pointers[name]) for name in expected.pointers)


NUMBERS = st.lists(st.integers(-5, 200), max_size=150)


@many
@given(NUMBERS.map(sorted), NUMBERS, st.booleans())
def test_ranks(ascending: list[int], values: list[int], is_sorted: bool) -> None:
    wanted = sorted(values) if is_sorted else values

    assert same(*both(ranks_of, np.array(ascending, np.int64), np.array(wanted, np.int64)))
