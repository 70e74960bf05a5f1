"""Pages of answers are sent as they are made: the box before anything is searched, then the list, then the document."""

from __future__ import annotations

import asyncio
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from lxml import html

from foxir.service.app import make_app
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY


def sent(
    index: Path, parameters: Mapping[str, str], *, method: str = "GET", version: str = "1.1", **headers: str
) -> tuple[int, dict[str, str], list[bytes]]:
    """Return status, headers and parts of the body of a page as the service sends them."""
    app = make_app(ServiceOptions(indexes=(index,), refresh_seconds=3600.0))
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    given = {"host": "localhost", "accept": "text/html", **headers}
    scope = {
        **{"type": "http", "method": method, "path": "/", "http_version": version, "scheme": "http"},
        **{"query_string": urlencode(parameters).encode(), "server": ("localhost", 80), "client": ("localhost", 1)},
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
    }
    try:
        asyncio.run(app(scope, receive, send))
    finally:
        app.state.service.close()
    start, *parts = messages
    assert [part.get("more_body", False) for part in parts] == [True] * (len(parts) - 1) + [False]
    names = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], names, [part["body"] for part in parts]


@pytest.fixture
def index(sample: Sample) -> Path:
    return sample.folder / "sample.foxir"


def test_the_box_comes_first_then_the_list_then_the_document(index: Path, sample: Sample) -> None:
    document = sample.index.search(QUERY)[0].document
    status, headers, (box, answers, reader, end) = sent(index, {"q": QUERY, "open": document})

    assert status == 200
    assert "content-length" not in headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert box.startswith(b"<!doctype html>")
    assert (b'id="q"' in box, b"<article" in box) == (True, False)
    assert (b"<article" in answers, b'id="text"' in answers) == (True, False)
    assert (b'id="text"' in reader, b"</html>" in reader, end) == (True, True, b"")


def test_each_part_can_be_read_when_it_comes_compressed(index: Path) -> None:
    _, headers, (first, *_) = sent(index, {"q": QUERY}, accept_encoding="gzip")

    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept-Encoding")
    assert b'id="q"' in zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(first)


def test_a_head_has_the_status_and_no_list_is_made(index: Path) -> None:
    status, headers, parts = sent(index, {"q": QUERY}, method="HEAD")

    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<article" not in b"".join(parts)
    assert sent(index, {"q": "//sec[about(.,", "syntax": "path"}, method="HEAD")[0] == 422


def test_an_older_protocol_gets_one_part_with_its_length(index: Path) -> None:
    _, headers, (body,) = sent(index, {"q": QUERY}, version="1.0")

    assert int(headers["content-length"]) == len(body)
    assert body.rstrip().endswith(b"</html>")


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_page_whose_rest_cannot_be_made_says_so(
    index: Path, tmp_path: Path, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Texts are not read by a search, so that their damage is found when the list is made."""
    damaged = shutil.copytree(index, tmp_path / "damaged.foxir")
    (texts,) = damaged.rglob("text_frames.bin")
    texts.write_bytes(b"\xff" * texts.stat().st_size)
    status, _, parts = sent(damaged, {"q": QUERY}, version=version)
    page = html.document_fromstring(b"".join(parts))

    assert status == 200
    assert page.get_element_by_id("q").text == QUERY
    (said,) = page.xpath("//section[@role='alert']")
    assert said.text_content().split("\n")[1].strip() == "The rest of this page is missing"
    assert "text_frames.bin" in said.text_content()
    assert "text_frames.bin" in caplog.text
