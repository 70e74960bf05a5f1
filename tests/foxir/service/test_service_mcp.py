"""The tools for language models, through the client of the SDK: in process, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

import foxir
from foxir.searching.grouping import spread
from foxir.service.mcp_server import make_mcp
from foxir.service.options import ServiceOptions
from foxir.service.state import ServiceState
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, client, running

mcp = pytest.importorskip("mcp")


async def the_tools(server: Any) -> dict[str, Any]:
    """Use every tool of a server, and return what it says."""
    async with mcp.Client(server) as found:
        tools = await found.list_tools()
        calls = {
            "search": {"query": QUERY, "limit": 3},
            "read": {"document": "jats/fx-006", "path": "/article[1]/body[1]/sec[5]/p[1]"},
            "outline": {"document": "jats/fx-006", "query": QUERY},
            "explain": {"query": QUERY, "document": "jats/fx-006", "path": "/article[1]/body[1]/sec[5]/p[1]"},
        }
        answers = {name: await found.call_tool(name, arguments) for name, arguments in calls.items()}
        wrong = {
            "document": await found.call_tool("read", {"document": "none"}),
            "query": await found.call_tool("search", {"query": "//sec[about(., fog"}),
            "index": await found.call_tool("search", {"query": "fog", "index": "none"}),
        }
    return {"tools": {tool.name for tool in tools.tools}, "answers": answers, "wrong": wrong}


def _spread(answers: foxir.Answers) -> foxir.Answers:
    """Return the first ten answers, at most three of a document."""
    return answers.at(spread(answers.documents[:51], 10))


def check(result: dict[str, Any], sample: Sample) -> None:
    expected = sample.index.search(QUERY)
    found = result["answers"]["search"].structured_content
    answers = found["answers"]
    text = sample.index.text("jats/fx-006")

    first = expected.at(spread(expected.documents[:16], 3))
    assert (found["total"], found["total_relation"]) == (16, "at_least")
    assert result["tools"] == {"search", "read", "outline", "explain"}
    assert [(each["document"], each["path"], each["text"]) for each in answers] == [
        (each.document, each.path, each.readable_text) for each in first
    ]
    assert result["answers"]["read"].structured_content["text"] == text[5456:6015]
    titles = [each["title"] for each in result["answers"]["outline"].structured_content["elements"]]
    assert "Conclusion" in titles
    assert "returned at rank" in result["answers"]["explain"].content[0].text
    for name, message in {"document": "is not in index", "query": "^", "index": "there is none"}.items():
        assert result["wrong"][name].is_error
        assert message in result["wrong"][name].content[0].text


def test_tools_in_this_process(sample: Sample) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",)))
    try:
        check(asyncio.run(the_tools(make_mcp(state))), sample)
    finally:
        state.close()


@pytest.mark.long
def test_signs_of_a_question_are_text_and_passages_can_be_asked_for(sample: Sample) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",)))

    async def found(query: str, **arguments: Any) -> list[tuple[str, str]]:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool("search", {"query": query, **arguments})
        return [(each["document"], each["text"]) for each in outcome.structured_content["answers"]]

    try:
        assert asyncio.run(found("fog -signal")) == asyncio.run(found("fog signal"))
        assert asyncio.run(found("/dev/fog signal")) == asyncio.run(found("dev fog signal"))
        assert asyncio.run(found("// fog signal: what is it?")) == asyncio.run(found("fog signal what is it"))
        structured = _spread(sample.index.search("//sec//p", syntax="path"))
        assert asyncio.run(found("//sec//p")) == [(each.document, each.readable_text) for each in structured]
        expected = [(each.document, each.readable_text) for each in _spread(sample.index.search(QUERY, passages=True))]
        assert asyncio.run(found(QUERY, unit="sentence")) == expected
    finally:
        state.close()


def test_a_notice_says_why_a_query_that_begins_with_a_slash_is_words(sample: Sample) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",)))

    async def notice(query: str) -> str:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool("search", {"query": query})
        return str(outcome.structured_content["notice"])

    try:
        assert asyncio.run(notice("fog -signal")) == ""
        message = asyncio.run(notice("/article//sec[fog signal"))
        assert message.startswith("the query begins with / but is read as words: position 15: a condition was expected")
        assert "no document has an element 'etc' or 'hosts'; a path" in asyncio.run(notice("/etc/hosts"))
        assert "is read as words" in asyncio.run(notice("//NOTE: fix the fog signal"))
    finally:
        state.close()


def test_an_unknown_argument_is_refused_with_the_one_that_was_meant(sample: Sample) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",)))

    async def refusal(**arguments: Any) -> str:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool("search", {"query": QUERY, **arguments})
        assert outcome.is_error
        return str(outcome.content[0].text)

    try:
        assert "search: unknown argument 'limits': did you mean 'limit'? expected query, " in asyncio.run(
            refusal(limits=3)
        )
        assert "unknown argument 'colour': expected query, budget_words" in asyncio.run(refusal(colour="red"))
        assert asyncio.run(refusal(limit="few")) == "search: limit: expected a whole number from 1 to 50, found 'few'."
        assert asyncio.run(refusal(documents=5)) == "search: documents: expected a text or a list of texts, found 5."
        assert (
            asyncio.run(refusal(unit="x"))
            == "search: unit: expected 'element' or 'sentence' or 'siblings' or 'auto', found 'x'."
        )
        assert asyncio.run(refusal(min_score=-1)) == "search: min_score: expected a number from 0 to 1, found -1."
        assert asyncio.run(refusal(query=None)) == "search: query: expected a text, found None."
        with pytest.raises(Exception, match="search: query: expected a text, which is missing"):
            asyncio.run(make_mcp(state).call_tool("search", {}))
    finally:
        state.close()


@pytest.mark.long
def test_tools_over_stdio(sample: Sample) -> None:
    program = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "foxir", "mcp", str(sample.folder / "sample.foxir")]
    )
    check(asyncio.run(the_tools(program)), sample)


def test_the_command_takes_settings_whose_functions_are_there(sample: Sample) -> None:
    with (sample.folder / "meaning.toml").open("w", encoding="utf-8") as file:
        file.write('semantic = "tests.engine.semantic.toy_encoder:encode"\n')
    command = [sys.executable, "-m", "foxir", "mcp", str(sample.folder / "sample.foxir")]
    ended = subprocess.run(
        [*command, "--settings", file.name], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "the index has no vectors" in ended.stderr
    assert "sample.foxir" in ended.stderr


@pytest.mark.long
def test_tools_over_http(sample: Sample) -> None:
    with running(ServiceOptions((sample.folder / "sample.foxir",), with_mcp=True, quiet=True)) as port:
        check(asyncio.run(the_tools(f"http://127.0.0.1:{port}/mcp")), sample)


def test_tools_are_guarded_like_pages(sample: Sample) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with client(sample.folder / "sample.foxir", with_mcp=True) as web:
        assert web.post("/mcp", json=call, headers={"Origin": "http://evil.example"}).status_code == 403
        assert web.post("/mcp", json=call, headers={"Host": "evil.example"}).status_code == 421
        waiting = web.get("/mcp", headers={"Accept": "text/event-stream"})  # no connection is held open
        assert (waiting.status_code, waiting.headers["allow"]) == (405, "POST")
    with client(sample.folder / "sample.foxir") as web:
        assert web.post("/mcp", json=call).status_code == 404


@pytest.mark.long
def test_answers_have_pages_scopes_and_budgets_of_tokens(sample: Sample) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",), tokenizer=f"{__name__}:letters"))

    async def found(**arguments: Any) -> Any:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool("search", {"query": QUERY, **arguments})
            return outcome.structured_content

    def in_pages(budget: int) -> list[Any]:
        answers, offset = [], 0
        while offset is not None:
            page = asyncio.run(found(budget_tokens=budget, limit=2, offset=offset))
            assert page["tokens"] == sum(len(each["text"]) for each in page["answers"])
            answers += page["answers"]
            offset = page["next_offset"]
        return answers

    try:
        every = asyncio.run(found(limit=12))
        page = asyncio.run(found(limit=5))
        rest = asyncio.run(found(limit=7, offset=page["next_offset"]))
        names = ("document", "path")
        pages = [tuple(each[name] for name in names) for part in (page, rest) for each in part["answers"]]
        assert pages == [tuple(each[name] for name in names) for each in every["answers"]]
        assert page["next_offset"] == 5
        assert every["tokens"] == sum(len(each["text"]) for each in every["answers"])
        assert asyncio.run(found(limit=5, offset=4000))["next_offset"] is None
        few = asyncio.run(found(budget_tokens=900))
        assert 0 < few["tokens"] == sum(len(each["text"]) for each in few["answers"]) <= 900
        assert few["next_offset"] is None
        for budget in (450, 700, 1300, 2500):  # words have several letters, so fewer of them are within it
            assert budget / 2 <= asyncio.run(found(budget_tokens=budget))["tokens"] <= budget
            assert in_pages(budget) == asyncio.run(found(budget_tokens=budget))["answers"]
        large = asyncio.run(found(budget_words=3000))
        assert (len(large["answers"]), large["next_offset"]) == (50, 50)
        none = asyncio.run(found(budget_tokens=1))
        assert none["notice"].startswith("no answer fits budget_tokens = 1: the shortest answer has")
        assert "budget_words = 1: " in asyncio.run(found(budget_words=1))["notice"]
        least = int(none["notice"].split("the shortest answer has ")[1].split()[0])
        none = asyncio.run(found(budget_tokens=least))
        assert (none["answers"], none["tokens"]) == ([], 0)
        assert f"no answer fits budget_tokens = {least}: the shortest one found has" in none["notice"]
        tei = asyncio.run(found(documents="tei/*", inside="//body", max_per_document=1))["answers"]
        assert tei
        assert len({each["document"] for each in tei}) == len(tei)
        assert all(each["document"].startswith("tei/") and "/body[1]" in each["path"] for each in tei)
    finally:
        state.close()


def letters(text: str) -> int:
    return len(text)


@pytest.mark.parametrize("tool", ["read", "outline", "explain"])
def test_a_wrong_id_gets_a_suggestion(sample: Sample, tool: str) -> None:
    state = ServiceState(ServiceOptions((sample.folder / "sample.foxir",)))
    given = {"document": "fx-006.nxml"} | ({"query": "fog", "path": "/article[1]"} if tool == "explain" else {})

    async def said() -> str:
        async with mcp.Client(make_mcp(state)) as tools:
            outcome = await tools.call_tool(tool, given)
            text: str = outcome.content[0].text
            return text

    try:
        assert "did you mean 'jats/fx-006'?" in asyncio.run(said())
    finally:
        state.close()
