"""Images beside answers, and what is answered of files."""

from __future__ import annotations

import base64
import io
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import numpy as np
import pytest
from httpx2 import Response
from lxml import etree
from PIL import Image
from starlette.testclient import TestClient

import foxir
from engine.images import reader
from engine.images.features import ImageFeatures, colour_numbers, features_of
from engine.images.worker import features_to_bytes
from foxir.service.example_image import colour_values, example_of, image_text, mosaic, read_example
from foxir.service.http.problems import ProblemError
from foxir.service.pages import search_page
from tests.engine.index.image_files import article, drawn, write_files
from tests.foxir.service.living import client, page_of, text_shown


@cache
def black() -> ImageFeatures:
    return features_of(np.zeros((256, 256, 3), np.uint8))


def png(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("1", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def write_source(folder: Path) -> Path:
    files = {"a.png": drawn(1), "b.png": drawn(2), "d.xml": article("a.png", words="lamp"), "secret.txt": "secret"}
    return write_files(folder / "source", {**files, "e.xml": article("b.png", words="tower"), "c.png": drawn(3)})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = write_source(tmp_path_factory.mktemp("images"))
    foxir.build_index(source, into=source.parent / "index")
    return source


@pytest.fixture(scope="module")
def service(source: Path) -> Iterator[TestClient]:
    with client(source.parent / "index") as opened:
        yield opened


@pytest.mark.long
def test_answers_show_their_image_and_lead_to_others_like_it(service, source):
    query = quote("//fig[about(., lamp)]")
    page = service.get(f"/?q={query}&syntax=path", headers={"accept": "text/html"}).text
    shown = unescape(re.search(r'<img src="([^"]+)" alt="a.png"', page)[1])
    similar = unescape(re.search(r'<a href="([^"]+)"[^>]*>More like this image', page)[1])

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


def test_images_that_have_changed_are_not_answered(tmp_path: Path) -> None:
    source = write_source(tmp_path)
    foxir.build_index(source, into=tmp_path / "index")
    with client(tmp_path / "index") as service:
        assert service.get("/image?document=d&path=a.png").status_code == 200
        (source / "a.png").write_bytes(drawn(9))
        assert why_not_shown(service.get("/image?document=d&path=a.png")) == ["a.png", "changed since it was indexed"]
        (source / "a.png").unlink()
        assert why_not_shown(service.get("/image?document=d&path=a.png")) == ["a.png", "no longer there"]


def why_not_shown(answer: Response) -> list[str]:
    """Return the texts of the picture that takes the place of an image."""
    assert (answer.status_code, answer.headers["content-type"]) == (404, "image/svg+xml")
    return [str(text.text) for text in etree.fromstring(answer.content).findall("{*}text")]


def test_a_name_that_is_markup_stays_a_name_where_its_image_is_not_shown(tmp_path: Path) -> None:
    name = "<b>&amp;" + "x" * 60 + ".png"
    files = {name: drawn(1), "d.xml": article(escape(name))}
    foxir.build_index(write_files(tmp_path / "source", files), into=tmp_path / "index")
    (tmp_path / "source" / name).unlink()
    with client(tmp_path / "index") as service:
        shown, _ = why_not_shown(service.get("/image", params={"document": "d", "path": name}))
    assert shown == f"…{name[-42:]}"


@pytest.mark.parametrize("named", ["@list.txt", "*/*.xml"])
@pytest.mark.long
def test_images_of_documents_that_a_list_or_a_pattern_names_are_shown(tmp_path: Path, named: str) -> None:
    files = {f"{folder}/{folder}.xml": article("a.png") for folder in "de"}
    write_files(tmp_path, {**files, "d/a.png": drawn(1), "e/a.png": drawn(2), "list.txt": "d/d.xml\ne/e.xml\n"})
    at = "@" if named.startswith("@") else ""
    foxir.build_index(f"{at}{tmp_path}/{named.removeprefix('@')}", into=tmp_path / "index")
    with client(tmp_path / "index") as service:
        for document, seed in (("d/d", 1), ("e/e", 2)):
            (address,) = page_of(service.get(f"/read?document={document}")).xpath("//div[@id='text']//img/@src")
            assert service.get(address).content == drawn(seed)
        (tmp_path / "e/a.png").write_bytes(drawn(1))
        assert why_not_shown(service.get(address)) == ["a.png", "changed since it was indexed"]


def picture_of(page: str) -> tuple[str, ...]:
    return tuple(re.findall(r'alt="(\w\.png)"', page))


def upload(service: TestClient, name: str, data: bytes, **fields: str) -> Response:
    return service.post("/example-image", files={"file": (name, data, "image/png")}, data=fields)


def test_an_uploaded_image_is_an_example_beside_words(service: TestClient) -> None:
    sent = upload(service, "own.png", drawn(2), q="lamp", image_weight="1", limit="5")
    address = urlsplit(sent.headers["location"])
    assert (sent.status_code, address.path) == (303, "/")
    asked = dict(parse_qsl(address.query))
    assert asked == {"q": "lamp", "image": asked["image"], "image_weight": "1", "limit": "5"}

    page = service.get(sent.headers["location"]).text
    assert picture_of(page) == ("b.png", "a.png")
    assert "Searching with an image and words" in page
    shown = page_of(service.get(sent.headers["location"]))
    covered = [len(each.xpath(".//svg/*")) for each in shown.xpath("//li[.//svg]")]
    assert covered[0] < covered[1]
    whole = service.get(sent.headers["location"] + "&blocks=0").text
    assert "<svg" not in whole
    without = shown.xpath("//a[text()='Take the image away']/@href")
    assert dict(parse_qsl(urlsplit(without[0]).query)) == {"q": "lamp", "limit": "5"}
    alone = service.get("/api/search", params={"q": "lamp", "image_weight": "1"})
    assert alone.status_code == 422
    assert "image_weight is a setting of queries with example images" in alone.json()["detail"]


def test_json_takes_an_image_as_text(service: TestClient, source: Path) -> None:
    text = service.post("/api/example-image", content=drawn(2)).json()["image"]
    found = service.get("/api/search", params={"image": text, "blocks": "1"}).json()["answers"]
    assert (found[0]["image"], found[0]["image_score"]) == ("b.png", 1)
    with foxir.open_index(source.parent / "index") as index:
        expected = index.search(image=drawn(2))
        assert [each["rsv"] for each in found] == expected.rsv.tolist()
        for each, answer in zip(found, expected, strict=True):
            assert np.array(each["blocks"]) == pytest.approx(answer.image_blocks, abs=1e-4)
    assert "blocks" not in service.get("/api/search", params={"image": text}).json()["answers"][0]
    why = service.get("/api/explain", params={"image": text, "document": "e", "path": found[0]["path"]}).json()
    compared = next(each for each in foxir_parts(why["element"]) if each["name"] == "image")
    assert (compared["image"], compared["example"]) == ("b.png", "the example image")
    assert compared["blocks"] == found[0]["blocks"]
    heats = service.get("/api/outline", params={"image": text, "document": "e"}).json()["elements"]
    assert heats[0]["score"] == 1


def test_an_example_image_leaves_out_meaning_and_passages_of_the_service(service: TestClient, source: Path) -> None:
    address = upload(service, "own.png", drawn(2), q="lamp").headers["location"]
    asked = dict(parse_qsl(urlsplit(address).query))
    plain = service.get("/api/search", params=asked).json()["answers"]
    served = foxir.make_settings(semantic="tests.engine.semantic.toy_encoder:encode", passages=True)

    with client(source.parent / "index", settings=served) as other:
        found = other.get("/api/search", params=asked)
        assert found.status_code == 200, found.text
        assert found.json()["answers"] == plain
        assert other.get("/api/search", params={**asked, "passages": "on"}).status_code == 422


def foxir_parts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield part
    for each in part["details"]:
        yield from foxir_parts(each)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no image", "no image of a format that is read"),
        (b"", "the file is empty"),
        (drawn(1)[:200], "damaged"),
        (png(20_001, 1), "a side may have 20,000"),
        (png(8_000, 8_000), "at most 32,000,000"),
    ],
    ids=["text", "empty", "cut", "long", "large"],
)
@pytest.mark.long
def test_images_that_cannot_be_read_are_refused_with_the_query_kept(
    service: TestClient, data: bytes, message: str
) -> None:
    page = upload(service, "own.png", data, q="lamp")
    answer = service.post("/api/example-image", content=data)

    assert page.status_code == answer.status_code == 422
    assert message in unescape(page.text)
    assert "--limit" not in page.text
    assert page_of(page).xpath("string(//textarea)") == "lamp"
    assert message in answer.json()["detail"]


