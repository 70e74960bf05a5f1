"""What `unit = auto` returns: within a word budget passages where text blocks are long, elsewhere elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.small_index import answers_to, index_of

SENTENCE = "The keeper lit the lamp before dusk and wrote the hour of the night into his book"


@pytest.mark.long
@pytest.mark.parametrize("n_sentences", [3, 5])
def test_auto_is_passages_within_a_budget_where_text_blocks_are_long(tmp_path: Path, n_sentences: int) -> None:
    blocks = [
        ". ".join([f"The horn calls in fog off the coast {number}", *[SENTENCE] * (n_sentences - 1)])
        for number in range(3)
    ]
    index = index_of(
        tmp_path, {f"d{n}": f"<article><p>{each}.</p><p>{each}.</p></article>" for n, each in enumerate(blocks)}
    )

    def found(**settings: Any) -> list[tuple[str, str, tuple[int, int] | None]]:
        return [(each.document, each.path, each.sentences) for each in answers_to(index, "fog horn", **settings)]

    budget = {"word_budget": 200}
    assert found(**budget, unit="element") != found(**budget, unit="sentence")
    assert found(**budget) == found(**budget, unit="sentence" if n_sentences == 5 else "element")
    assert found(**budget, answers="//p") == found(**budget, answers="//p", unit="element")
    assert found() == found(unit="element") != found(unit="sentence")
