"""Sentences of Python: keywords and calls."""

from __future__ import annotations

from collections.abc import Mapping

from foxir.messages import command_line, evaluation, queries, settings
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


def measure_option(text: str) -> str:
    """Return an option of a measure, with its value."""
    name, _, value = text.partition("=")
    return f'options={{"{name}": {literal(value)}}}'


WORDS: Mapping[str, Word] = {
    "setting": str,
    "given": lambda name: f"{name} =",
    "limit": lambda _: "limits:",
    "option": option,
    "topics_option": lambda topics: f'only="{topics}"',
    "measures": lambda names: f'measures="{names}"',
    "measure_option": measure_option,
    "hixeval_alone": lambda _: 'measures="hixeval" with options={"alpha": 1}',
    "score_documents": lambda _: 'foxir.score(..., measures="trec")',
    "convert_to_paths": command_line.WORDS["convert_to_paths"],
    "derive_elements": command_line.WORDS["derive_elements"],
    "show_element": lambda _: "index.element(document, path)",
    "path_syntax": lambda _: "a path query needs the syntax path or auto",
    "list_tags": lambda _: "foxir info INDEX --list-tags",
}
sentence = FrontEnd(WORDS, queries.SENTENCES, settings.SENTENCES, evaluation.SENTENCES).sentence