def test_a_file_beyond_the_limit_is_refused_by_its_size() -> None:
    with pytest.raises(ProblemError, match=r"33,554,433 bytes: at most 33,554,432 are read"):
        read_example(io.BytesIO(b""), 2**25 + 1)


def test_files_that_are_too_large_are_refused_unread(service: TestClient) -> None:
    large = {"Content-Length": str(64 << 20)}
    assert service.post("/api/example-image", content=b"", headers=large).status_code == 413
    assert upload(service, "own.png", drawn(1) + bytes(32 << 20)).status_code == 422


def test_a_form_without_a_file_says_what_to_do(service: TestClient) -> None:
    none = service.post("/example-image", files={"file": ("", b"")}, data={"q": "lamp"})
    assert none.status_code == 422
    assert "choose a file" in none.text
    unsent = service.get("/?q=lamp&file=own.png")
    assert unsent.status_code == 422
    assert "own.png was not sent" in unsent.text


def test_few_files_are_received_at_a_time(service: TestClient) -> None:
    state = service.app.state.service  # type: ignore[attr-defined]
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(state.uploading())
        refused = service.post("/api/example-image", content=drawn(1))
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert service.post("/api/example-image", content=drawn(1)).status_code == 200


def test_an_image_comes_back_from_its_text() -> None:
    features = features_of(np.random.default_rng(1).integers(0, 256, (256, 256, 3)).astype(np.uint8))

    assert example_of(image_text(features)).features == features
    assert len(image_text(features)) < 2000


