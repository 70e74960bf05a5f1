"""Answers to many queries with their texts, as a generation system reads them: a JSON object for each query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Unpack, get_args

from engine.answers.topic_run import topic_query
from engine.errors import QueryError
from engine.progress import Progress
from engine.settings import Settings
from foxir import arguments
from foxir.adapters.element_retriever import DEFAULT_K, ElementRetriever, metadata
from foxir.results.answers import Answer
from foxir.results.elements import NeighbourName, neighbours_of
from foxir.searching.opened_index import Index
from foxir.searching.search_settings import SearchKeywords, check_image_weight, settings_of
from foxir.searching.token_budget import TokenCounter
from foxir.searching.topic_input import TopicsInput, topics_of


def export(
    index: Index,
    topics: TopicsInput,
    settings: Settings | None = None,
    *,
    k: int = DEFAULT_K,
    token_budget: int | None = None,
    count_tokens: TokenCounter | str | None = None,
    neighbours: Sequence[NeighbourName] = (),
    progress: Progress | None = None,
    **keywords: Unpack[SearchKeywords],
) -> Iterator[dict[str, Any]]:
    """Yield for each topic its id, query and answers: text, document, path, offsets, words, breadcrumb, checksum.

    With `count_tokens` an answer has `tokens`, too, and with `token_budget` all answers of a topic together have at
    most that many. A query without answers has an empty list; one that cannot be read has an `error`, too; one that was
    read otherwise than it may be meant, or has no answer, has `notices`.

    Args:
        topics: topics, or the file or folder that contains them.
        k: answers to a topic.
        count_tokens: counts the tokens of a text; the name of a tokenizer (`foxir.searching.token_budget`) will do.
        neighbours: some of parent, children, previous, next: each answer has these elements with their texts, too.
        progress: is called with the stage, the topics done and all topics.
        settings, keywords: as in `Index.search`, but for `max_answers`, which `k` is here.

    Raises: TypeError, TopicError, SettingsError, ArgumentError, ClosedIndexError.
    """
    if "max_answers" in keywords:
        raise TypeError("max_answers: use k, the number of answers to a topic.")
    chosen = settings_of(settings, keywords)
    retriever = ElementRetriever.of(index, chosen, k=k, token_budget=token_budget, count_tokens=count_tokens)
    neighbours = [arguments.choice("neighbours", name, get_args(NeighbourName)) for name in neighbours]
    report = arguments.callback("progress", progress)
    found = topics_of(topics)
    check_image_weight(keywords, retriever.index.reader, (topic_query(each, chosen) for each in found.topics), chosen)
    for number, topic in enumerate(found, 1):
        query = topic_query(topic, retriever.settings)
        exported: dict[str, Any] = {"query_id": topic.topic_id, "query": query, "answers": []}
        try:
            answers = retriever.search(query, retriever.k, {})
        except QueryError as error:
            exported["error"] = str(error)
        else:
            if notices := [*map(str, answers.notices), *filter(None, [answers.why_empty()])]:
                exported["notices"] = notices
            exported["answers"] = [_row(answer, retriever.count_tokens, neighbours) for answer in answers]
        if report:
            report("answering", number, len(found))
        yield exported


def _row(answer: Answer, count_tokens: TokenCounter | None, neighbours: Sequence[NeighbourName]) -> dict[str, Any]:
    row = {**metadata(answer), "text": answer.readable_text}
    if count_tokens is not None:
        row["tokens"] = count_tokens(row["text"])
    return {**row, **neighbours_of(answer.element, neighbours, text=True, readable=True)} if neighbours else row


def json_lines(exported: Iterable[object]) -> Iterator[str]:
    """Yield each object as a line of JSON, without its line end."""
    for each in exported:
        yield json.dumps(each, ensure_ascii=False, allow_nan=False)
