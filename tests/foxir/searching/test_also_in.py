"""Where else an answer stands: in Python, JSON, on the command line, the page, for models and in adapters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import foxir
from foxir.adapters.element_retriever import ElementRetriever, metadata
from tests.engine.ranking.selection.test_repetitions import DOCUMENTS
from tests.engine.small_index import write
from tests.foxir.commands.command import foxir as command
from tests.foxir.service.living import client

PLACES = [{"document": "b", "path": "/a[1]"}, {"document": "c", "path": "/a[1]"}]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("also_in")
    (folder / "source").mkdir()
    write(folder / "source", DOCUMENTS)
    foxir.build_index(folder / "source", into=folder / "index.foxir")
    return folder / "index.foxir"


def test_python_and_json_have_it_where_there_is_any(index: Path) -> None:
    with foxir.open_index(index) as opened:
        found = opened.search("fog signal", repetitions="once")
        (first,) = [answer for answer in found if answer.document == "a"]
        (other,) = [answer for answer in found if answer.document == "d"]

        assert [(each.document, each.path) for each in first.also_in] == [("b", "/a[1]"), ("c", "/a[1]")]
        assert (first.to_dict()["also_in"], "also_in" in other.to_dict()) == (PLACES, False)


@pytest.mark.parametrize("how", [["--repetitions", "once"], ["--word-budget", "100"], ["--group", "document"]])
def test_the_terminal_has_a_line(index: Path, how: list[str]) -> None:
    options = [*how, "--repetitions", "once"] if how[0] == "--group" else how

    assert "also in: b /a[1], c /a[1]" in command("search", index, "fog", "signal", *options).out


def test_the_page_has_links_and_the_service_the_same_json(index: Path) -> None:
    with client(index) as web:
        answers = web.get("/api/search", params={"q": "fog signal", "repetitions": "once"}).json()["answers"]
        page = web.get("/", params={"q": "fog signal", "repetitions": "once"}).text

    assert [each.get("also_in") for each in answers if each["document"] in "ad"] in ([PLACES, None], [None, PLACES])
    links = re.findall(r'also in: <a href="([^"]*)"', page)
    assert [re.search("document=b&amp;path=%2Fa%5B1%5D#focus$", link) is not None for link in links] == [True]


def test_adapters_have_it_in_their_metadata(index: Path) -> None:
    found = ElementRetriever.of(index, {"repetitions": "once"}).retrieve("fog signal")

    assert [metadata(answer).get("also_in") for answer in found if answer.document == "a"] == [PLACES]