@pytest.mark.parametrize(
    "text", ["x", "!", "é", "A" * 8001, "eNo", "", "\0"], ids=["short", "sign", "letter", "long", "cut", "ones", "null"]
)
def test_other_texts_are_no_images(service: TestClient, text: str) -> None:
    for page in ("/", "/read", "/why", "/api/search", "/api/explain", "/api/outline"):
        given = {"document": "d"} if page not in ("/", "/api/search") else {}
        if page in ("/why", "/api/explain"):
            given["path"] = "/article[1]"
        answer = service.get(page, params={"image": text or packed(b"\xff" * 4740), **given})
        assert answer.status_code == 422, page
        assert "not the text of an example image" in answer.text


@pytest.mark.parametrize(("place", "value"), [(0, 166), (340, 10), (3412, 1)])
def test_forged_features_are_refused(place: int, value: int) -> None:
    raw = bytearray(features_to_bytes(black()))
    example_of(packed(bytes(raw)))
    raw[place] = value

    with pytest.raises(ProblemError):
        example_of(packed(bytes(raw)))


def test_a_bomb_of_zeros_is_not_unpacked() -> None:
    with pytest.raises(ProblemError):
        example_of(packed(bytes(5 << 20)))


def packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


def test_the_mosaic_has_the_colours_of_the_blocks() -> None:
    pixels = np.zeros((256, 256, 3), np.uint8)
    pixels[:128, :128], pixels[:128, 128:], pixels[128:, :128] = (255, 0, 0), (0, 200, 40), (30, 30, 220)
    data = base64.b64decode(mosaic(features_of(pixels)).partition(",")[2])
    shown = np.asarray(Image.open(io.BytesIO(data)))

    assert shown.shape == (16, 16, 3)
    again = np.kron(shown, np.ones((16, 16, 1))).astype(np.uint8)
    assert (colour_numbers(again) == colour_numbers(pixels)).all()


def test_every_colour_has_values_of_its_own() -> None:
    numbers = np.arange(166, dtype=np.uint8)

    assert (colour_numbers(colour_values(numbers)) == numbers).mean() > 0.95


def test_documents_show_their_images_and_where_they_match(service: TestClient) -> None:
    plain = service.get("/read?document=d")
    assert page_of(plain).xpath("//div[@id='text']//img/@src") == ["/image?document=d&path=a.png"]
    assert text_shown(page_of(plain)) == text_shown(page_of(service.get("/read?document=d&q=src:a.png")))
    found = page_of(service.get("/read?document=d&q=src:b.png"))
    assert len(found.xpath("//div[@id='text']//a[@class='frame']//svg/*")) > 1
    assert found.xpath("//span[@class='cells']/a[contains(@class, 'of-image')]")
    assert found.xpath("//div[@id='text']//div[a[contains(@class, 'why')]]//img")
    (similar,) = found.xpath("//div[@id='text']//a[@class='frame']/@href")
    assert picture_of(service.get(similar).text)[0] == "a.png"


