"""Topics answered by several processes, as soon as what is left takes longer than these need to start."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool

from engine.answers.topic_run import AnsweredTopic, answer_topic
from engine.errors import TopicError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.settings import Settings
from engine.system.worker_processes import in_order, worker_processes
from engine.topics import Topic
from foxir.searching.opened_folder import Generation

# Seconds for which this process answers alone, as the first topics take longer than those after them.
ALONE = 0.3
# Seconds of work that is left from which other processes are worth their start.
WORTH_PROCESSES = 1.0


def answers_to(
    topics: Sequence[Topic], reader: IndexReader, settings: Settings, jobs: int, columns: Mapping[str, bool]
) -> Iterator[AnsweredTopic]:
    """Yield the answers to topics in their order; they do not depend on the number of processes.

    Args:
        columns: keywords of `answer_topic`.
    Raises: TopicError if a process dies.
    """
    began = time.perf_counter()
    for number, topic in enumerate(topics):
        seconds = time.perf_counter() - began
        if jobs > 1 and seconds > ALONE and seconds / number * (len(topics) - number) > WORTH_PROCESSES:
            yield from by_processes(topics[number:], Generation.of(reader), settings, jobs, columns)
            return
        yield answer_topic(reader, topic, settings, **columns)


def by_processes(
    topics: Sequence[Topic], generation: Generation, settings: Settings, jobs: int, columns: Mapping[str, bool]
) -> Iterator[AnsweredTopic]:
    """Yield the answers to topics in their order, made by processes that open the generation of an index again.

    Raises: TopicError if a process dies.
    """
    jobs = min(jobs, len(topics))
    try:
        with worker_processes(jobs, __name__, _begin, generation, settings, columns, may_fork=True) as start:
            yield from in_order(start, jobs, _answer, topics)
    except BrokenProcessPool:
        raise TopicError(Notice("worker_ended")) from None


# Of a worker process: the generation, opened again, and how topics are answered.
_asked: list[tuple[IndexReader, Settings, Mapping[str, bool]]] = []


def _begin(generation: Generation, settings: Settings, columns: Mapping[str, bool]) -> None:
    _asked[:] = [(generation.open(), settings, columns)]


def _answer(topic: Topic) -> AnsweredTopic:
    reader, settings, columns = _asked[0]
    return answer_topic(reader, topic, settings, **columns)
