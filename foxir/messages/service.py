"""Sentences of the service: parameters of its addresses and tools, and what its pages show."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.settings.catalogue import ROWS
from foxir.messages import python
from foxir.messages.front_end import FrontEnd, Word

# An element is shown by the page, the address under /api and the tool of this name.
WORDS: Mapping[str, Word] = {**python.WORDS, "show_element": lambda _: "read, with document and path,"}

# Value -> the words for it.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "overlap": {"remove": "the best of them", "keep": "all of them"},
    "reading": {
        "auto": "as the query asks",
        "SS": "target and support strictly (SS)",
        "SV": "target strictly, support vaguely (SV)",
        "VS": "target vaguely, support strictly (VS)",
        "VV": "both vaguely (VV)",
    },
    "operator": {"or": "any of them", "and": "all of them"},
}
# The other controls of the page, by a setting and its value.
CONTROLS = {
    "syntax=keywords": "“words” under “Read as”",
    "unit=sentence": "“passages” under “Answers”",
    "unit=element": "“elements” under “Answers”",
}


def control(setting: str) -> str:
    """Return what to choose on the page for a setting and its value; of one without a control, its name in an address.

    >>> control("syntax=keywords"), control("max_words=all"), control("inside=")
    ('“words” under “Read as”', '“all” under “Words of an element, at most”', 'inside')
    """
    name, _, value = setting.partition("=")
    label = next((row.label for row in ROWS if row.name == name), "")
    if label:
        return f"“{CHOICES.get(name, {}).get(value, value)}” under “{label}”" if value else f"“{label}”"
    return CONTROLS.get(setting, setting.removesuffix("="))


ON_PAGES: Mapping[str, Word] = {
    **WORDS,
    "setting": control,
    "list_tags": lambda _: "“Element” beside the answers to words",
    "list_fields": lambda _: "the column beside the answers",
    "path_syntax": lambda _: "choose “structure (NEXI)” under “Read as” to search with a path query",
}


def of_budget(argument: str) -> Callable[[object], str]:
    """Return what writes the sentences of a tool, in which the budget is an argument of this name."""
    return FrontEnd({**WORDS, "word_budget": lambda _: argument}).sentence


sentence = FrontEnd(WORDS).sentence
sentence_of_page = FrontEnd(ON_PAGES).sentence