def test_why_shows_the_image_beside_the_example(service: TestClient) -> None:
    page = page_of(service.get("/why?document=d&place=3&q=src:b.png"))

    assert page.xpath("//figure//img[@alt='a.png']")
    assert page.xpath("//figure//img[contains(@alt, 'b.png in 256 blocks')]/@src")[0].startswith("data:image/png")


@pytest.mark.long
def test_names_with_blanks_lead_to_images_like_them(tmp_path: Path) -> None:
    files = {"a b.png": drawn(1), "c.png": drawn(2), "d.xml": article("a b.png"), "e.xml": article("c.png")}
    foxir.build_index(write_files(tmp_path / "source", files), into=tmp_path / "index")
    with client(tmp_path / "index") as service:
        page = page_of(service.get("/?q=%2F%2Ffig%5Babout(.%2C+lamp)%5D&syntax=path"))
        links = dict(
            zip(page.xpath("//li//img/@alt"), page.xpath("//a[text()='More like this image']/@href"), strict=True)
        )
        for name, link in links.items():
            assert page_of(service.get(link)).xpath("//li//img/@alt")[0] == name
        assert links["c.png"] == "/?q=src%3Ac.png"


@pytest.mark.long
def test_two_images_of_one_name_are_distinguished(tmp_path: Path) -> None:
    for folder, seed in (("one", 1), ("two", 2)):
        files = {"a.png": drawn(seed), f"{folder}.xml": article("a.png")}
        foxir.build_index(write_files(tmp_path / folder, files), into=tmp_path / "index")
    with client(tmp_path / "index") as service:
        page = page_of(service.get("/read?document=two"))
        (link,) = page.xpath("//a[@class='frame']/@href")
        first = page_of(service.get(link)).xpath("//li//img/@src")[0]
    assert "document=two" in first


@pytest.mark.parametrize("kind", ["zip", "tar", "gztar"])
def test_images_in_archives_are_shown_unless_the_whole_is_compressed(tmp_path: Path, kind: str) -> None:
    files = {"a.png": drawn(1), "d.xml": article("a.png"), "e/b.png": drawn(2), "e/e.xml": article("b.png")}
    write_files(tmp_path / "source", files)
    (tmp_path / "archives").mkdir()
    archive = Path(shutil.make_archive(str(tmp_path / "archives/lib"), kind, tmp_path / "source"))
    foxir.build_index(archive, into=tmp_path / "index")
    with client(tmp_path / "index") as service:
        (address,) = page_of(service.get("/read?document=e/e")).xpath("//div[@id='text']//img/@src")
        answer = service.get(address)
        assert answer.status_code == (404 if kind == "gztar" else 200)
        if kind == "gztar":
            reason = "in a compressed archive; shown from zip and tar"
            assert why_not_shown(answer) == [f"{archive.name}!e/b.png", reason]
        else:
            assert answer.content == drawn(2)
        for name in (f"{archive.name}!d.xml", f"{archive.name}!a.png", f"{archive.name}!../lib", archive.name):
            assert service.get("/image", params={"document": "e/e", "path": name}).status_code == 404


def test_an_index_without_images_offers_no_upload(hostile: TestClient) -> None:
    assert "Search with an image" not in hostile.get("/").text
    page = hostile.get("/", params={"q": "whale", "image": image_text(black())})
    assert "the index has no images to compare it with" in page.text


def test_without_pillow_a_service_says_what_is_missing(service: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_page, "can_read_images", lambda: False)
    monkeypatch.setattr(reader, "can_read_images", lambda: False)

    assert reader.EXTRA in unescape(service.get("/").text)
    for refused in (upload(service, "own.png", drawn(1)), service.post("/api/example-image", content=drawn(1))):
        assert refused.status_code == 501
        assert reader.EXTRA in unescape(refused.text)
    assert picture_of(service.get("/?q=src:a.png").text) == ("a.png", "b.png")
