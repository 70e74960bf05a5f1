"""What a budget promises: its answers fit, none lies in another, and more of it gives up no answer for worse ones."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import QueryError
from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.ranking.trace import Reason
from engine.settings import Settings
from tests.engine.check_answers import explained, in_numpy, over_shards, search
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.ranking.scoring.test_reference_markup import PROFILE, collections, wordy
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.repeated_texts import repeats
from tests.trust.soak import effort

EXAMPLES = effort(2, 1500, thorough=25)
BUDGETS = st.lists(st.integers(1, 40), min_size=2, max_size=6, unique=True).map(sorted)
SETTINGS = st.fixed_dictionaries(
    {
        "passages": st.sampled_from(["off", "on"]),
        "max_sentences": st.integers(1, 3),
        "answers": st.just("any"),
        "article_weight": st.sampled_from([0, 4]),
        "parent_weight": st.sampled_from([0, 0.5]),
        "max_per_article": st.sampled_from(["all", "all", 2]),
        "min_words": st.just("0"),
        "min_passage_words": st.just("0"),
    }
)


def within(index: IndexReader, query: str, budget: int, settings: dict[str, object]) -> JoinedAnswers | None:
    """Return the answers within a budget, None where it is refused as too small for any."""
    try:
        return answers_to(index, query, rank_by="score", similarity="okapi", word_budget=budget, **settings)
    except QueryError as error:
        if f"word_budget = {budget}: the shortest answer has" in str(error):
            return None
        raise


def asked(found: JoinedAnswers | None) -> list[tuple[float, object]]:
    """Return the answers, best first, with what tells them apart."""
    if found is None:
        return []
    assert found.scores is not None
    windows = [None] * len(found) if found.sentences is None else found.sentences.tolist()
    return list(zip(found.scores.tolist(), zip(found.elements.tolist(), map(str, windows), strict=True), strict=True))


@given(collections, wordy, SETTINGS, BUDGETS)
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
def test_answers_fit_and_do_not_overlap(sources, query, settings, budgets):
    with grown_index([sources], profile_text=PROFILE) as index:
        for budget in budgets:
            found = within(index, query, budget, settings)
            if found is None:
                continue
            assert sum(answer.words for answer in found) <= budget
            spans = sorted(zip(found.documents.tolist(), found.spans.tolist(), strict=True))
            for (document, (_, end)), (other, (start, _)) in pairwise(spans):
                assert document != other or end <= start
            assert not overlapping_sentences(found)


def overlapping_sentences(found: JoinedAnswers) -> bool:
    if found.sentences is None:
        return False
    sentences = [
        (row, sentence)
        for row, (first, last) in zip(found.elements.tolist(), found.sentences.tolist(), strict=True)
        for sentence in range(first, last + 1)
    ]
    return len(sentences) != len(set(sentences))


@given(collections, wordy, SETTINGS, BUDGETS)
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_the_best_answer_that_only_one_of_two_budgets_has_is_the_larger_ones(sources, query, settings, budgets):
    with grown_index([sources], profile_text=PROFILE) as index:
        answers = [asked(within(index, query, budget, settings)) for budget in budgets]

    for small, large in pairwise(answers):
        first = next((n for n, (one, other) in enumerate(zip(small, large, strict=False)) if one != other), None)
        if first is None:
            assert len(large) >= len(small)
        else:
            assert large[first][0] >= small[first][0]
            assert large[first] not in small


@given(collections, wordy, SETTINGS)
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
def test_a_budget_that_everything_fits_into_leaves_out_repetitions_alone(sources, query, settings):
    with grown_index([sources], profile_text=PROFILE) as index:
        found = within(index, query, 10_000, settings)
        without = answers_to(index, query, rank_by="score", similarity="okapi", overlap="remove", **settings)
        texts = [[words_in(answer.text) for answer in each or ()] for each in (found, without)]

    assert not has_repetitions(texts[0])
    if not has_repetitions(texts[1]):
        assert asked(found) == asked(without)


def words_in(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def has_repetitions(texts: list[list[str]]) -> bool:
    return any(repeats(one, other) for place, one in enumerate(texts) for other in texts[:place])


PARAGRAPH = "the fog signal of the harbour sounds twice a minute while the lamp is out of sight"
REPEATED = {
    "a": f"<a><p>{PARAGRAPH}</p><p>a fog signal is a horn</p></a>",
    "b": f"<a><p>{PARAGRAPH}</p><p>every lamp has a keeper, and every keeper a horn for the fog signal</p></a>",
    "c": f"<a><p>{PARAGRAPH.replace('sight', 'view')}</p><p>a fog signal is a horn</p></a>",
}
OF_PARAGRAPHS = {"answers": "//p", "min_words": "0"}


@pytest.mark.parametrize("way", [in_numpy, over_shards, explained])
def test_a_budget_has_what_several_documents_say_once(tmp_path, way):
    index = index_of(tmp_path, REPEATED)
    settings = Settings.from_options(word_budget=100, **OF_PARAGRAPHS)

    found = search(index, "fog signal", settings, ways=[way])

    assert sum("harbour" in answer.text for answer in found) == 1
    assert sum("keeper" in answer.text for answer in found) == 1
    assert sum(answer.text == "a fog signal is a horn" for answer in found) == 2  # too short to be a repetition


def test_an_explanation_names_the_answer_that_is_repeated(tmp_path):
    index = index_of(tmp_path, REPEATED)
    settings = Settings.from_options(word_budget=100, **OF_PARAGRAPHS)
    (best,) = (answer for answer in search(index, "fog signal", settings) if "harbour" in answer.text)

    outcomes = [
        explain(index, "fog signal", document, "/a[1]/p[1]", settings).outcome
        for document in REPEATED
        if document != best.document
    ]

    for outcome in outcomes:
        assert outcome.reason is Reason.REPETITION
        assert outcome.blocker is not None
        assert (outcome.blocker.relation, outcome.blocker.rank) == ("repeats", best.rank)
        assert f"{best.document}, /a[1]/p[1], rank {best.rank}" in outcome.description


def test_answers_without_a_budget_repeat_one_another(tmp_path):
    index = index_of(tmp_path, REPEATED)

    assert sum("harbour" in answer.text for answer in answers_to(index, "fog signal", **OF_PARAGRAPHS)) == 3


def test_more_words_may_be_worth_less_together(tmp_path):
    long = " ".join(["sea", "sea", "sea", *["fog"] * 7])
    index = index_of(tmp_path, {"d": f"<a><p>{long}</p><p>sea fog</p><p>sea lamp</p><p>sea tide</p></a>"})
    settings = {"answers": "//p", "article_weight": 0, "parent_weight": 0, "min_words": "0", "block_words": "1"}

    small, large = (within(index, "sea", budget, {**settings, "element_b": 0}) for budget in (9, 10))

    assert small is not None
    assert large is not None
    assert [len(small), len(large)] == [3, 1]
    assert np.sum(small.scores) > np.sum(large.scores)
    assert large.scores[0] > small.scores[0]


def test_a_budget_below_every_answer_says_what_the_shortest_needs(tmp_path):
    index = index_of(tmp_path, {"d": "<a><p>sea fog reef</p><p>sea lamp tide fog</p></a>"})

    with pytest.raises(QueryError, match=r"^word_budget = 2: the shortest answer has 3 words"):
        answers_to(index, "sea", rank_by="score", answers="//p", min_words="0", word_budget=2)
