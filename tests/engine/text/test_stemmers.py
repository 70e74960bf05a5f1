"""Stemmers give the same stems in several threads as in one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.text.languages import stemmer_of


@pytest.mark.usefixtures("hasty_threads")
def test_threads_do_not_get_each_others_stems() -> None:
    words = [
        f"{stem}{ending}" for stem in ("naveg", "luz", "farol", "nublad") for ending in ("ações", "amente", "arão")
    ]
    expected = [stemmer_of("portuguese")(word) for word in words]
    stemmer_of.cache_clear()  # stems are kept, and would else not be computed again
    stem = stemmer_of("portuguese")

    def stems(first: int) -> list[str]:
        return [stem.__wrapped__(word) for word in words[first:] + words[:first]]  # type: ignore[attr-defined]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stems, [0, 3, 6, 9] * 10))

    assert found == [expected[first:] + expected[:first] for first in [0, 3, 6, 9] * 10]
