"""The stages of one search with their values, counts and times: what `foxir explain --stages` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.answers import stage_recorder
from engine.answers.stage_recorder import Stage
from engine.explain.dropped_words import dropped_function_words
from engine.planning.image_query import ExampleImage
from engine.settings import Settings
from foxir.searching.opened_index import Index


class SearchStages(NamedTuple):
    """The stages of a search, how its query was read, the function words of it that were dropped, and its time."""

    stages: Sequence[Stage]
    interpretation: str
    dropped_words: Sequence[str]
    seconds: float


def search_stages(index: Index, query: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> SearchStages:
    """Return the stages of a search; raises QueryError, SettingsError."""
    answers, stages = stage_recorder.search_stages(index.reader, query, settings, images)
    dropped = dropped_function_words(index.reader, query, settings, answers.plan)
    return SearchStages(stages, answers.interpretation, dropped, answers.seconds)
