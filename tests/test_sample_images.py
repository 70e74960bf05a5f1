"""The images of the sample collection: as they are drawn, small, referred to, and judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import foxir
from bench import sample_images
from engine.topics import read_topics

ROOT = Path(__file__).parents[1]
COLLECTIONS, TOPICS = ROOT / "collections", ROOT / "topics"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "index"
    foxir.build_index(COLLECTIONS, into=folder)
    with foxir.open_index(folder) as opened:
        yield opened


def test_images_are_as_the_script_draws_them():
    files = {path.relative_to(COLLECTIONS).with_suffix("").as_posix(): path for path in COLLECTIONS.rglob("*.png")}

    assert files.keys() == sample_images.images().keys()
    assert len(files) == 67
    for name, (kind, number) in sample_images.images().items():
        assert files[name].stat().st_size <= 10_000
        with Image.open(files[name]) as image:
            drawn = sample_images.drawn(kind, number).convert("RGB")
            # Another version of Pillow may place the pixels of an edge differently.
            assert np.mean(np.asarray(image.convert("RGB")) != np.asarray(drawn)) < 0.02


@pytest.mark.long
def test_articles_refer_to_every_image_once(index):
    images = index.reader.images

    keys = sorted(images.key(number) for number in range(images.n_slots))
    assert keys == sorted(f"{name}.png" for name in sample_images.images())
    assert len(images.references[0]) == 67


@pytest.mark.long
def test_an_image_finds_those_of_its_kind(index):
    found_first = 0
    for kind in sample_images.KINDS:
        answers = index.search(image=COLLECTIONS / "images" / f"{kind}-1.png", max_answers=6)
        found_first += sum(f"/{kind}-" in (answer.image or "") for answer in answers)

    assert found_first > 0.8 * 6 * 8


def test_multimedia_topics_and_their_judgements_fit_the_collection(index):
    topics = read_topics(TOPICS / "mm").topics
    run = index.run(topics, run_id="mm", overlap="keep")

    assert [topic.topic_id for topic in topics] == [str(number) for number in range(201, 209)]
    assert run.notices == ()
    for topic in topics:
        assert "src:images/" in topic.castitle
    table = foxir.score(TOPICS / "mm_assessments", [run], "inex_eval", options={"quant": "strict"})
    (row,) = table.select(measure="AP").rows
    assert len(row.topics) == 8


def test_image_and_text_together_are_better_than_either(index):
    runs = [
        index.run(TOPICS / "mm", run_id=f"a{weight}", overlap="keep", image_weight=weight) for weight in (0, 0.5, 1)
    ]
    table = foxir.score(TOPICS / "mm_assessments", runs, "inex_eval", options={"quant": "strict"})
    text, both, image = (row.value for row in table.select(measure="AP").rows)

    assert both > image > text
