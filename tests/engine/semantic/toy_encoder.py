"""Encoders of tests: vectors of letters, and ways to fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def encode(texts: list[str]) -> np.ndarray:
    """How often each letter occurs: whole numbers, so that cosines do not depend on the machine."""
    return np.array([[text.lower().count(letter) for letter in LETTERS] for text in texts], np.float32)


_encoded: list[str] = []


def remembers(texts: list[str]) -> np.ndarray:
    """As `encode`; `taken` returns the texts."""
    _encoded.extend(texts)
    return encode(texts)


def taken() -> list[str]:
    """Return the texts that `remembers` got since the last call."""
    texts = _encoded.copy()
    _encoded.clear()
    return texts


def changing(texts: list[str]) -> object:
    """As `encode`, or the function that a test puts into `NOW`."""
    return NOW(texts)


def opposite(texts: list[str]) -> np.ndarray:
    """Vectors whose cosines with those of single texts are negative: the query is encoded alone."""
    return encode(texts) * (1 if len(texts) == 1 else -1)


def not_a_number(texts: list[str]) -> np.ndarray:
    return np.full((len(texts), 3), np.nan, np.float32)


def too_few(texts: list[str]) -> np.ndarray:
    return np.zeros((len(texts) - 1, 3), np.float32)


def flat(texts: list[str]) -> np.ndarray:
    return np.zeros(len(texts), np.float32)


def words(texts: list[str]) -> list[str]:
    return texts


def raises(texts: list[str]) -> np.ndarray:
    raise RuntimeError("no model here")


_calls: list[int] = []


def other_dimensions(texts: list[str]) -> np.ndarray:
    """Vectors of another number of dimensions in every call."""
    _calls.append(len(texts))
    return np.ones((len(texts), len(_calls)), np.float32)


class _Unreadable:
    def __array__(self, *_args: object, **_options: object) -> np.ndarray:
        raise RuntimeError("no array here")


def unreadable(texts: list[str]) -> _Unreadable:
    return _Unreadable()


def too_large(texts: list[str]) -> np.ndarray:
    return np.full((len(texts), 3), 10**400, dtype=object)


def stops(texts: list[str]) -> np.ndarray:
    raise BaseException("no way on")


NOW: Callable[[list[str]], object] = encode
CONSTANT = 3
