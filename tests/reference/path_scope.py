"""Which elements lie in a scope, by the names in their paths and the ids of their documents."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import numpy as np

from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.settings import Settings, TagSelector


class PathScope:
    """Which elements of an index lie in a scope, by the names in their paths."""

    def __init__(self, index: IndexReader, settings: Settings) -> None:
        self.index, self.settings = index, settings
        self.classes = index.profile.representative if settings.tags == "classes" else lambda name: name

    def has(self, row: int) -> bool:
        (path,) = element_paths(self.index, np.array([row]))
        names = {self.classes(name) for name in re.findall(r"/([^\[/]+)\[", path)}
        inside, outside = (self._names(each) for each in (self.settings.inside, self.settings.outside))
        is_there = (inside is None or names & inside) and not (outside and names & outside)
        return bool(is_there) and self.has_document(self.document(row))

    def has_document(self, number: int) -> bool:
        pattern = self.settings.documents
        return pattern is None or fnmatchcase(self.index.ids[number], pattern)

    def document(self, row: int) -> int:
        return int(self.index.elements.document(np.array([row]))[0])

    def _names(self, selector: TagSelector | None) -> set[str] | None:
        return None if selector is None else {self.classes(name) for name in selector.names}
