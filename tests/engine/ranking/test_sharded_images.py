"""Queries with example images to separate shards equal those to one index, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.errors import QueryError, SettingsError
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.settings import Settings
from engine.text.analyser import make_analyser
from tests.engine.check_answers import over_shards, search
from tests.engine.index.image_files import ReaderInProcess, article, drawn, write_files
from tests.trust.soak import some

PICTURES = {f"{number}.png": drawn(number) for number in range(5)}
QUERIES = (
    *("src:3.png", "lamp src:3.png", "+lamp tide src:1.png src:4.png", "//fig[about(., lamp src:2.png)]"),
    "//article[about(.//graphic, src:3.png) or about(., tide)]",
    *("//article[about(.//fig, src:0.png)]//caption[about(., lamp)]", "lamp src:nowhere.png"),
    *("src:nowhere.png", "tide"),
)
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"image_weight": 1},
    {"image_weight": 0},
    {"answers": "//(fig|article)", "overlap": "keep", "max_articles": 2},
    {"rank_by": "structure", "answers": "nCRE", "heuristic": "TPF"},
    {"rank_by": "structure", "answers": "target", "heuristic": "TPF", "max_answers": 3, "image_weight": 0.5},
    {"approach": "fulltext"},
    {"approach": "fulltext", "similarity": "dirichlet"},
    {"element_similarity": "multinomial", "image_weight": 0.5},
    {"word_budget": 9},
    {"max_per_article": 1, "documents": "[a-c]*"},
    {"reading": "VV"},
    {"passages": True},
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("images")
    words = ("lamp tide", "tower", "lamp")
    texts = {f"d{n}.xml": article(f"{n % 5}.png", words=words[n % 3]) for n in range(12)}
    source = write_files(folder / "source", {**PICTURES, **texts})
    with patch("os.fsync", lambda _: None), patch("engine.indexing.document_images.ImageReader", ReaderInProcess):
        update_index(folder / "index", [str(source)], BuildSettings(make_analyser(), load_profile("none")))
    with open_reader(folder / "index") as reader:
        yield reader


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_asking_with_images_is_equal(index: IndexReader, way: dict[str, Any]) -> None:
    settings = Settings.from_options(**way)
    for query in some(QUERIES, 2):
        with suppress(QueryError, SettingsError):
            search(index, query, settings, ways=[over_shards])
    assert len({answer.image for answer in search(index, "lamp src:3.png", Settings())} - {None}) > 2
