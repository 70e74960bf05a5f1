"""The splitters of LangChain and LlamaIndex, by the libraries themselves, as places in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from engine.arrays import Numbers
from engine.errors import ArgumentError
from foxir.adapters.hosts import require

# From a text to the starts and ends of its chunks, shape (n, 2), in the order of their starts.
Splitter = Callable[[str], Numbers]


def langchain_splitter(size: int, overlap: int = 0) -> Splitter:
    """Return LangChain's RecursiveCharacterTextSplitter, with its own separators.

    Args:
        size: characters of a chunk, at most; overlap: characters that a chunk repeats of the one before, at most.

    Raises: MissingHostError without langchain-text-splitters.
    """
    require("langchain-text-splitters")
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415  (a library of an extra)

    split = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap).split_text
    return lambda text: located(text, split(text), overlap)


def llamaindex_splitter(size: int, overlap: int = 0) -> Splitter:
    """Return LlamaIndex's SentenceSplitter; size and overlap are in tokens, counted by its own tokenizer.

    Raises: MissingHostError without llama-index-core.
    """
    require("llamaindex")
    from llama_index.core.node_parser import SentenceSplitter  # noqa: PLC0415  (a library of an extra)

    split = SentenceSplitter(chunk_size=size, chunk_overlap=overlap).split_text
    return lambda text: located(text, split(text), len(text) if overlap else 0)


def hierarchy(text: str, splitters: Sequence[Splitter]) -> tuple[list[Numbers], list[Numbers]]:
    """Return the chunks of each level, and each chunk's parent one level up (the first level has none: -1).

    With splitters of LlamaIndex, the levels of its HierarchicalNodeParser: every chunk is cut into smaller ones.
    """
    levels = [splitters[0](text)]
    parents: list[Numbers] = [np.full(len(levels[0]), -1)]
    for splitter in splitters[1:]:
        cut = [splitter(text[start:end]) + start for start, end in levels[-1].tolist()]
        parents.append(np.repeat(np.arange(len(cut)), [len(each) for each in cut]))
        levels.append(np.concatenate([_spans([]), *cut]))
    return levels, parents


def located(text: str, chunks: Iterable[str], overlap: int = 0) -> Numbers:
    """Return the spans of the chunks in a text, shape (n, 2): each is searched after the one before.

    Exact for chunks that leave out white space only, as those of both libraries.

    Args:
        overlap: characters that a chunk may repeat of the one before; of repetitive text, the first place that fits is
            taken then.

    Raises: ArgumentError for a chunk that is not part of the text.
    """
    spans, place = [], 0
    for chunk in chunks:
        start = text.find(chunk, place)
        if start < 0:
            raise ArgumentError(f"a splitter returned text that the document has not: {chunk[:60]!r}")
        end = start + len(chunk)
        spans.append((start, end))
        place = max(start, end - overlap)
    return _spans(spans)


def _spans(spans: Sequence[tuple[int, int]]) -> Numbers:
    return np.array(spans, np.int64).reshape(-1, 2)
