"""How others cut documents: recursive character chunks as LangChain's, and a hierarchy of chunks as LlamaIndex's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.effectiveness.words import WORD

Spans = NDArray[np.int64]  # starts and ends, shape (n, 2)

SEPARATORS = ("\n\n", "\n", " ", "")
LEVELS = (2048, 512, 128)  # words of a chunk of each level, LlamaIndex's default (there: tokens)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\n")


def recursive_chunks(text: str, size: int) -> Spans:
    """Return chunks of at most `size` characters, without overlap, white space at both ends left out.

    As RecursiveCharacterTextSplitter of langchain-text-splitters 1.1 with its own separators, which stay at the
    beginning of what follows them: cut at the first separator that occurs, put pieces together again while they fit,
    and cut what is too long at the next separator.
    """
    spans = [_stripped(text, start, end) for start, end in _recursive(text, 0, len(text), size, SEPARATORS)]
    return _as_spans([(start, end) for start, end in spans if end > start])


def _recursive(text: str, start: int, end: int, size: int, separators: Sequence[str]) -> Iterator[tuple[int, int]]:
    place = next((n for n, each in enumerate(separators) if each and text.find(each, start, end) >= 0), -1)
    waiting: list[tuple[int, int]] = []
    for piece in _pieces(text, start, end, separators[place]):
        if piece[1] - piece[0] < size:
            waiting.append(piece)
            continue
        yield from _merged(text, waiting, size)
        waiting = []
        if place in (-1, len(separators) - 1):
            yield piece
        else:
            yield from _recursive(text, *piece, size, separators[place + 1 :])
    yield from _merged(text, waiting, size)


def _pieces(text: str, start: int, end: int, separator: str) -> list[tuple[int, int]]:
    if not separator:
        return [(n, n + 1) for n in range(start, end)]
    borders = [start, *(m.start() for m in re.compile(re.escape(separator)).finditer(text, start, end)), end]
    return [(a, b) for a, b in pairwise(borders) if b > a]


def _merged(text: str, pieces: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    begin = None
    for start, end in pieces:
        if begin is not None and end - begin > size:
            yield begin, start
            begin = None
        if begin is None:
            begin = start
    if begin is not None:
        yield begin, pieces[-1][1]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def hierarchy(text: str) -> tuple[list[Spans], list[NDArray[np.int64]]]:
    """Return the chunks of each of LEVELS, and each chunk's parent one level up (the first level has none).

    As HierarchicalNodeParser of LlamaIndex: every chunk is cut into smaller ones, whole sentences as long as they fit.
    """
    levels = [_sentences_together(text, 0, len(text), LEVELS[0])]
    parents = [np.full(len(levels[0]), -1)]
    for size in LEVELS[1:]:
        cut = [_sentences_together(text, start, end, size) for start, end in levels[-1].tolist()]
        parents.append(np.repeat(np.arange(len(cut)), [len(each) for each in cut]))
        levels.append(np.concatenate([_as_spans([]), *cut]))
    return levels, parents


def _sentences_together(text: str, start: int, end: int, size: int) -> Spans:
    """Return chunks of at most `size` words: whole sentences together, a longer sentence cut between words."""
    borders = [start, *(m.end() for m in SENTENCE_END.finditer(text, start, end)), end]
    chunks: list[tuple[int, int]] = []
    count, begin = 0, start
    for a, b in pairwise(borders):
        words = [m.start() for m in WORD.finditer(text, a, b)]
        if count and count + len(words) > size:
            chunks.append((begin, a))
            begin, count = a, 0
        while len(words) > size:
            chunks.append((begin, words[size]))
            begin, words = words[size], words[size:]
        count += len(words)
    chunks.append((begin, end))
    return _as_spans([span for each in chunks if (span := _stripped(text, *each))[1] > span[0]])


def _as_spans(spans: Sequence[tuple[int, int]]) -> Spans:
    return np.array(spans, np.int64).reshape(-1, 2)
