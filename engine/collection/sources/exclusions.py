"""Exclusions: files of a source that match patterns, as in a .gitignore of a folder, and are not read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from engine.collection.sources.file_names import archive_kind
from engine.collection.sources.patterns import excluded_by
from engine.errors import CollectionError
from engine.records import dataclass

# Begins a source, or a line of a list, that excludes files.
SIGN = "!"
# What excluded XML files are counted as.
EXCLUDED = "excluded"


@dataclass(frozen=True)
class Exclusions:
    """Expressions of the absolute paths that are not read, by pattern; `matched` receives the patterns that match."""

    expressions: tuple[tuple[str, re.Pattern[str]], ...] = ()
    matched: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, patterns: Iterable[str], source: str, matched: set[str]) -> Exclusions:
        """Return patterns that are relative to a source: to its folder, that of its file or list, or its archive.

        Raises: CollectionError for a pattern that cannot be read.
        """
        folder = os.path.abspath(source.removeprefix("@"))
        while not os.path.isdir(folder) and not (archive_kind(folder) and os.path.isfile(folder)):
            folder = os.path.dirname(folder)
        return cls((), matched).below(folder, [(pattern, "") for pattern in patterns])

    def below(self, folder: str, patterns: Sequence[tuple[str, str]]) -> Exclusions:
        """Return these exclusions and further ones.

        Args:
            patterns: relative to the folder; each with what begins messages about it.
        """
        added = []
        for pattern, where in patterns:
            try:
                added.append((pattern, excluded_by(pattern, folder)))
            except (re.error, ValueError) as error:
                reason = error.msg if isinstance(error, re.error) else error
                raise CollectionError(f"{where}the pattern '{SIGN}{pattern}' is not a pattern: {reason}.") from None
        return Exclusions((*self.expressions, *added), self.matched) if added else self

    def exclude(self, path: str) -> bool:
        """Return whether an absolute path matches a pattern."""
        found = [pattern for pattern, expression in self.expressions if expression.fullmatch(path)]
        self.matched.update(found)
        return bool(found)


def is_exclusion(source: str) -> bool:
    """Return whether a source is a pattern of files that are not read of the others, such as `!drafts`."""
    return source.startswith(SIGN)


def exclusion(pattern: str) -> str:
    """Return the source that excludes the files matching a pattern."""
    return f"{SIGN}{pattern}"


def unsigned(exclusion: str) -> str:
    """Return the pattern of an exclusion."""
    return exclusion.removeprefix(SIGN)
