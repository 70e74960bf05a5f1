"""From topics to a run: which part of a topic is asked, and how the run says so."""

from __future__ import annotations

import pytest

from engine.answers.topic_run import run_topics, topic_query
from engine.errors import SettingsError
from engine.settings import Settings
from engine.settings.tasks import named_settings, task_settings
from engine.topics import Topic
from tests.engine.check_answers import search
from tests.engine.small_index import index_of

WORDS = Topic("1", "CO", title="sea")
PATH = Topic("2", "CAS", title="sea", castitle="//p[about(., lamp)]")
PATH_ALONE = Topic("3", "CAS", castitle="//p[about(., lamp)]")
BOTH = Topic("4", "CO+S", title="sea", castitle="//p[about(., lamp)]")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("topics"), {"a": "<a><p>sea</p><p>lamp</p></a>"})


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, ["sea", "lamp", "lamp", "sea"]),
        (task_settings("CO.Thorough"), ["sea", "sea", "lamp", "sea"]),
        (task_settings("COS.Thorough"), ["sea", "lamp", "lamp", "lamp"]),
        (task_settings("VVCAS"), ["sea", "lamp", "lamp", "lamp"]),
        (named_settings("nCRE-+S-PTF"), ["sea", "lamp", "lamp", "lamp"]),
        (named_settings("Zettair"), ["sea", "lamp", "lamp", "sea"]),
    ],
)
def test_a_reading_decides_which_part_of_a_topic_is_the_query(options, asked):
    settings = Settings.from_options(**options)
    queries = [topic_query(topic, settings) for topic in (WORDS, PATH, PATH_ALONE, BOTH)]

    assert queries == [query if query == "sea" else "//p[about(., lamp)]" for query in asked]


@pytest.mark.parametrize(
    ("topics", "task", "asked"),
    [
        ([WORDS], "CO.Thorough", {"title"}),
        ([BOTH], "CO.Thorough", {"title"}),
        ([BOTH], "COS.Thorough", {"castitle"}),
        ([WORDS, PATH], "BestInContext", {"title", "castitle"}),
    ],
)
def test_a_run_states_which_parts_of_its_topics_were_queries(index, topics, task, asked):
    run, problems = run_topics(index, topics, Settings.from_options(**task_settings(task)), run_id="r")

    assert not problems
    assert list(run.topic_fields) == ["title", "castitle", "description", "narrative", "ontopic_keywords"]
    assert {name for name, value in run.topic_fields.items() if value == "yes"} == asked


@pytest.mark.parametrize("reading", ["auto", "SS", "VV"])
def test_a_castitle_without_its_slashes_is_no_keyword_query(index, reading):
    slipped = Topic("5", "CAS", title="sea", castitle="p[about(., lamp)]", source="t.xml", line=7)
    run, (problem,) = run_topics(index, [slipped, PATH], Settings.from_options(reading=reading), run_id="r")

    assert str(problem).startswith("t.xml:7: topic '5': query, position 1: a path query begins with / or //")
    assert list(run.rankings) == ["2"]
    assert list(run_topics(index, [slipped], Settings.from_options(reading="CO"), run_id="r")[0].rankings) == ["5"]


def test_a_path_in_a_topic_that_asks_by_words_is_taken_by_its_words(index):
    of_words = Topic("6", "CO", castitle="//p[about(., lamp)]")
    both = Topic("7", "CO+S", castitle="//p[about(., lamp)]")

    def described(**options):
        return run_topics(index, [of_words, both, PATH], Settings.from_options(**options), run_id="r")[0].description

    assert described().endswith("; topics read CO: 6 7, SS: 2")
    assert "read" not in described(reading="SS")
    assert described(answers="target").endswith("; every topic read SS")


@pytest.mark.parametrize("options", [{}, {"passages": True}, {"approach": "fulltext"}, {"word_budget": 2}])
def test_a_run_with_scores_has_those_of_its_answers(index, options):
    settings = Settings.from_options(**options)
    run, _ = run_topics(index, [WORDS], settings, run_id="r", with_scores=True)

    answers = search(index, "sea", settings)
    assert len(answers)
    assert run.rankings["1"].rsv.tolist() == [
        answer.rsv if answer.score is None else answer.score for answer in answers
    ]


@pytest.mark.parametrize("options", [{"group_by_article": True}, named_settings("H-oCRE-MpE")])
def test_scores_that_do_not_fall_with_the_rank_are_refused(index, options):
    with pytest.raises(SettingsError, match="scores"):
        run_topics(index, [WORDS], Settings.from_options(**options), run_id="r", with_scores=True)
