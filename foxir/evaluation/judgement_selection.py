"""How judgements are read: on which scale, which judged elements count, topics of which class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from engine.errors import MeasureError
from eval import Assessments
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase, topic_class, with_recall_base
from eval.text.element_locator import ElementLocator

TopicClass: TypeAlias = Literal["all", "broad", "narrow"]


@dataclass(frozen=True)
class Judging:
    """Which scale the judgements have, which judged elements count, and topics of which class are used.

    topic_class: topics whose most general answers are mostly whole articles (broad), or mostly parts of articles
        (narrow), or all topics.
    recall_base: the judged elements that count.
    scale: the scale of the grades; None for the scale of the file.
    """

    topic_class: TopicClass = "all"
    recall_base: RecallBase = "full"
    scale: Scale | None = None

    def on_scale(self, judged: Assessments) -> Assessments:
        """Return the judgements with their grades read on the scale that is named, where it is not the file's.

        Raises: MeasureError where the file contradicts: grades of 2002-2004 are not highlighted text, nor the reverse.
        """
        return _on_scale(judged, self.scale) if self.scale and self.scale != judged.scale else judged

    def chosen(
        self, judged: Assessments, locator: ElementLocator | None, topics: Sequence[str] | None
    ) -> tuple[Assessments, Sequence[str] | None]:
        """Return the judgements with the elements that count, and the topics of the class among some; None are all.

        Raises: MeasureError if no topic is of the class, or if an index is needed and not given.
        """
        if self.topic_class != "all" or self.recall_base != "full":
            judged = _complete(judged, self.recall_base, locator)
        if self.topic_class != "all":
            topics = _of_class(judged, self.topic_class, topics)
        if self.recall_base != "full":
            judged = _restricted(judged, self.recall_base)
        return judged, topics


def _on_scale(judged: Assessments, scale: Scale) -> Assessments:
    grades = ("2002", "2003")
    if (judged.scale in grades) != (scale in grades) and any(
        len(judgements.elements) or len(judgements.passages) for judgements in judged.topics.values()
    ):
        found = "grades of 2002-2004" if judged.scale in grades else "highlighted text of 2005 on"
        raise MeasureError(f"{judged.source}: its judgements are {found}, they cannot be read on the scale of {scale}.")
    topics = {topic: replace(judgements, scale=scale) for topic, judgements in judged.topics.items()}
    return replace(judged, scale=scale, topics=topics)


def _complete(judged: Assessments, recall_base: RecallBase, locator: ElementLocator | None) -> Assessments:
    """Return the judgements with all judged elements, and with their sizes where the recall base asks for them."""
    topics = {topic: with_elements(judgements, locator) for topic, judgements in judged.topics.items()}
    if recall_base == "bep":
        topics = {topic: with_sizes(judgements, locator) for topic, judgements in topics.items()}
    return replace(judged, topics=topics)


def _of_class(judged: Assessments, wanted: str, topics: Sequence[str] | None) -> list[str]:
    """Return the topics of one class among all or the requested topics."""
    asked = list(judged.topics) if topics is None else topics
    chosen = [topic for topic in asked if topic_class(judged.topics[topic]) == wanted]
    if not chosen:
        raise MeasureError(f"{judged.source}: none of the {len(asked)} topics is {wanted}.")
    return chosen


def _restricted(judged: Assessments, recall_base: RecallBase) -> Assessments:
    """Return the judgements with the elements of one recall base."""
    topics = {topic: with_recall_base(judgements, recall_base) for topic, judgements in judged.topics.items()}
    return replace(judged, topics=topics)
