"""Near-duplicates once: a list without repetitions of better answers, each of which says where else it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from engine.settings import Settings
from tests.engine.check_answers import explained, in_numpy, over_shards, search
from tests.engine.ranking.scoring.test_reference_markup import PROFILE, collections, wordy
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.repeated_texts import repeats
from tests.trust.soak import effort

SAID = "the fog signal of the harbour sounds twice a minute while the lamp is out of sight"
DOCUMENTS = {
    "a": f"<a><p>{SAID}</p></a>",
    "b": f"<a><p>{SAID}</p></a>",
    "c": f"<a><p>{SAID.replace('sight', 'view')}</p></a>",
    "d": "<a><p>no signal is heard in thick fog by those who keep the other lamp</p></a>",
    "e": "<a><p>a fog signal is a horn</p></a>",
    "f": "<a><p>a fog signal is a horn</p></a>",
}


@pytest.mark.parametrize(
    "given_settings",
    [{}, {"unit": "sentence"}, {"approach": "fulltext"}, {"rank_by": "structure"}, {"word_budget": 100}],
)
def test_what_several_documents_say_is_shown_once_with_where_it_is_also_in(tmp_path: Path, given_settings) -> None:
    index = index_of(tmp_path, DOCUMENTS)
    chosen = Settings.from_options(repetitions="once", **given_settings)

    found = search(index, "fog signal", chosen, ways=[in_numpy, explained])

    documents = [answer.document for answer in found]
    assert sorted(documents) == ["a", "d", "e", "f"]  # what is short repeats nothing
    also_in = [(documents[each.place], index.ids[index.elements.document(each.row)]) for each in found.also_in]
    assert also_in == [("a", "b"), ("a", "c")]


def test_a_list_is_filled_with_answers_that_say_something_else(tmp_path: Path) -> None:
    index = index_of(tmp_path, DOCUMENTS)
    every = answers_to(index, "fog signal", repetitions="once")

    for most in (1, 2, 3):
        found = answers_to(index, "fog signal", repetitions="once", max_answers=most)
        assert [answer.document for answer in found] == [answer.document for answer in every][:most]


def test_without_the_setting_all_are_shown(tmp_path: Path) -> None:
    found = answers_to(index_of(tmp_path, DOCUMENTS), "fog signal")

    assert (len(found), found.also_in) == (6, ())


OTHER_ORDERS = ({"approach": "fulltext"}, {"rank_by": "structure"}, {"group_by_article": True}, {"sort": "place"})


@pytest.mark.parametrize("given_settings", [{}, *(pytest.param(each, marks=pytest.mark.long) for each in OTHER_ORDERS)])
def test_shards_leave_out_what_any_of_them_says_better(tmp_path: Path, given_settings) -> None:
    profile = tmp_path / "placed.toml"
    profile.write_text('roots = ["a"]\n[fields]\nplace = ["a/@n"]\n')
    documents = {name: text.replace("<a>", f'<a n="{9 - n % 3}">') for n, (name, text) in enumerate(DOCUMENTS.items())}
    index = index_of(tmp_path, documents, profile=str(profile))

    for most in (1, 2, 3, 1500):
        chosen = Settings.from_options(repetitions="once", max_answers=most, **given_settings)
        found = search(index, "fog signal", chosen, ways=[over_shards])  # what else it is in is compared, too
        assert len(found) == min(most, 4)
    assert len(found.also_in) == 2


@pytest.mark.long
@given(collections, wordy)
@hypothesis_settings(max_examples=effort(3, 200, thorough=30), deadline=None)
def test_the_list_is_that_of_all_answers_without_what_repeats_one_before(sources, query) -> None:
    with grown_index([sources], profile_text=PROFILE) as index:
        every = answers_to(index, query, max_answers=10_000)
        once = answers_to(index, query, max_answers=10_000, repetitions="once")
        for most in (1, 3, 10_000):
            search(index, query, Settings.from_options(repetitions="once", max_answers=most), ways=[over_shards])
        kept: list[tuple[str, str, list[str]]] = []
        for answer in every:
            words = re.findall(r"\w+", answer.text.casefold())
            if not any(repeats(words, other) for *_, other in kept):
                kept.append((answer.document, answer.path, words))

        assert [(answer.document, answer.path) for answer in once] == [(document, path) for document, path, _ in kept]
