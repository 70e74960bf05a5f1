"""A text without elements is answered by runs of its sentences, and does not change which other elements can be."""

from __future__ import annotations

import math
import random
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import engine.ranking.candidates_by_score
import engine.ranking.window_pruning
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.ranking.trace import Reason
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of
from tests.trust.soak import some

WORDS = [
    *("harbour", "weather", "fishing", "people", "keeper", "coast", "lamp", "storm", "boat", "sea", "wind", "wave"),
    *("rock", "tower", "stair", "oil"),
]
NEEDLE = "The foghorn of Skagen sounds through every night of the winter."


def prose(seed: int, n_sentences: int, longest: int = 20) -> str:
    draw = random.Random(seed)
    sentences = (draw.choices(WORDS, k=draw.randint(3, longest)) for _ in range(n_sentences))
    return " ".join(" ".join(words).capitalize() + "." for words in sentences)


PARAGRAPHS = "".join(f"<p>{prose(number, 5)}</p>" for number in range(12))
ARTICLE = f"<a><h>Signals</h>{PARAGRAPHS}<p>The foghorn of Anholt is loud. {prose(13, 2)}</p></a>"
TEXT = f"{prose(20, 120)} {NEEDLE} {prose(21, 120)}"
UNDIVIDED = {
    "root": f"<doc>{TEXT}</doc>",
    "body": f"<doc><h>Memories</h><body>{TEXT}</body></doc>",
    "inline": f"<doc>{TEXT.replace('Skagen', '<i>Skagen</i>')}</doc>",
    # of a tag whose elements are usually short
    "cell": f"<doc><cell>{prose(22, 200)} {NEEDLE}</cell>{'<cell>lamp</cell>' * 90}</doc>",
}
OPTIONS = [{}, {"max_sentences": 3}, {"whole_weight": 0}, {"whole_weight": 1}]


def indexed(folder: Path, documents: dict[str, str]) -> IndexReader:
    folder.mkdir(exist_ok=True)
    (folder / "profile.toml").write_text('inline = ["i"]\ntitles = ["h"]\n')
    return index_of(folder, documents, profile=str(folder / "profile.toml"))


@pytest.mark.parametrize(
    ("name", "beside", "options"), some([*product(UNDIVIDED, [{}, {"article": ARTICLE}], OPTIONS)], 11)
)
def test_a_text_without_elements_is_answered_by_its_sentences(tmp_path, name, beside, options):
    index = indexed(tmp_path, {"text": UNDIVIDED[name], **beside})
    found = [each for each in answers_to(index, "foghorn", passages=True, **options) if each.document == "text"]

    assert len(found) == 1
    assert NEEDLE in found[0].text
    assert found[0].words <= 60
    assert found[0].sentences is not None


def test_passages_of_undivided_text_have_as_many_sentences_as_the_shortest_passage_needs(tmp_path):
    index = indexed(tmp_path, {"text": f"<doc>{prose(1, 200, 6)} Fog is here. {prose(2, 200, 6)}</doc>"})
    found = answers_to(index, "fog", passages=True, min_passage_words=40)
    assert len(found) == 1
    first, last = found[0].sentences
    assert last - first >= 7
    assert 40 <= found[0].words <= 45
    everywhere = answers_to(index, "lamp", passages=True, min_passage_words=40)
    assert all(40 <= each.words <= 45 for each in everywhere)
    assert all("lamp" in each.text.lower() for each in everywhere)
    stretches = sorted((each.start, each.end) for each in everywhere)
    assert all(end <= start for (_, end), (start, _) in pairwise(stretches))


def test_the_last_sentence_of_a_undivided_text_is_in_a_passage_even_if_it_is_short(tmp_path):
    text = f"{prose(3, 200)} Harbour lamp storm boat sea wind wave rock tower oil. Fog here."
    found = answers_to(indexed(tmp_path, {"text": f"<doc>{text}</doc>"}), "fog", passages=True, min_passage_words=20)

    assert [each.text[-9:] for each in found] == ["Fog here."]


@pytest.mark.long
def test_one_huge_text_does_not_change_what_other_elements_may_be(tmp_path):
    alone = indexed(tmp_path / "alone", {"article": ARTICLE})
    huge = f"<doc><body>{prose(30, 12_000)}</body></doc>"
    beside = indexed(tmp_path / "beside", {"article": ARTICLE, "huge": huge})

    assert beside.statistics.block_words == pytest.approx(alone.statistics.block_words, rel=0.1)
    for options in ({}, {"answers": "blocks"}, {"passages": True}):
        of_both = [
            {
                each.path: each.sentences
                for each in answers_to(index, "foghorn", **options)
                if each.document == "article"
            }
            for index in (alone, beside)
        ]
        assert of_both[0]
        assert of_both[0] == of_both[1]


def test_texts_of_ordinary_length_are_no_undivided_text(tmp_path):
    index = indexed(tmp_path, {"article": ARTICLE, "short": f"<doc>{'lamp ' * 299}</doc>"})
    elements = index.elements
    own = elements.n_own_words(np.arange(elements.row_base[-1]))

    assert not index.statistics.tags.have_undivided_text.any()
    by_words, by_blocks = (own**2).sum() / own.sum(), own[own > 1].mean()  # the title has one word
    assert index.statistics.block_words == pytest.approx(math.sqrt(1.5 * by_blocks * by_words))


def test_what_contains_undivided_text_is_no_passage_and_explain_says_why(tmp_path):
    index = indexed(tmp_path, {"body": UNDIVIDED["body"], "article": ARTICLE})
    settings = Settings.from_options(passages=True)

    outcome = explain(index, "foghorn", "body", "/doc[1]", settings).outcome
    assert outcome.reason is Reason.UNDIVIDED_TEXT
    assert "it contains undivided text, whose sentences are passages" in outcome.description
    assert [each.path for each in answers_to(index, "foghorn", answers="//doc")] == ["/doc[1]"]


def test_passages_that_are_left_out_of_scoring_are_no_answers(tmp_path, monkeypatch):
    documents = {f"text{n}": f"<doc>{prose(100 + n, 60)} Fog. {prose(200 + n, 60)}</doc>" for n in range(12)}
    articles = {f"article{n}": ARTICLE.replace("Anholt", f"fog of a{n}") for n in range(4)}
    index = indexed(tmp_path, {**documents, **articles})
    monkeypatch.setattr(engine.ranking.window_pruning, "SELECTED_FROM", 2)

    def found() -> list[tuple[str, str, tuple[int, int] | None, float | None]]:
        answers = answers_to(index, "fog lamp storm", passages=True, max_answers=6)
        return [(each.document, each.path, each.sentences, each.score) for each in answers]

    some = found()
    monkeypatch.setattr(engine.ranking.candidates_by_score, "can_prune", lambda *_: False)
    assert some == found()
