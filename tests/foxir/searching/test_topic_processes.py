"""Topics are answered alike by one process and by several."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

import foxir
from engine.answers.topic_run import answer_topic
from engine.errors import IndexFormatError, TopicError
from engine.topics import read_topics
from foxir.searching.topic_processes import answers_to, by_processes
from tests.engine.ranking import own_functions
from tests.foxir.conftest import ROOT, Sample

COLUMNS = {"with_offsets": True, "with_scores": True}


@pytest.mark.long
@pytest.mark.parametrize("settings", [{}, {"passages": True}, {"similarity": f"{own_functions.HERE}:bm25"}], ids=str)
def test_processes_answer_as_one_does(sample: Sample, settings: dict) -> None:
    topics, chosen = read_topics(sample.topics).topics, foxir.make_settings(**settings)

    found = list(by_processes(topics, sample.index.generation, chosen, 2, COLUMNS))

    assert found == [answer_topic(sample.index.reader, topic, chosen, **COLUMNS) for topic in topics]


def test_few_topics_are_answered_without_further_processes(sample: Sample, monkeypatch) -> None:
    topics = read_topics(sample.topics).topics[:3]
    monkeypatch.setattr("multiprocessing.Process.start", lambda *_: pytest.fail("a process was started"))

    found = list(answers_to(topics, sample.index.reader, foxir.make_settings(), 8, COLUMNS))

    assert [each.ranking.topic for each in found] == [topic.topic_id for topic in topics]


@pytest.mark.long
def test_a_killed_process_is_told(sample: Sample, tmp_path: Path) -> None:
    topics = read_topics(sample.topics).topics
    own = foxir.make_settings(similarity=f"{__name__}:kill")
    with pytest.raises(TopicError, match="a worker process ended"):
        list(by_processes(topics, sample.index.generation, own, 1, COLUMNS))


@pytest.mark.long
def test_an_index_replaced_before_processes_open_it_is_told(
    sample: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    topics, folder = read_topics(sample.topics).topics, tmp_path / "index"
    shutil.copytree(sample.index.folder, folder)
    with foxir.open_index(folder) as index:
        generation = index.generation
    shutil.rmtree(folder)
    with pytest.raises(IndexFormatError, match="there is no such folder"):
        list(by_processes(topics, generation, foxir.make_settings(), 1, COLUMNS))

    assert capfd.readouterr().err == ""


def kill(_: object) -> object:
    os.kill(os.getpid(), signal.SIGKILL)


# Judgements made of quotes, and quotes of judgements.


EVERY = ROOT / "topics/qrels.txt"
ONE = {"question": "range of fog signals", "document": "jats/fx-006"}


@pytest.mark.parametrize("name", ["quotes.jsonl", "quotes.csv"])
def test_quotes_of_judgements_make_the_same_judgements(sample: Sample, tmp_path: Path, name: str) -> None:
    quotes = foxir.quotes_of(EVERY, sample.topics, sample.index)
    foxir.write_quotes(quotes, tmp_path / name)
    result = foxir.judge_quotes(tmp_path / name, sample.index)
    expected = foxir.read_assessments(EVERY)

    assert (result.found["exact"], result.missing) == (len(quotes), 0)
    for topic, judged in result.assessments.topics.items():
        passages = expected.topics[topic].passages
        assert sorted(judged.passages.starts.tolist()) == sorted(passages.starts.tolist())
        assert judged.lengths.max() > 0
    foxir.write_assessments(result.assessments, tmp_path / "qrels.txt", "fol")
    assert foxir.read_assessments(tmp_path / "qrels.txt").topics.keys() == result.assessments.topics.keys()


def test_what_is_not_found_exactly_is_told(sample: Sample, tmp_path: Path) -> None:
    text = sample.index.text("jats/fx-006")[5456:5520]
    lines = [
        {**ONE, "quote": text.upper()},
        {**ONE, "quote": [f"{text} indeed it was", "zzz yyy"]},
        {**ONE, "document": "fx-006", "quote": "fog"},
        {"qid": "q7", "query": "lamps", "doc_id": "jats/fx-006", "passage": text},
    ]
    path = tmp_path / "quotes.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = foxir.judge_quotes(path, sample.index)

    assert (dict(result.found), result.missing) == ({"exact": 1, "words": 1, "nearly": 1}, 2)
    assert [(topic.topic_id, topic.title) for topic in result.topics] == [("1", ONE["question"]), ("q7", "lamps")]
    told = [str(notice) for notice in result.notices]
    assert "taken as" in told[0]
    assert "no passage of jats/fx-006 is like it: left out" in told[1]
    assert "did you mean 'jats/fx-006'" in told[2]
    assert f"{path}:2" in told[1]


def test_an_empty_quote_is_left_out_and_told(sample: Sample, tmp_path: Path) -> None:
    text = sample.index.text("jats/fx-006")[5456:5520]
    lines = [{**ONE, "quote": each} for each in (" ", text, [], None, [text, ""])] + [{**ONE, "question": ""}]
    path = tmp_path / "quotes.jsonl"
    path.write_text("\n".join(json.dumps({"quote": text} | each) for each in lines))
    result = foxir.judge_quotes(path, sample.index)

    assert (result.found["exact"], result.missing) == (2, 5)
    told = [(each.code, each.fields["line"], each.fields["missing"], each.kind) for each in result.notices]
    missing = [(1, "quote"), (3, "quote"), (4, "quote"), (5, "quote"), (6, "question")]
    assert told == [("quote_incomplete", f"{path}:{line}", name, "exclusion") for line, name in missing]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no quotes: expected question, document and quote"),
        ("question,document,quote\nwhy,jats/fx-006", ":2: 2 columns where the header has 3"),
        ("a,b\n1,2", ":2: no question: expected question, document and quote; the fields here are a, b"),
        ('{"question": "why", "document": "a"}', ":1: no quote"),
        ('{"question": "why", "document": "a", "quote": 3}', ":1: no quote"),
        ('{"question"', ":1: no JSON"),
        ("[1]", ":1: expected an object"),
        ('{"question": "why", "document": "jats/fx-006", "quote": "zzz yyy"}', "none of 1 quotes is found: .*left out"),
    ],
)
def test_a_file_of_quotes_that_is_none_is_refused(sample: Sample, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "q").write_text(text)
    with pytest.raises(foxir.AssessmentError, match=says):
        foxir.judge_quotes(tmp_path / "q", sample.index)
