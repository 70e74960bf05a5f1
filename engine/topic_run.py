"""Answering the topics of a file: topics in, a run out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.answers import Answers
from engine.errors import QueryError
from engine.index.index import Index
from engine.nexi import is_nexi, parse_nexi
from engine.runs import Ranking, Run
from engine.search import search
from engine.settings import Settings
from engine.topics import Topic, TopicProblem


def run_topics(
    index: Index,
    topics: Sequence[Topic],
    settings: Settings,
    *,
    run_id: str,
    task: str = "",
    with_offsets: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Run, list[TopicProblem]]:
    """Return the run of some topics, and the topics that could not be answered.

    Args:
        with_offsets: give results their offset and length; reads the spans of every answer.
    """
    rankings: dict[str, Ranking] = {}
    readings: dict[str, list[str]] = {}
    problems: list[TopicProblem] = []
    for number, topic in enumerate(topics):
        try:
            answers = search(index, _checked_query(topic, settings), _as_its_type_asks(topic, settings))
        except QueryError as error:
            problems.append(TopicProblem(topic.source, topic.line, topic.topic_id, str(error)))
            continue
        rankings[topic.topic_id] = as_ranking(topic.topic_id, answers, with_offsets=with_offsets)
        readings.setdefault(answers.interpretation, []).append(topic.topic_id)
        if progress:
            progress("answering", number + 1, len(topics))
    run = Run(
        run_id=run_id,
        rankings=rankings,
        participant="foxir",
        task=task,
        description=f"foxir over {index.n_documents} documents{_readings(readings, settings)}",
        settings=settings.describe(),
        topic_fields=_topic_fields(topics, settings),
        collections=(Path(index.folder).stem,),
    )
    return run, problems


def _readings(readings: Mapping[str, Sequence[str]], settings: Settings) -> str:
    """Return how topics were read, where they were not all read as the settings say; else nothing."""
    if settings.reading != "auto" or not readings:
        return ""
    if len(readings) == 1:
        return f"; every topic read {next(iter(readings))}"
    return "; topics read " + ", ".join(f"{reading}: {' '.join(ids)}" for reading, ids in sorted(readings.items()))


def topic_query(topic: Topic, settings: Settings) -> str:
    """Return the query that a topic asks under a reading: its title, or its castitle where structure counts.

    `auto` takes the castitle of CAS topics only; the reading CO takes a castitle where there is no title.
    """
    return topic.castitle if _asks_castitle(topic, settings) else topic.title


def _checked_query(topic: Topic, settings: Settings) -> str:
    """Return what a topic asks; raise QueryError for a castitle that would be taken for words."""
    query = topic_query(topic, settings)
    if _asks_castitle(topic, settings) and not is_nexi(query):
        parse_nexi(query)
    return query


def _as_its_type_asks(topic: Topic, settings: Settings) -> Settings:
    """Return the settings with the reading that a topic's type gives a path query, where they leave it open.

    Only CAS asks for structure: the path of another topic, which has no other query, is taken by its words.
    """
    is_open = settings.reading == "auto" and settings.answers != "target"
    takes_words = is_open and topic.query_type != "CAS" and _asks_castitle(topic, settings)
    return replace(settings, reading="CO") if takes_words else settings


def _asks_castitle(topic: Topic, settings: Settings) -> bool:
    by_structure = topic.query_type == "CAS" if settings.reading == "auto" else settings.reading != "CO"
    return bool(topic.castitle) and (by_structure or not topic.title)


def _topic_fields(topics: Sequence[Topic], settings: Settings) -> Mapping[str, str]:
    """Return which parts of the topics were asked, as submissions to INEX say it."""
    asks_castitle = {_asks_castitle(topic, settings) for topic in topics}
    asked = {"title": False in asks_castitle, "castitle": True in asks_castitle}
    asked |= {"description": False, "narrative": False, "ontopic_keywords": False}
    return {name: "yes" if is_asked else "no" for name, is_asked in asked.items()}


def as_ranking(topic_id: str, answers: Answers, *, with_offsets: bool = False) -> Ranking:
    """Return answers as the ranking of a topic; passages are stretches of text, which have offsets and no path."""
    is_text = answers.sentences is not None
    spans = answers.spans if with_offsets or is_text else None
    return Ranking.ranked(
        topic_id,
        answers.document_ids,
        None if is_text else answers.paths,
        rsv=answers.rsv,
        starts=None if spans is None else spans[:, 0],
        lengths=None if spans is None else spans[:, 1] - spans[:, 0],
    )
