"""The topics of the sample collection have the same answers in every way to search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.index.reader import IndexReader
from engine.settings import Settings
from engine.topics import read_topics
from tests.engine.check_answers import WAYS, search
from tests.trust.soak import some

TOPICS = sorted((Path(__file__).parents[3] / "topics").glob("c*/*.xml"))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_answers": 3},
    {"passages": True},
    {"passages": True, "max_answers": 3},
    {"focus": 0.8},
    {"rank_by": "structure"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_topics_have_the_same_answers(sample: IndexReader, way: Any, options: dict[str, Any]) -> None:
    settings, n_answers = Settings.from_options(**options), 0
    for topic in some([topic for path in TOPICS for topic in read_topics(path).topics], 5):
        n_answers += len(search(sample, topic.castitle or topic.title, settings, ways=[way]))
    assert n_answers > 10
