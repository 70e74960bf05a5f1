"""Topics are answered alike by one process and by several."""

from __future__ import annotations

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
from tests.foxir.conftest import Sample

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
