"""A whole article keeps a share of its own score, a short one all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ranking.scoring.context_scores import WHOLE_WORDS, whole_words
from tests.engine.small_index import answers_to, index_of


@pytest.mark.parametrize(("n_words", "is_short"), [(WHOLE_WORDS, True), (WHOLE_WORDS + 1, False)])
def test_the_longest_short_article(tmp_path: Path, n_words: int, is_short: bool) -> None:
    lines = "".join(f"<p>{word}</p>" for word in ["beacon", *["rope"] * (n_words - 1)])
    with index_of(tmp_path, {"a": f"<a>{lines}</a>", "b": "<a><p>sail</p></a>"}) as index:
        assert whole_words(index.statistics.block_words) == WHOLE_WORDS
        scores = [
            answers_to(index, "beacon", root_weight=weight, answers="//a", article_weight=0, min_leaf_words=0)[0].score
            for weight in (1, 0)
        ]

    assert scores[0] is not None
    assert scores[0] > 0
    assert (scores[0] == scores[1]) is is_short
