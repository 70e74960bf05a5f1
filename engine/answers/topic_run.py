"""Runs: the answers to all topics of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Required, TypedDict

import numpy as np

from engine.answers.answer_columns import AnswerColumns
from engine.answers.answer_texts import ids_of, paths_of, spans_of
from engine.errors import QueryError, SettingsError
from engine.index.joined import folders_of
from engine.index.reader import IndexReader
from engine.notices import Message
from engine.progress import Progress
from engine.query.path_or_words import is_path_or_mistake
from engine.ranking.search import search
from engine.runs import Ranking, Run
from engine.settings import Settings
from engine.settings.choices import CONTENT_ONLY
from engine.topics import Topic, TopicProblem


class RunForm(TypedDict, total=False):
    """The name of a run and its columns beside the answers: keywords of `run_topics`."""

    run_id: Required[str]
    task: str
    with_offsets: bool
    with_scores: bool
    progress: Progress | None


class AnsweredTopic(NamedTuple):
    """The answers to a topic, None where it could not be answered, and how its query was read.

    problems: why it could not be answered, or not as it asks; notices: how its words were read.
    """

    ranking: Ranking | None
    interpretation: str = ""
    problems: tuple[Message, ...] = ()
    notices: tuple[Message, ...] = ()


def answer_topic(
    index: IndexReader, topic: Topic, settings: Settings, *, with_offsets: bool = False, with_scores: bool = False
) -> AnsweredTopic:
    """Return the answers to a topic; the other arguments are those of `run_topics`."""
    try:
        answers = search(index, *topic_search(topic, settings))
    except QueryError as error:
        return AnsweredTopic(None, problems=(error.message,))
    ranking = as_ranking(topic.topic_id, index, answers, with_offsets=with_offsets, with_scores=with_scores)
    return AnsweredTopic(ranking, answers.interpretation, tuple(answers.plan.notices), tuple(answers.query.notices))


def run_topics(
    index: IndexReader,
    topics: Sequence[Topic],
    settings: Settings,
    *,
    run_id: str,
    task: str = "",
    with_offsets: bool = False,
    with_scores: bool = False,
    progress: Progress | None = None,
    answered: Iterable[AnsweredTopic] | None = None,
) -> tuple[Run, list[TopicProblem]]:
    """Return the run of topics, and the topics that could not be answered, or not as they ask.

    The notices of the run tell how queries were read.

    Args:
        with_offsets: add offset and length to results; reads the spans of every answer.
        with_scores: retrieval status values are the scores of elements, among which may be equal ones.
        progress: called with "answering", the number of processed topics and their total.
        answered: the answers to the topics, where others than this function make them.
    Raises: SettingsError for scores of answers that are in the order of something else.
    """
    if with_scores:
        _check_scored(settings)
    rankings: dict[str, Ranking] = {}
    readings: dict[str, list[str]] = {}
    problems: list[TopicProblem] = []
    notices: list[Message] = []
    form = {"with_offsets": with_offsets, "with_scores": with_scores}
    if answered is None:
        answered = (answer_topic(index, topic, settings, **form) for topic in topics)
    for number, (topic, found) in enumerate(zip(topics, answered, strict=True), 1):
        place = topic.source, topic.line, topic.topic_id
        problems += (TopicProblem(*place, problem) for problem in found.problems)
        notices += (TopicProblem(*place, notice).notice for notice in found.notices)
        if found.ranking is not None:
            rankings[topic.topic_id] = found.ranking
            readings.setdefault(found.interpretation, []).append(topic.topic_id)
        if progress:
            progress("answering", number, len(topics))
    run = Run(
        run_id=run_id,
        rankings=rankings,
        participant="foxir",
        task=task,
        description=f"foxir over {index.n_documents} documents{_readings(readings, settings)}",
        settings=settings.describe(),
        topic_fields=_topic_fields(topics, settings),
        collections=tuple(folder.stem for folder in folders_of(index.folder)),
        notices=tuple(notices),
    )
    return run, problems


def _check_scored(settings: Settings) -> None:
    """Raise SettingsError for settings under which answers are not in the order of their scores."""
    if settings.sort is not None:
        raise SettingsError(
            f"sort = {settings.sort}: answers are in the order of a field, so their scores do not fall with the rank: "
            "leave out the scores or the order."
        )
    if settings.approach == "fulltext":
        return  # the retrieval status values of articles are their scores
    if settings.rank_by != "score":
        raise SettingsError(f"rank_by = {settings.rank_by}: elements in the order of their structure have no scores.")
    if settings.group_by_article:
        raise SettingsError(
            "group_by_article = True: answers are in the order of their articles, so their scores do not fall with the "
            "rank: leave out the scores or the grouping."
        )


def _readings(readings: Mapping[str, Sequence[str]], settings: Settings) -> str:
    """Return the readings of topics for the run's description if the setting is `auto`; else an empty text."""
    if settings.reading != "auto" or not readings:
        return ""
    if len(readings) == 1:
        return f"; every topic read {next(iter(readings))}"
    return "; topics read " + ", ".join(f"{reading}: {' '.join(ids)}" for reading, ids in sorted(readings.items()))


