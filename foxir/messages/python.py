"""Sentences of Python: keywords and calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from foxir.messages import command_line
from foxir.messages.front_end import FrontEnd, Word


def option(text: str) -> str:
    """Return a keyword, with its value.

    >>> option("missing_topics=skip"), option("jobs=1"), option("index")
    ('missing_topics="skip"', 'jobs=1', 'index=')
    """
    name, _, value = text.partition("=")
    return f"{name}={literal(value) if value else ''}"


def literal(value: str) -> str:
    """Return text or a number as Python writes it, with the quotes of the examples."""
    return value if value.isdecimal() else f'"{value}"'


def in_mapping(keyword: str, text: str) -> str:
    """Return a keyword whose value is a mapping, with a name and a value in it.

    >>> in_mapping("limits", "max_text=8M")
    'limits={"max_text": "8M"}'
    """
    name, _, value = text.partition("=")
    return f'{keyword}={{"{name}": {literal(value)}}}'


def index(text: str) -> str:
    """Return the call that updates an index with a place, and without a source."""
    place, _, source = text.partition(",")
    return f"foxir.build_index({place and f'{place}, '}remove=[{source!r}], into=INDEX)"


WORDS: Mapping[str, Word] = {
    **command_line.WORDS,
    "setting": lambda text: text.removesuffix("="),
    "given": lambda name: f"{name} =",
    "limits": lambda _: "limits:",
    "limit": partial(in_mapping, "limits"),
    "remove": lambda source: f"remove=[{source!r}]",
    "stop_on_error": lambda _: "stop_on_error",
    "index": index,
    "index_into": lambda url: f'foxir.build_index(SOURCE, into="{url}")',
    "option": option,
    "topics_option": lambda topics: f'only="{topics}"',
    "measures": lambda names: f'measures="{names}"',
    "measure_option": partial(in_mapping, "options"),
    "hixeval_alone": lambda _: 'measures="hixeval" with options={"alpha": 1}',
    "score_documents": lambda _: 'foxir.score(..., measures="trec")',
    "show_element": lambda _: "index.element(document, path)",
    "list_tags": lambda _: "foxir info INDEX --list-tags",
}
sentence = FrontEnd(WORDS).sentence
