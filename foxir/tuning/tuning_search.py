"""Answering topics under changing settings, in this process and in others: what tuning searches with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.answers.topic_run import run_topics
from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.runs import Run
from engine.settings import Settings
from engine.settings.unused_options import unused_options
from engine.topics import Topic
from eval.tuning.grid import Grid
from foxir.searching.index_generation import Generation


@dataclass
class SettingsSearch:
    """Answers topics under changes of some settings; another process opens the generation of the index again."""

    generation: Generation
    topics: Mapping[str, Topic]
    base: Settings
    with_offsets: bool
    reader: IndexReader | None = field(repr=False)

    def settings(self, changes: Mapping[str, Any]) -> Settings:
        """Return the settings with changes; raises SettingsError."""
        return Settings.from_options(self.base, **changes)

    def check_effect(self, grid: Grid) -> None:
        """Raise SettingsError for a setting of a grid that has no effect at any of its points."""
        unused: dict[str, Notice] = {}
        used: set[str] = set()
        for point in grid.points:
            without = {each.fields["name"]: each for each in unused_options(point, self.settings(point))}
            unused |= without
            used |= point.keys() - without.keys()
        for name, reason in unused.items():
            if name not in used:
                raise SettingsError(f"{grid.source}: {reason}")

    def weights(self, names: Sequence[str]) -> dict[str, float]:
        """Return some weights of the settings."""
        return {name: getattr(self.base, name) for name in names}

    def __call__(self, changes: Mapping[str, Any], topics: Sequence[str]) -> Run:
        """Return the answers to some topics; the notices of the run name those that cannot be answered."""
        if self.reader is None:
            self.reader = self.generation.open()
        asked = [self.topics[topic] for topic in topics]
        run, problems = run_topics(
            self.reader, asked, self.settings(changes), run_id="tuned", with_offsets=self.with_offsets
        )
        return replace(run, notices=tuple(problem.notice for problem in problems))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "reader": None}