def topic_query(topic: Topic, settings: Settings) -> str:
    """Return the query of a topic under a reading: its title, or its castitle if the reading uses structure.

    `auto` uses the castitle of CAS topics only; the reading CO uses the castitle if there is no title.
    """
    return topic.castitle if _uses_castitle(topic, settings) else topic.title


def topic_search(topic: Topic, settings: Settings) -> tuple[str, Settings]:
    """Return the query of a topic and the settings for it, under which a castitle that is not NEXI is refused.

    Under the syntaxes `plain` and `keywords` it is words, unless a reading is asked for that needs a path.
    """
    return topic_query(topic, settings), _settings_of(topic, settings)


def _settings_of(topic: Topic, settings: Settings) -> Settings:
    """Return the settings for the query of a topic, in which a castitle is a path query.

    Only CAS topics ask for structure: under the reading `auto`, another topic with nothing but a path query is read by
    its words (CO).
    """
    if not _uses_castitle(topic, settings):
        return settings
    if settings.reading not in ("auto", *CONTENT_ONLY):
        return replace(settings, syntax="path")
    has_conditions = "[" in topic.castitle
    takes_words = settings.reading == "auto" and settings.answers != "target" and topic.query_type != "CAS"
    if takes_words and not has_conditions and settings.syntax != "path":
        return replace(settings, syntax="keywords") if settings.syntax == "auto" else settings
    is_text = not topic.title and not has_conditions and is_path_or_mistake(topic.castitle)
    if settings.syntax == "auto" and not is_text:
        settings = replace(settings, syntax="path")
    return replace(settings, reading="CO") if takes_words else settings


def _uses_castitle(topic: Topic, settings: Settings) -> bool:
    by_structure = topic.query_type == "CAS" if settings.reading == "auto" else settings.reading != "CO"
    return bool(topic.castitle) and (by_structure or not topic.title)


def _topic_fields(topics: Sequence[Topic], settings: Settings) -> Mapping[str, str]:
    """Return for each topic field whether it was used (yes or no), as INEX submissions record it."""
    uses_castitle = {_uses_castitle(topic, settings) for topic in topics}
    used = {"title": False in uses_castitle, "castitle": True in uses_castitle}
    used |= {"description": False, "narrative": False, "ontopic_keywords": False}
    return {name: "yes" if is_used else "no" for name, is_used in used.items()}


def as_ranking(
    topic_id: str, index: IndexReader, answers: AnswerColumns, *, with_offsets: bool = False, with_scores: bool = False
) -> Ranking:
    """Return answers as the ranking of a topic; passages and runs of siblings have offsets and no path."""
    places = np.arange(len(answers))
    is_text = answers.sentences is not None or answers.siblings is not None
    spans = spans_of(index, answers, places) if with_offsets or is_text else None
    return Ranking.ranked(
        topic_id,
        ids_of(index, answers, places),
        None if is_text else paths_of(index, answers, places),
        rsv=answers.scores if with_scores and answers.scores is not None else answers.rsv,
        starts=None if spans is None else spans[:, 0],
        lengths=None if spans is None else spans[:, 1] - spans[:, 0],
    )
