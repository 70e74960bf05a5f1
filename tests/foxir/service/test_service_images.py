"""Images beside answers, and what is answered of files."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

import foxir
from tests.engine.index.image_files import article, drawn, write_files
from tests.foxir.service.living import client


@pytest.fixture
def source(tmp_path: Path) -> Path:
    files = {"a.png": drawn(1), "b.png": drawn(2), "d.xml": article("a.png", words="lamp"), "secret.txt": "secret"}
    return write_files(tmp_path / "source", {**files, "e.xml": article("b.png", words="tower"), "c.png": drawn(3)})


@pytest.fixture
def service(tmp_path: Path, source: Path):
    foxir.build_index(source, into=tmp_path / "index")
    with client(tmp_path / "index") as opened:
        yield opened


def test_answers_show_their_image_and_lead_to_others_like_it(service, source):
    query = quote("//fig[about(., lamp)]")
    page = service.get(f"/?q={query}&syntax=path", headers={"accept": "text/html"}).text
    shown = unescape(re.search(r'<img src="([^"]+)" alt="a.png"', page)[1])
    similar = unescape(re.search(r'<a href="([^"]+)">More like this image', page)[1])

    image = service.get(shown)
    assert image.content == (source / "a.png").read_bytes()
    assert image.headers["content-type"] == "image/png"
    others = service.get(similar, headers={"accept": "text/html"}).text
    assert re.findall(r'alt="(\w\.png)"', others) == ["a.png", "b.png"]
    assert "image 1.000" in others


def test_json_has_images_only_where_there_are_any(service):
    found = service.get("/api/search?q=src:b.png").json()["answers"]
    assert [(each["image"], each["image_score"] == 1) for each in found] == [("b.png", True), ("a.png", False)]
    (plain,) = service.get("/api/search?q=tower&answers=//p").json()["answers"]
    assert "image" not in plain


@pytest.mark.parametrize("path", ["c.png", "secret.txt", "../index/manifest.json", "b.png", "/etc/passwd", "x\0y"])
def test_only_images_of_the_document_are_answered(service, path):
    assert service.get(f"/image?document=d&path={quote(path)}").status_code == 404
    assert service.get("/image?document=nowhere&path=a.png").status_code == 404


def test_images_that_have_changed_are_not_answered(service, source):
    (source / "a.png").write_bytes(drawn(9))
    assert service.get("/image?document=d&path=a.png").status_code == 404
    (source / "a.png").unlink()
    assert service.get("/image?document=d&path=a.png").status_code == 404
