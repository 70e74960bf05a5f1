"""Runs of siblings as answers everywhere: command line, JSON, runs, pages, tools of language models, retrievers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import foxir
from tests.foxir.commands.command import foxir as command
from tests.foxir.service.living import client, page_of

QUERY = "what does the lamp cost"
SAID = [*[f"We spoke of boats and sails, {n}." for n in range(9)], "What does the lamp cost?", "It costs forty crowns."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talk")
    turns = "".join(f"<turn><who>Ann</who><p>{said}</p></turn>" for said in [*SAID, *SAID[:9]])
    (folder / "talk.xml").write_text(f"<talk><title>Minutes</title>{turns}</talk>")
    foxir.build_index(folder / "talk.xml", into=folder / "x.foxir")
    return folder / "x.foxir"


@pytest.fixture(scope="module")
def best(folder: Path) -> dict[str, Any]:
    with foxir.open_index(folder) as index:
        answer = index.search(QUERY, unit="siblings", answers="//p")[0]
        assert answer.siblings is not None
        assert answer.siblings[0] != answer.siblings[1]
        found: dict[str, Any] = json.loads(json.dumps(answer.to_dict(text=True)))
        return found


def test_the_command_line_says_which_siblings_an_answer_is(folder: Path, best: dict[str, Any]) -> None:
    arguments = (folder, QUERY, "--unit", "siblings", "--answers", "//p", "--top", "1")
    first, last = best["siblings"]
    assert f"  1. talk {best['path']} in {first} to {last}\n" in command("search", *arguments).out
    (answer,) = command("search", *arguments, "--json", "--text").json["answers"]
    assert {name: answer[name] for name in best} == best
    assert json.loads(command("search", *arguments, "--json").out)["answers"][0]["words"] == best["words"]


def test_runs_have_the_characters_of_siblings(folder: Path, tmp_path: Path, best: dict[str, Any]) -> None:
    (tmp_path / "topics.xml").write_text(f'<topics><topic id="1"><title>{QUERY}</title></topic></topics>')
    arguments = ("--unit", "siblings", "--answers", "//p", "--out", tmp_path / "run.xml")
    command("run", folder, tmp_path / "topics.xml", *arguments)
    run = foxir.read_run(tmp_path / "run.xml")
    ranking = run.rankings["1"]
    assert (ranking.starts[0], ranking.lengths[0]) == (best["start"], best["size"])
    with foxir.open_index(folder) as index:
        assert foxir.Settings.from_run(run).unit == "siblings"
        assert index.search(QUERY, foxir.Settings.from_run(run))[0].start == best["start"]


def test_a_page_leads_to_all_siblings_of_an_answer(folder: Path, best: dict[str, Any]) -> None:
    with client(folder) as web:
        given = {"q": QUERY, "unit": "siblings", "answers": "//p"}
        (found, *_) = web.get("/api/search", params={**given, "text": 1}).json()["answers"]
        assert (found["siblings"], found["text"]) == (best["siblings"], best["text"])
        page = page_of(web.get(f"/?{urlencode(given)}"))
        assert " to ".join(best["siblings"]) in page.xpath("string(//span[@class='path'])")
        (link,) = set(page.xpath("//h2/a/@href"))
        marked = page_of(web.get(link)).xpath("//mark[contains(@class, 'focus')]")
        assert "".join("".join(each.text_content() for each in marked).split()) == "".join(best["text"].split())
        assert page.xpath("//select[@name='unit']/option[@selected]/text()") == ["runs of siblings"]


def test_language_models_get_siblings(folder: Path, best: dict[str, Any]) -> None:
    mcp = pytest.importorskip("mcp")
    from foxir.service.mcp_server import make_mcp  # noqa: PLC0415  (an extra)
    from foxir.service.options import ServiceOptions  # noqa: PLC0415
    from foxir.service.state import ServiceState  # noqa: PLC0415

    state = ServiceState(ServiceOptions((folder,)))

    async def found() -> Any:
        async with mcp.Client(make_mcp(state)) as tools:
            return await tools.call_tool("search", {"query": QUERY, "unit": "siblings"})

    try:
        outcome = asyncio.run(found())
        (answer, *_) = outcome.structured_content["answers"]
    finally:
        state.close()
    assert (answer["siblings"], answer["text"]) == (best["siblings"], best["readable_text"])


def test_an_id_of_a_run_is_that_of_its_characters(folder: Path, best: dict[str, Any]) -> None:
    from foxir.adapters.element_retriever import identifier, metadata  # noqa: PLC0415  (an extra)

    with foxir.open_index(folder) as index:
        answer = index.search(QUERY, unit="siblings", answers="//p")[0]
        assert identifier(answer) == f"talk#{best['start']}:{best['size']}"
        assert metadata(answer)["siblings"] == best["siblings"]
        assert answer.is_stretch
