"""Topics of a run as callers give them: values, a file, a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.errors import TopicError
from engine.topics import Topic, TopicFile, read_topics, selected_ids
from engine.wording import shown
from foxir import arguments
from foxir.arguments import PathLike

TopicsInput = TopicFile | Sequence[Topic] | PathLike


def topics_of(topics: object, only: object = None) -> TopicFile:
    """Return topics, read if they are given as a file or folder; raises TypeError, TopicError."""
    chosen = arguments.optional(arguments.text, "only", only)
    if isinstance(topics, str) or hasattr(topics, "__fspath__"):
        return read_topics(arguments.path("topics", topics), chosen)
    if isinstance(topics, Topic):
        found = TopicFile((topics,))
    elif isinstance(topics, TopicFile):
        found = topics
    else:
        each = arguments.items("topics", topics, "topics, or the file or folder that contains them")
        if text := next((topic for topic in each if isinstance(topic, str)), ""):
            expected = "a Topic, as foxir.Topic('1', 'CO', title='fog signal'), or the file of topics alone"
            raise arguments.refuse_type(f"topics[{each.index(text)}]", text, expected)
        found = TopicFile([arguments.instance(f"topics[{n}]", topic, Topic) for n, topic in enumerate(each)])
    counts = Counter(topic.topic_id for topic in found)
    if twice := [topic for topic, count in counts.items() if count > 1]:
        raise TopicError(f"topics: two topics have the id {shown(twice[0])}: give each its own id.")
    if chosen is None:
        return found
    ids = set(selected_ids(chosen, [topic.topic_id for topic in found]))
    return TopicFile([topic for topic in found if topic.topic_id in ids], found.problems, found.notices)
