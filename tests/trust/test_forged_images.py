"""Columns of images whose checksums are right and whose numbers are not end in one error, or give answers."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.errors import FoxirError
from engine.explain.explain import explain
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.segment import Segment
from engine.indexing.build import compact_index
from engine.settings import Settings
from tests.engine.index.image_files import article, drawn, in_process, write_files
from tests.engine.small_index import build_index, unchecked_answers
from tests.foxir.service.living import client
from tests.trust.soak import effort
from tests.trust.test_forged_numbers import forged, retyped
from tests.trust.test_hostile_index import replace_file

__all__ = ["in_process"]

QUERIES = ("lamp src:0.png", "src:1.png", "//fig[about(.//graphic, tower src:0.png)]")


@pytest.mark.long
def test_a_name_of_an_image_that_is_no_text_ends_in_one_error(tmp_path: Path, in_process: None) -> None:
    files = {"0.png": drawn(0), "d.xml": article("0.png", words="lamp")}
    build_index(write_files(tmp_path / "source", files), into=tmp_path / "index")
    replace_file(tmp_path / "index", "elements/image_keys.bin", b"\xff.png")

    with client(tmp_path / "index") as web:
        for page in ("/?q=lamp", "/read?document=d", "/api/search?q=lamp"):
            response = web.get(page)
            assert response.status_code == 500
            assert "the numbers of the index do not fit together" in response.text


@pytest.mark.filterwarnings("ignore")  # of NumPy, on what wrong numbers add up to
@pytest.mark.long
def test_numbers_of_images_that_do_not_fit_end_in_one_error(tmp_path: Path, in_process: None) -> None:
    files = {f"{number}.png": drawn(number) for number in range(4)}
    files |= {f"d{n}.xml": article(f"{n}.png", "0.png", words=("lamp", "tower")[n % 2]) for n in range(4)}
    whole, index, refused, answered = tmp_path / "whole", tmp_path / "index", 0, 0
    build_index(write_files(tmp_path / "source", files), into=whole)
    segment = f"segments/{Manifest.read(whole).segments[0].name}"
    columns = sorted(path.relative_to(whole / segment).as_posix() for path in (whole / segment).rglob("*image*.npy"))
    assert len(columns) == 12
    opened = Segment.open(whole / segment, Manifest.read(whole).segments[0].digest)
    assert all(len(opened.elements.column(Path(name).stem)) for name in columns)  # what is written has its type
    random = Random(effort(6, 0) or None)
    for turn in range(effort(24, 3000)):
        shutil.copytree(whole, index)
        name = columns[turn % len(columns)]
        file = io.BytesIO()
        change = (forged, retyped)[turn // len(columns) % 2]
        np.save(file, change(np.load(index / segment / name), random))
        replace_file(index, name, file.getvalue())
        try:
            with open_reader(index) as reader:
                for query in QUERIES:
                    for answer in unchecked_answers(reader, query):
                        assert answer.image is None or answer.image.endswith(".png") or name.endswith("keys.npy")
                        answered += 1
                    explain(reader, query, "d1", "/article[1]/fig[1]", Settings())
            compact_index(index)
        except FoxirError:
            refused += 1
        shutil.rmtree(index)
    assert refused
    assert answered
