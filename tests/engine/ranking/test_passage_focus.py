"""Passages for queries of a high focus, elements for others: each query has the answers of one or the other.

What `unit = auto` returns: within a word budget passages where text blocks are long, elsewhere elements.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.settings import Settings
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.small_index import answers_to, index_of

ROOT = Path(__file__).parents[3]
QUERIES = (
    "fog",
    "keeper",
    "mercury vapour",
    "who cleaned the fresnel lens with spirit of wine",
    "light of the sea",
    "oil",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("focus") / "sample.foxir"
    foxir.build_index(ROOT / "collections", into=folder)
    with open_reader(folder) as opened:
        yield opened


def found(answers: JoinedAnswers) -> list[tuple[str, str, tuple[int, int] | None, float | None]]:
    return [(answer.document, answer.path, answer.sentences, answer.score) for answer in answers]


def focus_of(index: IndexReader, query: str) -> float:
    focus = answers_to(index, query).plan.order.focus  # type: ignore[union-attr]
    assert focus is not None
    return focus


@pytest.mark.parametrize("options", [{}, {"max_answers": 5, "max_sentences": 2}, {"max_per_article": 1}], ids=str)
@pytest.mark.long
def test_answers_are_those_of_passages_from_a_focus_on_and_of_elements_below(index, options):
    kinds = set()
    for query in QUERIES:
        passages = found(answers_to(index, query, passages=True, **options))
        elements = found(answers_to(index, query, **{**options, "passages": False}))
        focus = focus_of(index, query)
        for least, expected in ((focus, passages), (min(focus * 1.01 + 1e-9, 1.0), elements), (0, passages)):
            if least > focus or expected is passages:
                assert found(answers_to(index, query, passages=True, passage_focus=least, **options)) == expected
                kinds.add(expected is passages)
        assert passages != elements
    assert kinds == {True, False}


@pytest.mark.long
def test_a_fixed_focus_decides_too(index):
    passages, elements = (found(answers_to(index, "fog", focus=0.5, passages=kind)) for kind in (True, False))

    for least, expected in ((0.4, passages), (0.5, passages), (0.6, elements)):
        assert found(answers_to(index, "fog", focus=0.5, passages=True, passage_focus=least)) == expected


@pytest.mark.long
def test_an_explanation_is_of_what_is_returned(index):
    for least in (0.0, 1.0):
        settings = Settings.from_options(passages=True, passage_focus=least, focus=0.5)
        best = answers_to(index, "mercury vapour", passages=True, passage_focus=least, focus=0.5)[0]
        why = explain(index, "mercury vapour", best.document, best.path, settings)

        assert bool(why.passages) is (why.n_passages > 0) is (least == 0)
        of_best = why.passages[0].score if why.passages else why.element
        assert of_best is not None
        assert of_best.value == best.score


def test_a_word_budget_too_small_for_elements_is_filled_with_passages(index):
    with foxir.open_index(index.folder) as opened:
        shorter = opened.search("mercury vapour", passages=True, passage_focus=1, focus=0.5, word_budget=12)

    assert shorter
    assert all(answer.sentences is not None for answer in shorter)
    assert "passages_instead" in [notice.code for notice in shorter.notices]


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
