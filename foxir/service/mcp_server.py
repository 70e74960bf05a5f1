"""The tools of the service for language models (Model Context Protocol): search, read, outline, explain."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError
from starlette.routing import BaseRoute, Route

from engine.errors import FoxirError
from engine.query.keyword_notices import read_as_words
from engine.query.path_or_words import is_path_or_mistake, why_words
from engine.settings.kinds.value_types import HIGHEST
from engine.wording import did_you_mean, shown
from foxir.messages.service import of_budget
from foxir.searching.token_budget import (
    CountedTexts,
    best_within,
    counted_texts,
    estimated_tokens,
    token_counter,
)
from foxir.service.http.problems import ProblemError
from foxir.service.json import document_operations
from foxir.service.json.records import to_dict
from foxir.service.json.requests import SearchRequest, search_request
from foxir.service.options import ServiceOptions
from foxir.service.searching import run_search
from foxir.service.state import ServiceState

Value = TypeVar("Value")
INSTRUCTIONS = (
    "Search collections of XML documents. `search` returns paragraphs, sections or whole documents, whichever fit the "
    "query, each with its document id and path; `read` returns the text at a path or from one character to another; "
    "`outline` lists the sections of a document; `explain` says why an element was returned, or why not. Cite answers "
    "by document id and path."
)
# Characters that `read` returns at a time.
MOST_CHARACTERS = 20_000
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Query = Annotated[
    str,
    Field(
        description="words or a question, in which signs are text; or a path query (NEXI) such as //sec[about(., fog "
        'signal)], in which light*, bouy~1, "fog signal"~5, (lamp OR lantern), =lens and +fog are not'
    ),
]
Document = Annotated[str, Field(description="document id, as search returns it")]
Index = Annotated[
    str, Field(description="name of an index; if empty all as one, or the first, where that is not possible")
]


class Tools(MCPServer[Any]):
    """A server of tools that refuse unknown arguments, which would otherwise be without effect."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Return what a tool returns; raises ToolError for an unknown or wrong argument, too."""
        known = next((tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None)
        for argument in arguments:
            if known is not None and argument not in known:
                hint = did_you_mean(argument[:40], known)
                raise ToolError(f"{name}: unknown argument {argument[:40]!r}: {hint}expected {', '.join(known)}.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if known is None or not isinstance(error.__cause__, ValidationError):
                raise
            argument = str(error.__cause__.errors()[0]["loc"][0])
            found = f"found {shown(arguments[argument])}" if argument in arguments else "which is missing"
            raise ToolError(f"{name}: {argument}: expected {_expected(known[argument])}, {found}.") from None


def _expected(schema: dict[str, Any]) -> str:
    """Return what an argument with a JSON schema may be."""
    if "anyOf" in schema:
        return " or ".join(_expected(each) for each in schema["anyOf"] if each["type"] != "null")
    if "enum" in schema:
        return " or ".join(map(repr, schema["enum"]))
    noun = {"array": "a list of texts", "integer": "a whole number", "number": "a number"}.get(schema["type"], "a text")
    lowest, highest = (schema.get(name) for name in ("minimum", "maximum"))
    bounds = "" if lowest is None else f" from {lowest:,} {'up' if highest is None else f'to {highest:,}'}"
    return f"{noun}{bounds}"


def make_mcp(state: ServiceState, *, watches: bool = False) -> MCPServer[Any]:
    """Return the server of the tools over open indexes.

    Args:
        watches: whether it takes up new generations itself, because no other part of a service does.
    """

    @asynccontextmanager
    async def life(_: MCPServer[Any]) -> AsyncIterator[None]:
        watching = asyncio.create_task(state.keep_current()) if watches else None
        try:
            yield
        finally:
            if watching is not None:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching

    name = state.options.tokenizer
    count_tokens = token_counter(name) if name else estimated_tokens
    server = Tools("foxir", instructions=INSTRUCTIONS, version=state.version, lifespan=life, log_level="WARNING")

    @server.tool(annotations=READS)
    async def search(
        query: Query,
        budget_words: Annotated[
            int | None, Field(ge=1, le=1_000_000, description="words of all answers together")
        ] = None,
        budget_tokens: Annotated[
            int | None, Field(ge=1, le=1_000_000, description="tokens of all texts together")
        ] = None,
        limit: Annotated[
            int | None, Field(ge=1, le=50, description="answers returned, at most: 10, within a budget 50")
        ] = None,
        offset: Annotated[
            int, Field(ge=0, le=5000, description="answers passed over: `next_offset` of the last call")
        ] = 0,
        documents: Annotated[
            str | list[str],
            Field(description="only documents with such ids: reports/*, or a list of ids; all if empty"),
        ] = "",
        inside: Annotated[str, Field(description="only answers inside such elements: //body; all if empty")] = "",
        outside: Annotated[str, Field(description="no answers inside such elements: //ref-list; none if empty")] = "",
        max_per_document: Annotated[
            int | None, Field(ge=1, le=1000, description="answers of one document, at most")
        ] = None,
        unit: Annotated[
            Literal["element", "sentence", "siblings", "auto"],
            Field(
                description="elements; sentences, where little text is wanted; siblings: runs of turns, clauses or "
                "paragraphs around the best one; auto: what fits a budget better"
            ),
        ] = "auto",
        where: Annotated[
            str, Field(description="condition on fields of documents: year >= 2019 and type = review and author:strand")
        ] = "",
        facets: Annotated[str, Field(description="fields whose values are counted: year,author")] = "",
        sort: Annotated[str, Field(description="field by which answers are ordered, after - the highest first")] = "",
        min_score: Annotated[float, Field(ge=0, le=1, description="lowest score, as a share of the best one's")] = 0.0,
        repetitions: Annotated[
            Literal["keep", "once"],
            Field(description="near-duplicates of better answers: once, with where they are also in"),
        ] = "keep",
        index: Index = "",
    ) -> dict[str, Any]:
        """Return the parts of the collection that answer a query best, with their texts and fields of their documents.

        An empty query with `where` lists documents. An unknown field is refused with the names of those that there are.

        Of one document there are three at most, unless others lack answers, or within a budget. `next_offset` is where
        further answers begin; `tokens` counts those of the texts.
        """
        n_returned = limit or (10 if budget_words is None and budget_tokens is None else 50)
        given = {"q": query, "index": index, "limit": str(n_returned), "offset": str(offset)}
        pattern = documents if isinstance(documents, str) else "".join(f"{each}\n" for each in documents) or "\n"
        scope = {"documents": pattern, "inside": inside, "outside": outside, "where": where}
        budget = budget_tokens if budget_words is None else budget_words  # a word has a token or more
        sentence = of_budget("budget_tokens" if budget_words is None else "budget_words")
        others = {
            **{"facets": facets, "sort": sort, "min_score": min_score, "max_per_article": max_per_document},
            **{"unit": "" if unit == "auto" else unit, "word_budget": budget, "repetitions": repetitions},
        }
        given |= {name: str(value) for name, value in (scope | others).items() if value}

        def found() -> dict[str, Any]:
            snapshot, notices = state.indexes.snapshot(index), read_as_words(why_words(query))

            def best(n_words: int | None) -> tuple[dict[str, Any], CountedTexts]:
                asked = _asked(state, given if n_words is None else given | {"word_budget": str(n_words)})
                # The pages within a number of tokens are those of one set.
                asked = asked if budget_tokens is None else replace(asked, offset=0, limit=HIGHEST)
                result = to_dict(
                    run_search(snapshot, asked, with_text=True, is_spread=True, notices=notices, sentence=sentence)
                )
                texts = (each["readable_text"] for each in result["answers"])
                return result, counted_texts(texts, budget_tokens, count_tokens)

            result, counted = best_within(best, budget, budget_tokens)
            result["notice"] = " ".join([result["notice"], *map(sentence, counted.notices(budget_tokens))]).strip()
            page = _page(result, counted, offset, n_returned if budget_tokens else None)
            return page | ({"facets": result["facets"]} if facets else {})

        return await _answer(state, found)

    @server.tool(annotations=READS)
    async def read(
        document: Document,
        path: Annotated[str, Field(description="path of an element; the whole document if empty")] = "",
        start: Annotated[int, Field(ge=0, description="first character, without a path")] = 0,
        index: Index = "",
    ) -> dict[str, Any]:
        """Return the text of a document or of an element, at most 20,000 characters; `end` says how far it goes."""

        def found() -> dict[str, Any]:
            snapshot = state.indexes.snapshot(index)
            text = document_operations.read_text(
                snapshot, document, path or None, start, most=MOST_CHARACTERS, readable=True
            )
            return dict(to_dict(text))

        return await _answer(state, found)

    @server.tool(annotations=READS)
    async def outline(
        document: Document,
        query: Annotated[str, Field(description="scores the sections for this query, if not empty")] = "",
        index: Index = "",
    ) -> dict[str, Any]:
        """Return the titled sections of a document: path, title, words and, for a query, score."""

        def found() -> dict[str, Any]:
            asked = _asked(state, {"q": query, "index": index})
            outlined = to_dict(document_operations.document_outline(state.indexes.snapshot(index), document, asked))
            rows = [{name: each[name] for name in OUTLINED} for each in outlined["elements"]]
            return {
                "document": document,
                "title": outlined["title"],
                "elements": rows,
                "left_out": outlined["left_out"],
            }

        return await _answer(state, found)

    @server.tool(annotations=READS)
    async def explain(
        query: Query,
        document: Document,
        path: Annotated[str, Field(description="path of the element")],
        index: Index = "",
    ) -> str:
        """Return in words why an element is an answer to a query, or why it is not."""

        def found() -> str:
            asked = _asked(state, {"q": query, "index": index})
            return str(document_operations.explain(state.indexes.snapshot(index), document, path, asked))

        return await _answer(state, found)

    return server


def _page(result: dict[str, Any], counted: CountedTexts, offset: int, n_returned: int | None) -> dict[str, Any]:
    """Return a page of answers with its tokens and where the next begins.

    n_returned: answers of a page, of all that are within a number of tokens; None where the result is the page.
    """
    total = result["total"] if n_returned is None else len(counted.places)
    page = slice(None) if n_returned is None else slice(offset, offset + n_returned)
    found = [result["answers"][place] for place in counted.places[page]]
    answers = [
        {**{name: each[name] for name in SHOWN if name in each}, "text": each["readable_text"]} for each in found
    ]
    after = offset + len(answers)
    follows = after < total or (result["total_relation"] == "at_least" and bool(answers))
    return {
        "total": total,
        "total_relation": result["total_relation"],
        "next_offset": after if follows else None,
        "tokens": sum(counted.of_kept()[page]),
        "notice": result["notice"],
        "answers": answers,
    }


SHOWN = ("rank", "document", "path", "siblings", "start", "end", "words", "breadcrumb", "fields", "also_in")
OUTLINED = ("path", "title", "depth", "words", "score")


def _asked(state: ServiceState, given: dict[str, str]) -> SearchRequest:
    given = {**given, "syntax": "auto" if is_path_or_mistake(given["q"][: state.options.max_query]) else "plain"}
    return search_request(
        given, max_query=state.options.max_query, max_seconds=state.options.max_seconds, base=state.options.settings
    )


async def _answer(state: ServiceState, compute: Callable[[], Value]) -> Value:
    """Return what is computed in a thread; raises ToolError with what is wrong with the request."""
    try:
        return await state.run(compute)
    except ProblemError as problem:
        raise ToolError(problem.detail) from None
    except FoxirError as error:
        raise ToolError(str(error)) from None


def http_routes(server: MCPServer[Any]) -> list[BaseRoute]:
    """Return the route `/mcp`; the service's own layers check host, origin, size and token.

    Only requests are answered: this server begins no conversation, for which GET would hold a connection open.
    """
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)
    return [Route(route.path, route.endpoint, methods=["POST"]) for route in app.routes if isinstance(route, Route)]


def session(server: MCPServer[Any]) -> Callable[[], Any]:
    """Return the context manager that must be open while the route is served."""
    return server.session_manager.run


def serve_stdio(options: ServiceOptions) -> None:
    """Answer on standard input and output until the input ends."""
    state = ServiceState(options)
    try:
        anyio.run(make_mcp(state, watches=True).run_stdio_async)
    except KeyboardInterrupt:
        sys.exit(0)
    finally:
        state.close()
