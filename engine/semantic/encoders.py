"""Encoders by name: functions that make vectors of texts, such that texts of similar meaning have a high cosine.

`wordllama` is the mean of static word vectors that its package contains; `endpoint:MODEL` is a server
(`engine.semantic.endpoint`); every other name is a user's function, `module:function`. Nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray
from engine.errors import ArgumentError, SettingsError, how_to_install
from engine.imported_function import called, imported_function
from engine.threads import Lock

Vectors = FloatArray
Refused = Callable[[str], SettingsError]

WORDLLAMA, ENDPOINT = "wordllama", "endpoint:"
# Texts of one call.
BATCH = 32
# Kinds of NumPy's data types: signed and unsigned integers, floats.
REAL = frozenset("iuf")


def is_of_user(name: str) -> bool:
    """Return whether a name is that of a function outside foxir, which only a user may name: a file may not."""
    return name != WORDLLAMA and not name.startswith(ENDPOINT)


class Encode(Protocol):
    """A function that makes vectors of texts."""

    def __call__(self, texts: list[str], /) -> NDArray[np.float32]:
        """Return a vector for each text, shape (n_texts, n_dimensions), the same whatever other texts there are."""


class Encoder:
    """An encoder whose vectors are checked; used by one thread at a time.

    Args:
        name: what the setting calls it.
    """

    def __init__(self, name: str, encode: Encode) -> None:
        self.name, self._encode, self._lock = name, encode, Lock()
        self._n_dimensions: int | None = None

    def unit_vectors(self, texts: list[str], check: Callable[[], None]) -> Vectors:
        """Return vectors of length 1, or 0 where the encoder gives zeros; shape (n_texts, n_dimensions).

        Args:
            check: called between batches; what it raises ends the encoding.
        Raises: SettingsError for an encoder that raises, and for what is not vectors of these texts.
        """
        found = []
        for first in range(0, len(texts), BATCH):
            check()
            found.append(self._batch(texts[first : first + BATCH]))
        vectors = _scaled(np.concatenate(found))
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        units: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return units

    def _batch(self, texts: list[str]) -> Vectors:
        try:
            with self._lock.own:
                given = called(self._encode, "the encoder", list(texts))
        except ArgumentError as error:
            if isinstance(error.__cause__, SettingsError):  # of an encoder of this package
                raise error.__cause__ from None
            raise self._refused(str(error).removesuffix(".")) from error
        vectors = real_numbers(given, self._refused)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise self._refused(f"it returned an array of shape {vectors.shape} for {len(texts)} texts")
        if not np.isfinite(vectors).all():
            text = texts[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
            raise self._refused(f"it returned NaN or infinity for the text {text[:40]!r}")
        with self._lock.own:
            if self._n_dimensions is None:
                self._n_dimensions = vectors.shape[1]
        if vectors.shape[1] != self._n_dimensions:
            raise self._refused(f"its vectors had {self._n_dimensions} dimensions, then {vectors.shape[1]}")
        return vectors

    def _refused(self, what: str) -> SettingsError:
        return SettingsError(f"encoder '{self.name}': {what}: expected float32 vectors, one row a text.")


def real_numbers(given: object, refused: Refused) -> FloatArray:
    """Return what a user's function returned as float64; raises the error of `refused` for what are no numbers."""
    what = f"it returned {type(given).__name__}"
    try:
        array = called(np.asarray, what, given)
    except ArgumentError as error:  # it may have an __array__ of its own, which may raise anything
        raise refused(f"{what}, no array of numbers") from error
    is_masked = isinstance(given, np.ma.MaskedArray)
    if is_masked or array.dtype.kind not in REAL:
        kind = "masked values" if is_masked else array.dtype
        raise refused(f"{what}, no array of numbers but of {kind}")
    with np.errstate(over="ignore"):
        numbers: FloatArray = array.astype(np.float64)
    return numbers


def _scaled(vectors: Vectors) -> Vectors:
    """Return vectors whose largest values lie in [0.5, 1), such that their lengths neither overflow nor underflow.

    The factors are powers of two, so that no digit changes.
    """
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled: Vectors = np.ldexp(vectors, -exponents)
    return scaled


_loading = Lock()


def encoder(name: str) -> Encoder:
    """Return the encoder of a name, loaded once in a process.

    Raises: SettingsError for a package that is missing, and for a function that cannot be imported.
    """
    with _loading.own:
        return loaded_encoder(name)


@lru_cache(8)
def loaded_encoder(name: str) -> Encoder:
    """Return the encoder of a name, loaded once."""
    if name == WORDLLAMA:
        return Encoder(name, _wordllama())
    if name.startswith(ENDPOINT):
        from engine.semantic.endpoint import endpoint  # noqa: PLC0415  (a client for HTTP is slow to import)

        return Encoder(name, endpoint(name))
    try:
        return Encoder(name, imported_function(name, "encoder"))
    except ArgumentError as error:
        raise SettingsError(str(error)) from None


def _wordllama() -> Encode:
    """Return the static word vectors in the package wordllama."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # threads would warn in every process that is forked
    try:
        import wordllama  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise SettingsError(
            f"encoder '{WORDLLAMA}': {error.name} is not installed: {how_to_install('semantic')}, or name a "
            "function of yours, module:function."
        ) from None
    folder = Path(wordllama.__file__).parent
    model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def encode(texts: list[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = model.embed(texts, batch_size=BATCH)
        return vectors

    return encode
