"""A topic: an information need as a keyword query, a path query, or both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from engine.errors import ArgumentError, TopicError
from engine.field_types import check_sequence
from engine.notices import Message, Notice, about
from engine.wording import shown

QueryType = Literal["CO", "CAS", "CO+S"]


@dataclass(frozen=True, repr=False)
class Topic:
    """One topic. White space in texts is collapsed; missing texts are "".

    `title` is a keyword query, `castitle` a path query (NEXI, or its syntax of 2003). `parent` describes the topic
    from which a CAS child topic of 2005 was derived. `source` and `line` say where the topic begins.

    Raises: TypeError for a text that is not a str, ArgumentError for another query type.
    """

    topic_id: str
    query_type: QueryType
    title: str = ""
    castitle: str = ""
    description: str = ""
    narrative: str = ""
    keywords: str = ""
    parent: str = ""
    phrase_title: str = ""
    source: str = ""
    line: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "line" and not isinstance(value, str):
                raise TypeError(f"{name}: expected str, got {type(value).__name__} {shown(value)}.")
        if self.query_type not in get_args(QueryType):
            kinds = ", ".join(map(repr, get_args(QueryType)))
            raise ArgumentError(f"query_type: expected one of {kinds}, got {shown(self.query_type)}.")

    def __repr__(self) -> str:
        return f"Topic({shown(self.topic_id)}, {self.query_type!r}, {shown(self.title or self.castitle)})"


@dataclass(frozen=True)
class TopicProblem:
    """Something in a topic file that was skipped or ignored.

    topic_id: "" if it is unknown. line: 0 for the file as a whole.
    """

    source: str
    line: int
    topic_id: str
    reason: Message

    @property
    def notice(self) -> Notice:
        """The reason, of the place of the topic."""
        where = (_place(self.source, self.line), *([f"topic {self.topic_id!r}"] if self.topic_id else []))
        return about(": ".join(where), self.reason)

    def __str__(self) -> str:
        return str(self.notice)


def _place(source: str, line: int) -> str:
    return f"{source}:{line}" if line else source


@dataclass(frozen=True)
class TopicNotice(TopicProblem):
    """A doubt about topics that were all read: nothing was skipped."""


class NoTopicFileError(TopicError):
    """A file is not a topic file."""

    def __init__(self, source: str, line: int, reason: Message) -> None:
        self.problem = TopicProblem(source, line, "", reason)
        super().__init__(self.problem.notice)

    def __reduce__(self) -> tuple[type[NoTopicFileError], tuple[str, int, Message]]:
        """Return how to unpickle the error: an exception is otherwise rebuilt from its message alone."""
        return type(self), (self.problem.source, self.problem.line, self.problem.reason)


@dataclass(frozen=True, repr=False)
class TopicFile:
    """The topics of a file or folder, in order, the problems found, and doubts about topics that were read."""

    topics: Sequence[Topic]
    problems: Sequence[TopicProblem] = ()
    notices: Sequence[TopicNotice] = ()

    def __post_init__(self) -> None:
        check_sequence("topics", self.topics, Topic)
        check_sequence("problems", self.problems, TopicProblem)
        check_sequence("notices", self.notices, TopicNotice)

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __getitem__(self, topic_id: str) -> Topic:
        """Return the topic of an id; raises TopicError when there is none, TypeError for what is not a str."""
        if not isinstance(topic_id, str):
            raise TypeError(
                f"topics are found by id, a str, got {type(topic_id).__name__} {shown(topic_id)}: "
                "`topics` is the sequence of them."
            )
        for topic in self.topics:
            if topic.topic_id == topic_id:
                return topic
        ids = ", ".join(topic.topic_id for topic in self.topics[:5])
        raise TopicError(f"topic {shown(topic_id)}: no topic has this id: the first of {len(self.topics)} are {ids}.")

    def __repr__(self) -> str:
        return f"TopicFile(topics={len(self.topics)}, problems={len(self.problems)})"
