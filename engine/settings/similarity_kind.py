"""The kind of settings that name a similarity: a name of `foxir similarity`, or a Q-expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import SettingsError
from engine.settings.value_types import Plain, refused
from engine.similarity.article_similarity import check_similarity
from engine.similarity.named_expressions import APPROACHES, named_expression


@dataclass(frozen=True)
class SimilarityKind:
    """The name of a similarity or the text of a Q-expression, checked by a function."""

    check: Callable[[str, str], str]

    def parse(self, name: str, value: Any) -> str:
        """Return the text."""
        return self.check(name, str(value).strip())

    def is_typed(self, value: Any) -> bool:
        """Return whether this is the text of a legal similarity."""
        if not isinstance(value, str):
            return False
        try:
            return self.check("", value) == value
        except SettingsError:
            return False

    def plain(self, value: str) -> Plain:
        """Return the text."""
        return value


def check_article_similarity(_name: str, value: str) -> str:
    """Return a similarity of articles; raises SettingsError for any other text."""
    return check_similarity(value)


def check_element_similarity(name: str, value: str) -> str:
    """Return a similarity of elements; raises SettingsError for any other text."""
    expression = named_expression(value)
    if getattr(expression, "context", "E") == "D":
        raise refused(
            name,
            value,
            "scores whole documents: an expression of elements begins with E, T or C (foxir similarity lists some).",
        )
    return value


def is_of_elements(value: str) -> bool:
    """Return whether a similarity scores elements: an E, T or C expression, or the name of one."""
    expression = APPROACHES[value].expression if value in APPROACHES else value.strip()
    return expression.startswith(("E[", "T[", "C["))
