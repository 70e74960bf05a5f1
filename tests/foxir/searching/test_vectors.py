"""Searches by meaning give the same answers from the command line, in runs, JSON, pages, tools and explanations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import foxir
from foxir.adapters.element_retriever import ElementRetriever
from foxir.service.mcp_server import make_mcp
from foxir.service.options import ServiceOptions
from foxir.service.state import ServiceState
from tests.foxir.adapters.vectors import QUERY, SETTINGS, TOY, index_with_vectors
from tests.foxir.commands.command import foxir as command
from tests.foxir.service.living import client, got

OPTIONS = ("--semantic", TOY, "--semantic-weight", "9")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[foxir.Index]:
    with index_with_vectors(tmp_path_factory.mktemp("vectors")) as opened:
        yield opened


def test_the_command_line_and_python(index: foxir.Index) -> None:
    expected = index.search(QUERY, **SETTINGS)
    found = command("search", index.folder, QUERY, *OPTIONS, "--json").json["answers"]

    assert [(each["document"], each["score"]) for each in found] == list(
        zip(expected.documents, expected.scores.tolist(), strict=True)
    )
    retrieved = ElementRetriever.of(index, SETTINGS, k=4).retrieve(QUERY)
    assert retrieved.documents == expected.documents


@pytest.mark.long
def test_runs_and_what_made_them(index: foxir.Index, tmp_path: Path) -> None:
    topics = tmp_path / "topics.tsv"
    topics.write_text(f"7\t{QUERY}\n", "utf-8")
    expected = index.search(QUERY, **SETTINGS)
    assert command("run", index.folder, topics, *OPTIONS, "--out", tmp_path / "run.xml").status == 0
    like = "run", index.folder, topics, "--like", tmp_path / "run.xml", "--out", tmp_path / "b.xml"
    assert "a run imports no function by itself" in command(*like).err
    assert command(*like, "--semantic", TOY).status == 0
    run, again = (foxir.read_run(tmp_path / name) for name in ("run.xml", "b.xml"))

    for found in (run, again, index.run(topics, **SETTINGS)):
        assert list(found.rankings["7"].documents) == list(expected.documents)


@pytest.mark.long
def test_the_service_its_pages_and_its_tools(index: foxir.Index) -> None:
    expected = index.search(QUERY, **SETTINGS)
    settings = foxir.make_settings(**SETTINGS)
    with client(Path(index.folder), settings=settings) as web:
        found = got(web, "/api/search", q=QUERY)["answers"]
        page = web.get("/", params={"q": QUERY}).text
        why = got(web, "/api/explain", q=QUERY, document=found[0]["document"], path=found[0]["path"])
    assert [(each["document"], each["score"]) for each in found] == list(
        zip(expected.documents, expected.scores.tolist(), strict=True)
    )
    places = [page.index(f"document={document}") for document in expected.documents]
    assert places == sorted(places)
    assert "semantic" in json.dumps(why)

    pytest.importorskip("mcp")
    import mcp  # noqa: PLC0415

    state = ServiceState(ServiceOptions((Path(index.folder),), settings=settings))

    async def asked() -> list[str]:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool("search", {"query": QUERY, "unit": "element"})
        return [each["document"] for each in outcome.structured_content["answers"]]

    try:
        assert asyncio.run(asked()) == list(expected.documents)
    finally:
        state.close()


def test_explanations_have_the_cosine_as_a_part(index: foxir.Index) -> None:
    for rank, answer in enumerate(index.search(QUERY, **SETTINGS), start=1):
        explained = index.explain(QUERY, answer.document, answer.path, **SETTINGS)
        assert explained.outcome.rank == rank
        assert explained.element is not None
        assert explained.element.value == answer.score
        assert explained.element.details[-1].name == "semantic"
