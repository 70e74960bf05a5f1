"""Sentences of the service: parameters of its addresses and tools, and what its pages show."""

from __future__ import annotations

from collections.abc import Mapping

from foxir.messages import python
from foxir.messages.front_end import FrontEnd, Word

# An element is shown by the page, the address under /api and the tool of this name.
WORDS: Mapping[str, Word] = {**python.WORDS, "show_element": lambda _: "read, with document and path,"}
ON_PAGES: Mapping[str, Word] = {
    **WORDS,
    "path_syntax": lambda _: "choose “structure (NEXI)” under “Read as” to search with a path query",
}
sentence = FrontEnd(WORDS).sentence
sentence_of_page = FrontEnd(ON_PAGES).sentence
