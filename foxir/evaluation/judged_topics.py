"""Which topics of a file are judged, and notices about the others."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import TopicError
from engine.notices import Notice
from engine.topics import TopicFile
from eval import Assessments
from eval.output.tables.score_tables import natural_order


def common_topics(found: TopicFile, judged: Assessments) -> list[str]:
    """Return the topics that are both in the topic file and judged.

    Raises: TopicError when there is none.
    """
    common = [topic.topic_id for topic in found.topics if topic.topic_id in judged.topics]
    if not common:
        asked = next((topic.topic_id for topic in found.topics), "none")
        raise TopicError(
            f"none of {len(found.topics)} topics is judged in {judged.source}: the topic file has topic {asked!r}, the "
            f"judgements have topic {next(iter(judged.topics), 'none')!r}."
        )
    return common


def unused_topics(found: TopicFile, judged: Assessments, chosen: Sequence[str]) -> list[Notice]:
    """Return notices about topics that are in the topic file only, or judged only."""
    not_judged = [topic.topic_id for topic in found.topics if topic.topic_id not in judged.topics]
    not_asked = [topic for topic in judged.topics if topic not in set(chosen)]
    unused = (("asked_not_judged", not_judged), ("judged_not_asked", not_asked))
    return [Notice(code, {"topics": tuple(sorted(topics, key=natural_order))}) for code, topics in unused if topics]
