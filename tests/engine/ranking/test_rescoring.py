"""Candidates scored again under other weights are those of a search under them, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.ranking.parts.catalogue import WEIGHTS
from engine.ranking.score_parts import best_parts, rescored, score_parts
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.selection import select
from engine.settings import Settings
from tests.engine.ranking.scoring.test_article_bounds import WORDS, element, sentences_of
from tests.engine.small_index import answers_to, index_of
from tests.trust.soak import effort

VALUES = {
    "article_weight": [0.0, 0.7, 9.0],
    "parent_weight": [0.0, 0.3, 0.9, 1.0],
    "heading_weight": [0.0, 0.5, 4.0],
    "neighbour_weight": [0.0, 0.4, 3.0],
    "coverage": [0.0, 0.2, 2.0],
}
WAYS = [
    {},
    {"passages": True, "max_sentences": 2},
    {"passages": True, "max_sentences": 1},
    {"overlap": "keep", "min_words": 0, "min_leaf_words": 0},
    {"element_similarity": "text-blocks"},
    {"passages": True},
    {"answers": "//(p|sec)", "focus": 0.4},
    {"word_budget": 60},
    {"coverage": 0.5, "documents": "d1*"},
]


def documents() -> dict[str, str]:
    rng = random.Random(5)
    return {f"d{n}": element(rng, rng.choice(WORDS), 0) for n in range(20)}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("rescoring")
    (folder / "profile.toml").write_text('inline = ["i"]\ntitles = ["li"]\n')
    with index_of(folder, documents(), profile=str(folder / "profile.toml")) as reader:
        yield reader


def queries(rng: random.Random) -> Iterator[str]:
    yield from (" ".join(rng.sample(WORDS, rng.randint(1, 4))) for _ in range(effort(2, 100)))
    yield "//sec[about(., fog tide)]//p[about(., sea)]"
    yield from rng.sample(sentences_of(documents().values()), effort(2, 30))


def weights(rng: random.Random) -> dict[str, float]:
    return {name: rng.choice(values) for name, values in VALUES.items()}


@pytest.mark.parametrize("way", WAYS)
def test_scores_and_answers_are_those_of_a_search(index, way):
    rng = random.Random(str(way))
    for query in queries(rng):
        parts = score_parts(index, query, Settings.from_options(**way), WEIGHTS)
        for _ in range(effort(2, 4, thorough=4)):
            chosen = weights(rng)
            if query.startswith("//"):
                chosen |= {"heading_weight": 0.0, "neighbour_weight": 0.0}
            answers = answers_to(index, query, **{**way, **chosen})
            found = select(parts.plan.selection, rescored(parts, chosen), texts=AnswerWords(index))
            assert np.array_equal(found.rows, answers.elements)
            assert np.array_equal(found.scores, answers.scores)
            if found.sentences is not None:
                assert np.array_equal(found.sentences, answers.sentences)


@pytest.mark.parametrize("way", WAYS)
def test_the_best_candidates_keep_their_scores_under_all_weights(index, way):
    rng = random.Random(str(way))
    for query in queries(rng):
        settings = Settings.from_options(**way)
        every = score_parts(index, query, settings, WEIGHTS)
        best = best_parts(index, every, 7)
        before = rescored(every, {}).scores
        assert sorted(rescored(best, {}).scores) == sorted(before)[-len(best) :]
        assert len(best) == min(7, len(every))
        assert len(best.evidence.context.rows) <= len(every.evidence.context.rows)
        for _ in range(effort(2, 4, thorough=4)):
            chosen = weights(rng)
            one, other = rescored(every, chosen), rescored(best, chosen)
            scores = {key: score for *key_, score in columns(one) for key in [tuple(key_)]}
            assert all(scores[tuple(key)] == score for *key, score in columns(other))


def columns(found):
    ends = found.begins if found.sentences is None else found.ends
    return zip(found.rows.tolist(), found.begins.tolist(), ends.tolist(), found.scores.tolist(), strict=True)


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ({"rank_by": "structure"}, "weights are of scored elements"),
        ({"approach": "fulltext"}, "weights are of scored elements"),
        ({"element_similarity": "gpx"}, "coverage and heading_weight need a calculated score"),
        ({"unit": "siblings"}, "weights are learned from elements or passages"),
    ],
)
def test_what_has_no_weights_is_refused(index, way, says):
    with pytest.raises(SettingsError, match=says):
        score_parts(index, "sea fog", Settings.from_options(**way), WEIGHTS)


def test_an_element_similarity_of_whole_elements_has_the_other_weights(index):
    varied = ("article_weight", "parent_weight", "neighbour_weight")
    way = {"element_similarity": "gpx"}
    parts = score_parts(index, "sea fog", Settings.from_options(**way), varied)
    chosen = {"article_weight": 0.5, "parent_weight": 0.2, "neighbour_weight": 1.0}
    answers = answers_to(index, "sea fog", **way, **chosen)
    found = select(parts.plan.selection, rescored(parts, chosen), texts=AnswerWords(index))
    assert np.array_equal(found.scores, answers.scores)
