"""The kind of settings that name a similarity: a name of `foxir similarity`, or a Q-expression."""

from __future__ import annotations

from typing import Any

from engine.errors import SettingsError
from engine.records import dataclass
from engine.settings.kinds.value_types import Kind, refused
from engine.similarity.article_similarity import check_similarity
from engine.similarity.expression import scores_documents
from engine.similarity.named_expressions import APPROACHES, named_expression


@dataclass(frozen=True)
class SimilarityKind(Kind):
    """The name of a similarity or the text of a Q-expression, of articles or of elements."""

    scores_elements: bool

    def parse(self, name: str, value: Any) -> str:
        """Return the text; raises SettingsError for any that does not name a similarity of these units."""
        if not self.scores_elements:
            return check_similarity(value)
        text = str(value).strip()
        if scores_documents(named_expression(text)):
            reason = (
                "scores whole documents: an expression of elements begins with E, T or C (foxir similarity lists some)."
            )
            raise refused(name, text, reason)
        return text

    def _is_legal(self, value: Any) -> bool:
        try:
            return isinstance(value, str) and self.parse("", value) == value
        except SettingsError:
            return False


def is_of_elements(value: str) -> bool:
    """Return whether a similarity scores elements: an E, T or C expression, or the name of one."""
    expression = APPROACHES[value].expression if value in APPROACHES else value.strip()
    return expression.startswith(("E[", "T[", "C["))
