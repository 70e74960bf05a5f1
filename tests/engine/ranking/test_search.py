"""The whole line, from files through an index to answers, against the slow and obvious version."""

from __future__ import annotations

import functools
import itertools
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import engine.ranking.batches
from engine.collection.profiles.profile_files import load_profile
from engine.index.reader import IndexReader, open_reader
from engine.ranking import answers_in_batches
from tests.engine.small_index import answers_to, build_index, grown_index, index_of, write
from tests.reference import co_search, random_collections
from tests.reference.random_collections import INLINE, PROFILE, SKIP, STOP_WORDS
from tests.shared_data import TRIALS, shared
from tests.trust.soak import effort, some

ASKED = st.lists(st.tuples(random_collections.queries, random_collections.settings()), min_size=1, max_size=6)


def assert_equal(
    index: IndexReader,
    documents: Mapping[str, co_search.Document],
    asked: Sequence[Any],
    stop_words: Sequence[str] = (),
) -> None:
    for query, settings in asked:
        found = answers_to(index, query, reading="CO", **settings)
        expected = co_search.search(documents, query, stop_words, **settings)
        assert [(answer.document, answer.path) for answer in found] == [(name, path) for name, path, _ in expected]
        assert [answer.article_score for answer in found] == pytest.approx([s for *_, s in expected], abs=1e-9)


def read(
    sources: Mapping[str, str], inline: Sequence[str] = (), skip: Sequence[str] = (), stop: Sequence[str] = ()
) -> dict[str, co_search.Document]:
    return {name: co_search.Document.read(source, inline, skip, stop) for name, source in sources.items()}


@hypothesis_settings(max_examples=effort(2, 1000, thorough=50), deadline=None)
@given(random_collections.collections, ASKED)
@pytest.mark.long
def test_every_element_for_itself(sources, asked):
    with grown_index([sources]) as index:
        assert_equal(index, read(sources), asked)


@hypothesis_settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(random_collections.collections, ASKED)
@pytest.mark.long
def test_inline_tags_left_out_tags_and_stop_words(sources, asked):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        assert_equal(index, read(sources, INLINE, SKIP, STOP_WORDS), asked, STOP_WORDS)


@hypothesis_settings(max_examples=effort(2, 500, thorough=25), deadline=None)
@given(st.lists(random_collections.collections, min_size=2, max_size=3), ASKED, st.sampled_from([1, 2, 64]))
@pytest.mark.long
def test_segments_and_deletions(steps, asked, first_articles):
    with grown_index(steps, profile_text=PROFILE) as index, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.ranking.batches, "FEWEST_ARTICLES", first_articles)
        patch.setattr(answers_in_batches, "first_size", lambda *_: first_articles)
        assert_equal(index, read(steps[-1], INLINE, SKIP), asked)


@hypothesis_settings(max_examples=effort(2, 250, thorough=10), deadline=None)
@given(random_collections.collections, ASKED, st.randoms(use_true_random=False))
@pytest.mark.long
def test_order_of_files_changes_nothing(sources, asked, shuffler):
    def answers(index):
        return [
            [
                (answer.document, answer.path, answer.article_score)
                for answer in answers_to(index, query, reading="CO", **s)
            ]
            for query, s in asked
        ]

    with tempfile.TemporaryDirectory() as name, patch("os.fsync", lambda _: None):
        folder = Path(name)
        (folder / "source").mkdir()
        write(folder / "source", sources)
        files = sorted((folder / "source").rglob("*.xml"))
        found = []
        for number in range(2):
            listed = folder / f"{number}.txt"
            listed.write_text("\n".join(map(str, files)), "utf-8")
            build_index(f"@{listed}", into=folder / f"index{number}", profile="none")
            found.append(answers(open_reader(folder / f"index{number}")))
            shuffler.shuffle(files)

    assert found[0] == found[1]


def test_articles_with_equal_scores_are_in_the_order_of_their_ids(tmp_path):
    ids = ["b", "B", "a10", "a9", "é", "c/a", "c"]
    index = index_of(tmp_path, dict.fromkeys(ids, "<a>sea</a>") | {"other": "<a>tide</a>"})

    for approach in ("hybrid", "fulltext", "native"):
        answers = answers_to(index, "sea", approach=approach, answers="oCRE", heuristic="MpE", reading="CO")
        assert answers.document_ids == sorted(ids)


def test_a_word_only_in_excluded_text_is_unknown(tmp_path):
    profile = tmp_path / "profile.toml"
    profile.write_text(PROFILE, "utf-8")
    index = index_of(tmp_path, {"a": "<article>tide<note>sea</note></article>"}, profile=str(profile))

    assert answers_to(index, "sea tide", reading="CO").paths == ["/article[1]"]
    assert answers_to(index, '"sea sea" tide', reading="CO").paths == ["/article[1]"]
    assert not len(answers_to(index, "sea", reading="CO"))


N_TRIALS = effort(24, 60, thorough=60)
QUERIES = (
    *("paroxetine placebo", "diabetes insulin blood glucose", '"blood pressure" treatment'),
    *('+"quality of life" patients', "vitamin D -calcium children", "randomised double-blind trial"),
    *("+mortality hospital infection", "pain score at 24 hours"),
    *("HbA1c p < 0.05", '"confidence interval" -adverse weight'),
)


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """An index of reports of trials, and what the slow version reads of them."""
    folder = tmp_path_factory.mktemp("trials")
    sources = {}
    with tarfile.open(shared(TRIALS)) as archive:
        for member in itertools.islice((member for member in archive if member.isfile()), N_TRIALS):
            file = archive.extractfile(member)
            assert file
            sources[Path(member.name).stem] = file.read()
    jats = load_profile("jats")
    index = index_of(folder, sources, profile="jats")
    read_document = functools.partial(co_search.Document.read, inline=jats.inline, skip=jats.skip, breaks=jats.breaks)
    return index, {name: read_document(source) for name, source in sources.items()}


@pytest.mark.shared_data(TRIALS)
@pytest.mark.parametrize("query", some(QUERIES, 3))
@pytest.mark.long
def test_reports_of_trials(trials, query):
    index, documents = trials
    shared = {
        "similarity": "pcosine",
        "approach": "hybrid",
        "max_matches": None,
        "max_per_article": None,
        "max_articles": 5,
        "function_words": "keep",
    }

    assert_equal(
        index,
        documents,
        [
            (
                query,
                {
                    **shared,
                    "answers": "oCRE",
                    "heuristic": "MpE",
                    "max_answers": 1500,
                    "overlap": "keep",
                    "operator": "or",
                },
            ),
            (
                query,
                {
                    **shared,
                    "answers": "nCRE",
                    "heuristic": "TPF",
                    "max_answers": 50,
                    "overlap": "remove",
                    "operator": "or",
                },
            ),
            (
                query,
                {
                    **shared,
                    "answers": "oCRE",
                    "heuristic": "PTF",
                    "max_answers": 1500,
                    "overlap": "keep",
                    "operator": "and",
                },
            ),
        ],
    )
    for similarity in ("okapi", "dirichlet"):
        assert_equal(
            index, documents, [(query, {"approach": "fulltext", "similarity": similarity, "function_words": "keep"})]
        )
