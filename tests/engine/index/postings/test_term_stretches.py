"""The frequencies of terms in stretches of texts, beside those counted leaf by leaf."""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.locator import element_paths
from engine.index.postings import term_stretches
from engine.index.postings.term_stretches import TermStretches
from engine.index.reader import IndexReader
from tests.engine.small_index import grown_index

WORDS = ["sea", "tide", "fog", "reef"]
PROFILE = 'titles = ["h"]\ntables = ["t"]\nrows = ["r"]\n'
HEADINGS = ["h"]


@pytest.fixture(scope="module")
def index() -> Iterator[IndexReader]:
    """Two segments of documents of 0 to some 200 words, one of them replaced."""
    rng = random.Random(2)

    def leaf() -> str:
        text = " ".join(rng.choice([*WORDS, "w", "w", "w"]) for _ in range(rng.choice([0, 1, 3, 30])))
        return f"<{(tag := rng.choice(['h', 'p', 'p']))}>{text}</{tag}>"

    def table() -> str:
        rows = (f"<r><p>{rng.choice(WORDS)} w</p></r>" for _ in range(rng.choice([2, 3])))
        return f"<t>{''.join(rows)}</t>" if rng.random() < 0.3 else ""

    def document() -> str:
        return f"<a>{''.join(leaf() for _ in range(rng.choice([0, 1, 9, 20])))}{table()}<h><i>fog</i></h></a>"

    first = {f"{number:02}": document() for number in range(9)}
    second = {**first, "02": document(), **{f"{number:02}": document() for number in range(9, 13)}}
    with grown_index([first, second], profile_text=PROFILE) as grown:
        yield grown


def counted(index: IndexReader, term: str, document: int, bits: int) -> tuple[list[int], int, bool]:
    """Return frequencies by stretch, the number of leaves, and whether one of them is, or is in, a heading."""
    elements, one = index.elements, np.array([document])
    root = elements.root(one)
    frequencies = [0] * ((int(elements.n_words(root)[0]) >> bits) + 2)
    rows, tf, _, _ = elements.occurrences(term, one)
    in_heading = False
    for row, n in zip(rows.tolist(), tf.tolist(), strict=True):
        frequencies[int(elements.first_word(np.array([row]))[0] - elements.first_word(root)[0]) >> bits] += n
        in_heading |= elements.tags[int(elements.tag(np.array([row]))[0])] in ("h", "i")
        in_heading |= "/r[1]" in element_paths(index, np.array([row]))[0]
    return [min(n, term_stretches.HIGHEST_FREQUENCY) for n in frequencies], len(rows), in_heading


asked = st.lists(
    st.tuples(
        st.lists(st.sampled_from([*WORDS, "w", "unknown"]), max_size=4, unique=True),
        st.lists(st.integers(0, 13), min_size=1, max_size=12, unique=True).map(sorted),
        st.sampled_from([0, 2, 5]),
    ),
    min_size=1,
    max_size=4,
)


@given(asked, st.sampled_from([0, 100, 10**6]), st.sampled_from([3, 255]))
@pytest.mark.long
def test_stretches_contain_what_their_leaves_contain(
    index: IndexReader, questions: list[tuple[list[str], list[int], int]], capacity: int, highest: int
) -> None:
    n_documents = int(index.elements.document_base[-1])
    with patch.object(term_stretches, "HIGHEST_FREQUENCY", highest):
        stretches = TermStretches(index.elements, HEADINGS, index.header_rows, capacity)
        for terms, numbers, bits in questions:
            documents = np.array([number for number in numbers if number < n_documents], np.int64)
            found = stretches.of_each(terms, documents, bits)
            borders = np.append(0, found.n.cumsum())
            assert found.tf.shape == (len(terms), borders[-1])
            for row, term in enumerate(terms):
                for place, document in enumerate(documents.tolist()):
                    tf, n_leaves, in_heading = counted(index, term, document, bits)
                    assert found.tf[row, borders[place] : borders[place + 1]].tolist() == tf
                    assert found.n_leaves[row, place] == n_leaves
                    assert bool(found.in_headings[row, place]) == in_heading


def test_leaves_are_read_once(index: IndexReader) -> None:
    stretches, every = TermStretches(index.elements, HEADINGS, index.header_rows), np.arange(8)
    stretches.of_each(["sea", "fog"], every[:6], 2)

    with patch.object(index.elements, "occurrences_of_each", wraps=index.elements.occurrences_of_each) as read:
        stretches.of_each(["fog", "sea"], every[2:], 2)
        stretches.of_each(["sea"], every, 2)

    asked = [(call.args[0], call.args[1].tolist()) for call in read.call_args_list]
    assert asked == [(["fog", "sea"], [6, 7])]
