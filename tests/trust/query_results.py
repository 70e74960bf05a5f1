"""Everything that queries to an index return, as plain JSON that can be compared and stored."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from foxir.searching.index_contents import describe
from tests.engine.small_index import answers_to


class Question(NamedTuple):
    query: str
    settings: dict[str, Any]


QUESTIONS = (
    Question("sea tide", {}),
    Question('"light house" lamp -fog', {"overlap": "remove"}),
    Question("rock night", {"approach": "fulltext", "similarity": "okapi"}),
    Question("fog", {"approach": "native", "answers": "matching"}),
    Question("//article[about(., sea)]//p[about(., tide)]", {}),
    Question('//sec[.//p/@lang = "en"]', {}),
    Question("//article//sec[about(.//title, rock) or about(., lamp)]", {"reading": "VV", "answers": "nCRE"}),
)
MOST = 12  # answers whose texts and snippets are included


def query_results(index: IndexReader) -> Any:
    """Return answers with texts and snippets, explanations, and the values of `foxir info`."""
    return {"info": info_of(index), "answers": [answers(index, question) for question in QUESTIONS]}


def info_of(index: IndexReader) -> dict[str, Any]:
    """Return the values of `foxir info` without the folder of the index and the defaults."""
    return {name: value for name, value in describe(index).items() if name not in ("index", "defaults")}


def answers(index: IndexReader, question: Question) -> dict[str, Any]:
    """Return the answers to a question, and the explanation of the first."""
    found = answers_to(index, question.query, **question.settings)
    columns = found.document_ids, found.paths, found.rsv.tolist(), found.spans.tolist(), found.article.tolist()
    listed = [
        [document, path, rsv, *span, place + 1] for document, path, rsv, span, place in zip(*columns, strict=True)
    ]
    shown = [[answer.text, answer.snippet.marked(), answer.breadcrumb] for answer in found[:MOST]]
    settings = Settings.from_options(**question.settings)
    why = explain(index, question.query, *listed[0][:2], settings).to_dict() if listed else None
    whole: dict[str, Any] = json.loads(json.dumps({"listed": listed, "shown": shown, "why": why}))
    return whole
