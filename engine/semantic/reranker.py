"""Rerankers: functions of the user that score a text for a query, such as a cross-encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.errors import ArgumentError, SettingsError
from engine.imported_function import called, imported_function
from engine.semantic.encoders import real_numbers


def reranker(name: str) -> Callable[[str, list[str]], Any]:
    """Return the function `module:function`; raises SettingsError for one that cannot be imported."""
    try:
        return imported_function(name, "reranker")
    except ArgumentError as error:
        raise SettingsError(str(error)) from None


def shares_of_best(name: str, query: str, batches: Iterable[list[str]]) -> FloatArray:
    """Return the scores of texts for a query by a function of the user, the best as 1 and the worst as 0, shape (n,).

    All are 0 where they are equal.

    Args:
        name: of the function, `module:function`, which returns a number for each text of a list.
        batches: the texts, up to BATCH at a time.
    Raises: SettingsError for a function that cannot be imported or raises, or returns anything else.
    """

    def refused(what: str) -> SettingsError:
        return SettingsError(f"reranker '{name}': {what}: expected one finite number for each text.")

    score, found = reranker(name), []
    for batch in batches:
        try:
            given = called(score, "the function", query, list(batch))
        except ArgumentError as error:
            raise SettingsError(f"reranker '{name}': {error}") from error
        scores = real_numbers(given, refused)
        if scores.shape != (len(batch),):
            raise refused(f"it returned an array of shape {scores.shape} for {len(batch)} texts")
        if not np.isfinite(scores).all():
            raise refused(f"it returned NaN or infinity for the text {batch[int(np.isfinite(scores).argmin())][:40]!r}")
        found.append(scores)
    if not found:
        return np.zeros(0)
    scores = np.concatenate(found)
    scores /= max(float(np.abs(scores).max()), 1.0)  # such that differences do not overflow
    scores -= scores.min()
    shares: FloatArray = scores / (scores.max() or 1.0)
    return shares
