"""Runs of siblings equal those of a slow reference: one answer after the other grows over its siblings."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of
from tests.reference import random_collections
from tests.trust.soak import effort

REACH, FADING, SHARE, MOST, LABEL = 4, 0.8, 0.5, 200, 5


def turn(speaker: str, words: str) -> str:
    return f"<turn><who>{speaker}</who><p>{words}</p></turn>"


BUDGET = [("Ann", "What does the lamp cost?"), ("Bo", "The lamp costs forty crowns."), ("Ann", "Is that much?")]
TALK = [
    *[("Cy", f"We spoke of boats, number {number}, and of sails for a long while.") for number in range(12)],
    *BUDGET,
    *[("Cy", f"Then of nets, number {number}, and how they are mended in winter.") for number in range(12)],
]
DOCUMENTS = {
    "talk": f"<talk><title>Minutes</title>{''.join(turn(*each) for each in TALK)}</talk>",
    "oil": f"<talk><title>Oil again</title>{turn('Eva', 'Oil like this is good oil.') * 60}</talk>",
    "other": "<talk><title>Oil</title><turn><who>Di</who><p>Oil for the lamp.</p></turn></talk>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("siblings"), DOCUMENTS, profile="auto")


def expected(index: IndexReader, query: str, **settings: Any) -> list[tuple[int, int, int, float]]:
    """Row, first and last sibling, and score of each answer."""
    elements = index.elements

    def of(name: str, row: int) -> int:
        return int(getattr(elements, name)(np.array([row]))[0])

    def block(row: int) -> int:
        while True:
            above = of("parent", row)
            if of("parent", above) == above or of("n_words", above) - of("n_words", row) > LABEL:
                return row
            row = above

    def siblings(row: int) -> list[int]:
        parent, found = of("parent", row), []
        child = parent + 1
        while child < of("end", parent):
            is_left_out = of("is_inline", child) or of("are_skipped", child) or not of("n_words", child)
            found += [child] * (child == row or not is_left_out)
            child = of("end", child)
        return found if parent != row else [row]

    answers = answers_to(index, query, **{**settings, "overlap": "remove", "unit": "element", "max_table_words": None})
    rows, scores = answers.elements.tolist(), list(answers.scores)
    best: dict[int, float] = {}
    for row, score in zip(rows, scores, strict=True):
        best.setdefault(block(row), score)

    def smooth(row: int, among: list[int]) -> float:
        at = among.index(row)
        near = [(other, FADING ** abs(place - at)) for place, other in enumerate(among) if abs(place - at) <= REACH]
        return sum(best.get(other, 0.0) * weight for other, weight in near) / sum(weight for _, weight in near)

    taken: set[int] = set()
    found = []

    def is_free(row: int) -> bool:
        return taken.isdisjoint(range(row, of("end", row)))

    for row, score in zip(rows, scores, strict=True):
        if not is_free(row):
            continue
        begin, among = block(row), siblings(block(row))
        run = [begin]
        while is_free(begin):
            first, last = among.index(run[0]), among.index(run[-1])
            beside = [among[place] for place in (first - 1, last + 1) if 0 <= place < len(among)]
            beside = [each for each in beside if each in best or of("tag", each) == of("tag", begin)]
            beside = [
                each
                for each in beside
                if smooth(each, among) >= SHARE * smooth(begin, among) - 1e-12
                and sum(of("n_words", other) for other in (*run, each)) <= MOST
                and is_free(each)
            ]
            if not beside:
                break
            best_beside = max(beside, key=lambda each: smooth(each, among))
            run = sorted([*run, best_beside])
        if len(run) == 1:
            run = [row]
        taken |= set(range(run[0], of("end", run[-1])))
        found.append((row, run[0], run[-1], score))
    return found


def described(answers: Any) -> list[tuple[int, int, int, float]]:
    columns = zip(answers.elements.tolist(), answers.columns.siblings.tolist(), answers.scores.tolist(), strict=True)
    return [(row, first, last, score) for row, (first, last), score in columns]


SAID = ("sea tide", "lamp", "gulls and bells", "sea lamp tide sea", "nothing here at all, as far as one sees")
talks = st.lists(st.lists(st.sampled_from(SAID), min_size=1, max_size=24), min_size=1, max_size=3).map(
    lambda said: {
        f"t{n}": f"<talk>{''.join(turn('Bo', each) for each in turns)}</talk>" for n, turns in enumerate(said)
    }
)


@hypothesis_settings(max_examples=effort(6, 300, thorough=60), deadline=None)
@given(
    st.one_of(talks, talks, random_collections.collections),
    st.sampled_from(["sea", "sea tide", "tide lamp sea", "+sea lamp"]),
    st.sampled_from([{}, {"element_similarity": "gpx"}, {"max_articles": 1}, {"min_words": 1}]),
)
def test_runs_are_those_of_the_reference(documents: dict[str, str], query: str, settings: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        index = index_of(Path(name), documents, profile=write_profile(Path(name)))
        found = described(answers_to(index, query, unit="siblings", **settings))
        assert found == expected(index, query, **settings)
        index.close()


def write_profile(folder: Path) -> str:
    file = folder / "profile.toml"
    file.write_text(random_collections.PROFILE, "utf-8")
    return str(file)


def test_turns_that_speak_of_the_same_are_one_answer(index: IndexReader) -> None:
    answers = answers_to(index, "what does the lamp cost in crowns", unit="siblings")
    best = answers[0]
    assert best.siblings is not None
    first, last = (int(path.rpartition("[")[2][:-1]) for path in best.siblings)
    assert first <= 13 < last  # the two that say it
    assert best.path.startswith(("/talk[1]/turn[13]", "/talk[1]/turn[14]"))
    assert best.words == len(re.findall(r"\w+", best.readable_text))
    assert best.breadcrumb == ["Minutes"]
    assert "The lamp costs forty crowns." in best.readable_text.splitlines()
    assert best.to_dict()["siblings"] == best.siblings
    assert expected(index, "what does the lamp cost in crowns") == described(answers)


def test_runs_are_as_long_as_the_settings_allow(index: IndexReader) -> None:
    def words_of_first(**settings: Any) -> int:
        return int(answers_to(index, "good oil", unit="siblings", answers="//p", **settings).rows.words[0])

    # A turn has seven words with its speaker; the title has another tag, and no answer.
    assert [words_of_first(max_words=most) for most in (6, 15, 60)] == [6, 14, 56]
    assert [words_of_first(), words_of_first(max_words=400), words_of_first(word_budget=30)] == [196, 399, 28]


def test_runs_keep_to_their_scope_and_to_the_number_of_an_article(index: IndexReader) -> None:
    for scope, begins in (({}, "CyWe spoke"), ({"inside": "//p"}, "What does")):
        best = answers_to(index, "what does it cost", unit="siblings", answers="//p", **scope)[0]
        assert best.text.startswith(begins), scope
    one = answers_to(index, "lamp boats nets", unit="siblings", max_per_article=1)
    assert sorted(one.document_ids) == ["other", "talk"]


def test_explanations_name_the_run_and_what_it_takes_in(index: IndexReader) -> None:
    query, settings = "good oil", Settings.from_options(unit="siblings", answers="//p")
    best = answers_to(index, query, unit="siblings", answers="//p")[0]
    assert best.siblings is not None
    told = explain(index, query, best.document, best.path, settings).outcome.description
    assert told == f"returned at rank 1, as the best of {best.siblings[0]} to {best.siblings[1]}"
    outcome = explain(index, query, best.document, best.siblings[1] + "/p[1]", settings).outcome
    assert outcome.reason == "siblings"
    assert outcome.description.endswith(f"takes it in, {best.path}, rank 1 (unit siblings)")


def test_what_is_ranked_by_structure_has_no_runs(index: IndexReader) -> None:
    with pytest.raises(SettingsError, match="unit: only scored elements have it"):
        answers_to(index, "lamp", unit="siblings", rank_by="structure")
