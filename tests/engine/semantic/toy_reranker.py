"""Rerankers of tests: by the length of texts, and ways to fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def by_length(query: str, texts: list[str]) -> list[int]:
    """The number of characters of each text."""
    return [len(text) for text in texts]


_given: list[tuple[str, list[str]]] = []


def remembers(query: str, texts: list[str]) -> list[int]:
    """As `by_length`; `taken` returns the arguments."""
    _given.append((query, texts))
    return by_length(query, texts)


def taken() -> list[tuple[str, list[str]]]:
    """Return the arguments that `remembers` got since the last call."""
    given = _given.copy()
    _given.clear()
    return given


def changing(query: str, texts: list[str]) -> object:
    """As `by_length`, or the function that a test puts into `NOW`."""
    return NOW(query, texts)


def raises(query: str, texts: list[str]) -> object:
    raise ValueError("no model")


def not_a_number(query: str, texts: list[str]) -> object:
    return np.full(len(texts), np.nan)


def too_few(query: str, texts: list[str]) -> object:
    return np.zeros(len(texts) - 1)


def of_text(query: str, texts: list[str]) -> object:
    return texts


def takes_texts(query: str, texts: list[str]) -> object:
    """Numbers of no text, as it leaves none in the list."""
    texts.clear()
    return np.zeros(0)


class _ManyLinesError(Exception):
    def __str__(self) -> str:
        return "no model\nhere"


class _WithoutTextError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raises_lines(query: str, texts: list[str]) -> object:
    raise _ManyLinesError


def raises_without_text(query: str, texts: list[str]) -> object:
    raise _WithoutTextError


NOW: Callable[[str, list[str]], object] = by_length
