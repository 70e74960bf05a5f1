"""Checks the limit on the distinct words of a document: each takes a Python object, and so far more than its bytes."""

from __future__ import annotations

import numpy as np

from engine.collection.document_limits import limit_exceeded
from engine.collection.limits import Limits
from engine.collection.markup.markup_text import find_text
from engine.collection.markup.markup_tree import find_tags
from engine.errors import CollectionError
from engine.text.analyser import Analyser
from engine.text.vocabulary import number_slices

# Bytes that a distinct word takes at least, with what separates it from the next one.
LEAST_BYTES = 3


def check_distinct_words(markup: bytes, name: str, limits: Limits, analyser: Analyser) -> None:
    """Raise CollectionError if a document, given as canonical markup, has more distinct words than the limit allows.

    A document that is too small for so many words is not looked at.
    """
    if len(markup) <= LEAST_BYTES * limits.max_distinct_words:
        return
    words = analyser.words(np.asarray(find_text(markup, find_tags(markup)).encoded))
    _, distinct = number_slices(words.encoded.tobytes(), words.begins, words.stops)
    if len(distinct) > limits.max_distinct_words:
        raise CollectionError(f"{name}:1: {limit_exceeded('max_distinct_words', limits.max_distinct_words)}")
