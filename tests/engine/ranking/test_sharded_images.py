"""Queries with example images to separate shards equal those to one index, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
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


def build(folder: Path, steps: list[Mapping[str, str]], n_shards: int | None) -> Path:
    """Return an index that was brought to each step in turn, with documents added, changed and vanished."""
    source, index = write_files(folder / f"source {n_shards}", PICTURES), folder / f"{n_shards}.foxir"
    for number, step in enumerate(steps):
        for old in source.glob("*.xml"):
            if old.stem not in step:
                old.unlink()
        write_files(source, {f"{name}.xml": text for name, text in step.items()})
        update_index(
            index,
            [str(source)],
            BuildSettings(make_analyser(), load_profile("none")),
            n_shards=None if number else n_shards,
        )
    return index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    texts = {f"d{n}": article(f"{n % 5}.png", words=("lamp tide", "tower", "lamp")[n % 3]) for n in range(12)}
    with patch("os.fsync", lambda _: None), patch("engine.indexing.document_images.ImageReader", ReaderInProcess):
        folder = build(tmp_path_factory.mktemp("images"), [texts], None)
    with open_reader(folder) as reader:
        yield reader


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_asking_with_images_is_equal(index: IndexReader, way: dict[str, Any]) -> None:
    settings = Settings.from_options(**way)
    for query in some(QUERIES, 2):
        with suppress(QueryError, SettingsError):
            search(index, query, settings, ways=[over_shards])
    assert len({answer.image for answer in search(index, "lamp src:3.png", Settings())} - {None}) > 2
