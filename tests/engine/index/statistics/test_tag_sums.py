"""The sums of each tag are those of its live elements, whether they are stored or counted, however many at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IndexFormatError
from engine.index.reader import IndexReader, open_reader
from engine.index.statistics.tag_sums import N_SUMS, TAG_SUMS
from engine.indexing.build import compact_index
from tests.engine.small_index import grown_index, index_of
from tests.trust.soak import effort
from tests.trust.test_hostile_index import replace_file

MARKUP = (
    *("<a>x<b>y z</b><b/></a>", "<b>x<a>y<c>z</c>x</a></b>", "<c/>", "<a><a>x y<b>z</b></a><c>x</c></a>"),
    *(f"<a><b>x</b>{'y ' * 300}<c>z</c></a>", f"<a><b>{'x ' * 34}</b>{'y ' * 300}</a>", f"<c>{'x ' * 299}</c>"),
    *(f"<a><b>{'x ' * 2000}</b><c>{'y ' * 1999}</c></a>", f"<a>{'z ' * 2000}<b>x</b></a>"),
)
steps = st.lists(st.dictionaries(st.sampled_from("defg"), st.sampled_from(MARKUP), min_size=1), min_size=1, max_size=3)


def counted(index: IndexReader) -> list[list[int]]:
    """Return the sums over the elements of each tag, of one element after the other."""
    elements = index.elements
    sums = [[0] * len(elements.tags) for _ in range(N_SUMS)]
    for document in index.live_documents:
        root = elements.root(np.array([document]))
        for row in np.arange(root[0], elements.end(root)[0]):
            inside = np.arange(row, elements.end(np.array([row]))[0])
            tag, own = elements.tag(np.array([row]))[0], elements.n_own_words(inside)
            of_document = elements.n_words(root)[0]
            is_undivided = [n >= 2000 or (n >= 300 and 10 * n >= 9 * of_document) for n in own.tolist()]
            own[is_undivided] = 100
            values = (own.sum(), (own**2).sum(), 1, own[0] ** 2, own[0], is_undivided[0])
            for total, value in zip(sums, values, strict=True):
                total[tag] += int(value)
    return sums


@settings(max_examples=effort(2, 300, thorough=60), deadline=None)
@given(steps, st.sampled_from([1, 3, 2**15]))
def test_sums_are_those_of_each_element(steps: Sequence[dict[str, str]], at_a_time: int) -> None:
    with patch("engine.index.statistics.tag_sums.READ_AT_A_TIME", at_a_time), grown_index(steps) as index:
        assert index.statistics.tag_sums.tolist() == counted(index)
        compact_index(index.folder)
        compacted = open_reader(index.folder)
        assert compacted.statistics.tag_sums.tolist() == counted(compacted)


def test_stored_sums_are_read_in_place_of_the_elements(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"d": MARKUP[0]})
    with patch("engine.index.statistics.tag_sums.count_sums", side_effect=AssertionError("counted")):
        assert index.statistics.tag_sums.tolist() == [[3, 2], [5, 4], [1, 2], [1, 4], [1, 2], [0, 0]]
        assert index.statistics.block_words == pytest.approx(math.sqrt(1.5 * 1 * 5 / 3))


def test_sums_of_other_tags_than_the_segment_has_are_refused(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"d": MARKUP[0]})
    index.close()
    np.save(tmp_path / "forged.npy", np.zeros((N_SUMS, 3), np.uint8))
    replace_file(tmp_path / "index", f"elements/{TAG_SUMS}.npy", (tmp_path / "forged.npy").read_bytes())

    with pytest.raises(IndexFormatError, match=rf"{TAG_SUMS}\.npy has the shape \({N_SUMS}, 3\), not \({N_SUMS}, 2\)"):
        _ = open_reader(tmp_path / "index").statistics.tag_sums


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([20, 20, 20], 20),  # blocks of one length have it
        ([10, 10, 10, 100], math.sqrt(1.5 * 130 / 4 * 10_300 / 130)),  # a long one does not stand for all
    ],
)
@pytest.mark.parametrize("n_cells", [0, 40])
def test_a_text_block_is_as_long_as_blocks_usually_are(
    tmp_path: Path, lengths: Sequence[int], words: float, n_cells: int
) -> None:
    blocks = "".join(f"<p>{'lamp ' * n}</p>" for n in lengths)
    index = index_of(tmp_path, {"d": f"<doc>{blocks}{'<td>fog</td>' * n_cells}</doc>"})
    n_words, squares = sum(lengths) + n_cells, sum(n * n for n in lengths) + n_cells
    by_words, by_blocks = squares / n_words, sum(lengths) / len(lengths)

    assert index.statistics.block_words == pytest.approx(min(by_words, math.sqrt(1.5 * by_blocks * by_words)))
    assert n_cells or index.statistics.block_words == pytest.approx(words)


@pytest.mark.parametrize(("length", "n", "words"), [(30, 20, 30), (4, 100, 25), (4, 50, 20), (4, 2, 4)])
def test_short_texts_are_scored_as_a_block_no_longer_than_a_tenth_of_a_document(
    tmp_path: Path, length: int, n: int, words: float
) -> None:
    text = f"<p>{'lamp ' * length}</p>"
    index = index_of(tmp_path, {"d": f"<doc>{text * n}</doc>"})

    assert index.statistics.block_words == pytest.approx(length)
    assert index.statistics.least_block_words == pytest.approx(words)
