"""Queries made of several fields of a topic, with weights: `title^2,desc,narr`.

A title is read as it is typed; descriptions and narratives are sentences, in which no sign is an operator. A weight is
how often the words of a field are in the query, which similarities that count query words read (f_qt).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.errors import SettingsError
from engine.topics.topic import Topic, TopicFile, TopicProblem
from engine.wording import did_you_mean, shown_text

NAMES: Mapping[str, str] = {
    "title": "title",
    **dict.fromkeys(("desc", "description"), "description"),
    **dict.fromkeys(("narr", "narrative"), "narrative"),
    "keywords": "keywords",
}
FIELD = re.compile(r"(?P<name>\w+)(?:\^(?P<weight>[1-9][0-9]?))?")
# What is an operator in a query: signs, and a hyphen before a word.
SIGNS = re.compile(r"[^\w\s'’.,-]|(?<!\w)[-.,']")
WORDS = re.compile(r"\b(?:AND|OR|NOT|NEAR)\b")


@dataclass(frozen=True)
class TopicFields:
    """Fields of topics with their weights, in the order in which a query has them."""

    weights: tuple[tuple[str, int], ...]

    @classmethod
    def parse(cls, text: str) -> TopicFields:
        """Return the fields that a text such as `title^2,desc` names.

        >>> str(TopicFields.parse("title^2, desc"))
        'title^2,description'

        Raises: SettingsError.
        """
        found: dict[str, int] = {}
        for each in text.split(","):
            match = FIELD.fullmatch(each.strip().lower())
            name = NAMES.get(match["name"]) if match else None
            if match is None or name is None or name in found:
                again = "the field is there twice: " if name in found else ""
                near = did_you_mean(match["name"], NAMES) if match and not again else ""
                raise SettingsError(
                    f"topic fields {shown_text(text)}: {shown_text(each.strip())}: {again}{near}expected some of "
                    "title, desc, narr, keywords, each perhaps with a weight from 1 to 99, such as title^2,desc,narr."
                )
            found[name] = int(match["weight"] or 1)
        return cls(tuple(found.items()))

    @property
    def has_weights(self) -> bool:
        """Whether a field counts more often than another one."""
        return len({weight for _, weight in self.weights}) > 1

    def query(self, topic: Topic) -> str:
        """Return the query of a topic, "" where it has none of the fields."""
        texts = ((name, getattr(topic, name), weight) for name, weight in self.weights)
        return " ".join(
            text for name, given, weight in texts for text in [given if name == "title" else _plain(given)] * weight
        ).strip()

    def of(self, topics: Sequence[Topic]) -> TopicFile:
        """Return the topics with these queries as titles; those without a text in any of the fields are problems."""
        found: list[Topic] = []
        problems: list[TopicProblem] = []
        for topic in topics:
            query = self.query(topic)
            if query:
                found.append(replace(topic, query_type="CO", title=query, castitle=""))
            else:
                problems.append(TopicProblem(topic.source, topic.line, topic.topic_id, f"no text in the fields {self}"))
        return TopicFile(found, problems)

    def __str__(self) -> str:
        return ",".join(name if weight == 1 else f"{name}^{weight}" for name, weight in self.weights)


def _plain(text: str) -> str:
    return " ".join(WORDS.sub(lambda match: match[0].lower(), SIGNS.sub(" ", text)).split())
