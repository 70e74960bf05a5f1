"""Settings whose values select elements or documents."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.records import dataclass
from engine.settings.kinds.tag_selector import TagSelector
from engine.settings.kinds.value_types import Choice, Kind, Plain, TypeKind


@dataclass(frozen=True)
class TagsKind(TypeKind):
    """A tag selector."""

    type = TagSelector

    @property
    def _expected(self) -> str:
        return f"{self.absent}, or the elements of some names: //body, '//(ref-list|back)'"

    def plain(self, value: TagSelector | None) -> Plain:
        """Return the text."""
        return super().plain(value if value is None else str(value))


@dataclass(frozen=True)
class AnswersKind(Choice):
    """One of some words, or a tag selector."""

    def _read(self, value: Any) -> str | TagSelector | None:
        found: str | TagSelector | None = value if super()._is_legal(value) else TagsKind()._read(value)
        return found

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, TagSelector) or super()._is_legal(value)

    @property
    def _expected(self) -> str:
        return f"{super()._expected}; or the elements of some tags: //p, //(sec|p)"

    def plain(self, value: str | TagSelector) -> Plain:
        """Return the text."""
        return str(value)


@dataclass(frozen=True)
class PatternKind(Kind):
    """A pattern of document ids, in which * stands for any text, ? for a character, [abc] for one of some."""

    longest: ClassVar[int] = 1000

    def _is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and 0 < len(value) <= self.longest and value != self.absent

    @property
    def _expected(self) -> str:
        return f"a pattern of document ids, such as 'jats/*'{self._or_absent}"
