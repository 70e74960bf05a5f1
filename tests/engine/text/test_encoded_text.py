"""Parts of a long text are decoded as slices of the whole text are."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import accumulate
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernels.table import has_kernels, without_kernels
from engine.text import utf8
from engine.text.utf8 import EncodedText, characters_of_blocks, encode, text_parts
from tests.trust.soak import effort

TEXTS = st.text("ab é\u0e01\U0001f600", max_size=40) | st.text("ab ", max_size=40)


@settings(max_examples=effort(80, 20_000, thorough=2000), deadline=None)
@given(TEXTS, st.integers(1, 9), st.data())
@pytest.mark.parametrize("kernels", [without_kernels, nullcontext], ids=["NumPy", "kernels"])
def test_parts_are_slices_of_the_text(kernels: Any, text: str, block: int, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text) + 2)] * 2)))
    with patch.object(utf8, "BLOCK", block), kernels():
        encoded = encode(text)
        of_text = EncodedText(encoded, characters_of_blocks(encoded))

        assert of_text.part(start, end) == text[start:end]
        for character in range(len(text) + 1):
            place = of_text.place_of(character)
            assert place == len(text[:character].encode())
            assert of_text.character_at(place) == character
        assert of_text.is_ascii == text.isascii()


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@pytest.mark.parametrize("block", [1, 7, 64, 5000])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 2039, 2040, 2041, 2048, 4999, 5000, 5001])
def test_characters_of_blocks_are_counted_as_byte_by_byte(n: int, block: int) -> None:
    encoded = np.random.default_rng(n).integers(0x70, 0xD0, n).astype(np.uint8)
    before = list(accumulate(((byte & 0xC0) != 0x80 for byte in encoded.tolist()), initial=0))

    with patch.object(utf8, "BLOCK", block):
        found = characters_of_blocks(encoded).tolist()

    assert found == [before[end] for end in [*range(0, n, block), n]]


@pytest.mark.parametrize("kernels", [without_kernels, nullcontext], ids=["NumPy", "kernels"])
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 40), st.data())
def test_parts_of_several_texts_are_slices_of_each(
    kernels: Any, texts: list[str], block: int, data: st.DataObject
) -> None:
    spans = st.tuples(st.integers(0, len(texts) - 1), st.integers(0, 42), st.integers(0, 42))
    parts = data.draw(st.lists(spans, max_size=6))
    given_texts, together, start = [], "".join(texts).encode(), 0
    columns = np.array(parts, np.int64).reshape(-1, 3)
    with patch.object(utf8, "BLOCK", block), kernels():
        for text in texts:
            end = start + len(text.encode())
            given_texts.append((together, start, end, characters_of_blocks(encode(text))))
            start = end

        found = text_parts(given_texts, columns[:, 0], columns[:, 1:])

    assert found == [texts[number][begin:end] for number, begin, end in parts]
