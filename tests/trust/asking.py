"""All that an index can be asked, in a form that can be compared and written down."""

import json
from itertools import islice
from typing import Any, NamedTuple

from engine.cli.info import describe
from engine.explain import explain
from engine.index.index import Index
from engine.settings import Settings


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
MOST = 12  # answers whose texts and snippets are looked at


def told(index: Index) -> Any:
    """Return what an open index says: answers with texts and snippets, explanations, and `foxir info`; plain JSON."""
    return {"info": said_of(index), "answers": [answers(index, question) for question in QUESTIONS]}


def said_of(index: Index) -> dict[str, Any]:
    """Return what `foxir info` says, without where the index lies and what the defaults are."""
    said = describe(index)
    return {name: value for name, value in said.items() if name not in ("index", "defaults")}


def answers(index: Index, question: Question) -> dict[str, Any]:
    """Return the answers to a question, and why the first stands there."""
    found = index.search(question.query, **question.settings)
    listed = [
        [answer.document, answer.path, answer.rsv, answer.start, answer.end, answer.article_rank]
        for answer in islice(found, 2000)
    ]
    shown = [[answer.text, answer.snippet.marked(), answer.breadcrumb] for answer in found[:MOST]]
    settings = Settings.from_options(**question.settings)
    why = explain(index, question.query, *listed[0][:2], settings) if listed else None
    whole: dict[str, Any] = json.loads(json.dumps({"listed": listed, "shown": shown, "why": why}))
    return whole
