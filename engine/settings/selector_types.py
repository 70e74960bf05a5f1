"""Settings whose values select elements or documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.settings.tag_selector import TagSelector
from engine.settings.value_types import UNBOUNDED, Plain, parsed, refused


@dataclass(frozen=True)
class AnswersKind:
    """One of some words, or a tag selector."""

    names: tuple[str, ...]

    def parse(self, name: str, value: Any) -> str | TagSelector:
        """Return the word or the selector."""
        if isinstance(value, str) and value in self.names:
            return value
        legal = f"one of {', '.join(self.names)}; or the elements of some tags: //p, //(sec|p)"
        return parsed(TagSelector, name, value, legal, self.names)

    def is_typed(self, value: Any) -> bool:
        """Return whether this is one of the words, or a TagSelector."""
        return isinstance(value, TagSelector) or (isinstance(value, str) and value in self.names)

    def plain(self, value: str | TagSelector) -> Plain:
        """Return the text."""
        return str(value)


@dataclass(frozen=True)
class TagsKind:
    """A tag selector, or None, which a word denotes in text."""

    absent: str

    def parse(self, name: str, value: Any) -> TagSelector | None:
        """Return the selector."""
        if value is None or value == self.absent:
            return None
        legal = f"{self.absent}, or the elements of some names: //body, '//(ref-list|back)'"
        return parsed(TagSelector, name, value, legal)

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a TagSelector, or None."""
        return value is None or isinstance(value, TagSelector)

    def plain(self, value: TagSelector | None) -> Plain:
        """Return the text."""
        return self.absent if value is None else str(value)


@dataclass(frozen=True)
class PatternKind:
    """A pattern of document ids, in which * stands for any text, ? for a character, [abc] for one of some; or None."""

    longest: ClassVar[int] = 1000

    def parse(self, name: str, value: Any) -> str | None:
        """Return the pattern."""
        if value is None or value == UNBOUNDED:
            return None
        if not self.is_typed(value):
            raise refused(name, value, f"expected a pattern of document ids, such as 'jats/*', or {UNBOUNDED}.")
        pattern: str = value
        return pattern

    def is_typed(self, value: Any) -> bool:
        """Return whether this is a pattern, or None."""
        return value is None or (isinstance(value, str) and 0 < len(value) <= self.longest and value != UNBOUNDED)

    def plain(self, value: str | None) -> Plain:
        """Return the text."""
        return UNBOUNDED if value is None else value
