"""Passages that cannot be among the answers are not scored; the answers are those of a search that scores all."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.ranking.candidates_by_score
import engine.ranking.window_pruning
from engine.index.reader import IndexReader
from engine.ranking.scoring.passages import Windows, score_windows
from tests.engine.small_index import answers_to, index_of
from tests.trust.soak import effort

WORDS = ("sea", "tide", "fog", *(f"w{number}" for number in range(12)))
PROFILE = 'inline = ["i"]\ntitles = ["h"]\n'


def sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(2, 8))).capitalize() + "."


def paragraph(draw: random.Random) -> str:
    inner = f"<q>{sentence(draw)}</q>" if draw.random() < 0.2 else ""
    return f"<p>{' '.join(sentence(draw) for _ in range(draw.randint(1, 5)))} {inner}</p>"


def article(draw: random.Random) -> str:
    def section(depth: int) -> str:
        inside = "".join(paragraph(draw) for _ in range(draw.randint(1, 4)))
        below = section(depth + 1) if depth < 2 and draw.random() < 0.5 else ""
        return f"<s><h>{sentence(draw)}</h>{inside}{below}</s>"

    return f"<a>{''.join(section(0) for _ in range(draw.randint(1, 4)))}</a>"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    draw, folder = random.Random(7), tmp_path_factory.mktemp("windows")
    (folder / "profile.toml").write_text(PROFILE, "utf-8")
    return index_of(folder, {f"d{n:02}": article(draw) for n in range(24)}, profile=str(folder / "profile.toml"))


def answers(index: IndexReader, text: str, *, can_prune: bool, **options: Any) -> tuple[Any, ...]:
    """Return the columns of the answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.ranking.window_pruning, "SELECTED_FROM", 2)
        if not can_prune:
            patch.setattr(engine.ranking.candidates_by_score, "can_prune", lambda *_: False)
        found = answers_to(index, text, rank_by="score", passages="on", **options)
    assert found.scores is not None
    assert found.sentences is not None
    return found.documents.tolist(), found.elements.tolist(), found.sentences.tolist(), found.scores.tolist()


chosen = st.fixed_dictionaries(
    {
        "max_answers": st.sampled_from([1, 3, 8]),
        "focus": st.sampled_from(["auto", 0, 0.5, 1]),
        "overlap": st.sampled_from(["remove", "keep"]),
        "max_sentences": st.sampled_from([1, 1, 3]),
        "min_passage_words": st.sampled_from(["0", "4", "0.5x"]),
        "whole_weight": st.sampled_from([0.1, 0.7, 1]),
        "coverage": st.sampled_from([0, 0.2, 2]),
        "block_words": st.sampled_from(["3", "0.8x"]),
        "max_per_article": st.sampled_from(["all", "all", "all", 1]),
    }
)


@settings(max_examples=effort(3, 2000, thorough=150), deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True), chosen)
def test_answers_are_those_of_a_search_that_scores_all(index: IndexReader, words: Any, options: Any) -> None:
    text = " ".join(words)
    assert answers(index, text, can_prune=True, **options) == answers(index, text, can_prune=False, **options)


def test_few_of_many_windows_are_scored(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    n_scored: list[int] = []

    def counted(scorer: Any, order: Any, leaves: Any, windows: Windows, *others: Any) -> Any:
        n_scored.append(len(windows.leaf))
        return score_windows(scorer, order, leaves, windows, *others)

    monkeypatch.setattr(engine.ranking.candidates_by_score, "score_windows", counted)
    counts = []
    for can_prune in (True, False):
        n_scored.clear()
        answers(index, "sea tide fog", can_prune=can_prune, max_answers=2, max_articles="all")
        counts.append(n_scored[0])
    few, many = counts
    assert 0 < few < 0.7 * many
