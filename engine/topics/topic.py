"""A topic: an information need as a keyword query, a structured query, or both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import TopicError

QueryType = Literal["CO", "CAS", "CO+S"]


@dataclass(frozen=True)
class Topic:
    """One topic; texts have their white space collapsed and are empty where the file has none.

    ``title`` is a keyword query, ``castitle`` a path query (NEXI, or its spelling of 2003). ``parent`` is what a
    CAS child topic says of the topic it was made from (2005). ``line`` is where the topic begins in ``source``.
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


@dataclass(frozen=True)
class TopicProblem:
    """Something in a topic file that could not be taken as it stands; ``topic_id`` is empty if it is not known."""

    source: str
    line: int
    topic_id: str
    reason: str

    def __str__(self) -> str:
        topic = f"topic {self.topic_id!r}: " if self.topic_id else ""
        return f"{self.source}:{self.line}: {topic}{self.reason}"


class NoTopicFileError(TopicError):
    """A whole file cannot be read as topics."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}:{line}: {reason}")
        self.problem = TopicProblem(source, line, "", reason)


@dataclass(frozen=True)
class TopicFile:
    """Topics in the order of their file or folder, and what was left out."""

    topics: Sequence[Topic]
    problems: Sequence[TopicProblem] = ()

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)
