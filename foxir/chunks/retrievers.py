"""Ways to retrieve chunks, by name: BM25, auto-merging as that of LlamaIndex, a user's function."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.errors import ArgumentError
from engine.imported_function import called, imported_function
from engine.similarity.parameters import TABLE
from engine.wording import shown
from foxir import arguments
from foxir.adapters.hosts import require
from foxir.chunks.chunkers import Chunks, Merging
from foxir.chunks.collection import Collection
from foxir.chunks.ranking import (
    ENOUGH,
    LIMIT,
    Rankings,
    Retrieval,
    ScoredChunks,
    best_first,
    with_article,
    without_overlap,
)

# From the texts of all chunks and the queries to scores, shape (n_queries, n_chunks), higher is better.
ScoreFunction = Callable[[Sequence[str], Sequence[str]], Any]
RetrieverInput = str | ScoreFunction

LEAVES = 12  # that auto-merging retrieves, as in LlamaIndex's examples

RETRIEVERS: Mapping[str, str] = {
    "bm25": f"BM25 (k1 {TABLE['k1'].default}, b {TABLE['b'].default}) with the statistics of the chunks; bm25+4 adds 4 "
    "times the document's own BM25",
    "auto-merging": f"for llamaindex-tree: auto-merging:N retrieves N leaves ({LEAVES}); auto-merging:12+4 as bm25+4",
    "MODULE:FUNCTION": "your own function, from the texts of chunks and queries to an array of scores",
}
_NAMED = re.compile(r"(?P<name>bm25|auto-merging)(:(?P<leaves>\d{1,9}))?(\+(?P<share>\d{1,9}(\.\d{1,9})?))?")


def fits(chunks: Chunks, retriever: RetrieverInput) -> bool:
    """Return whether chunks can be retrieved in a way: auto-merging needs levels."""
    return chunks.tree is not None or not (isinstance(retriever, str) and retriever.startswith("auto-merging"))


def check_retriever(retriever: RetrieverInput) -> None:
    """Raise ArgumentError unless a retriever is a function, or named as RETRIEVERS says.

    Raises: MissingHostError without bm25s where the retriever needs it.
    """
    if not isinstance(retriever, str):
        arguments.callback("retriever", retriever)
    elif not (parsed := _NAMED.fullmatch(retriever)) or (parsed["leaves"] and parsed["name"] == "bm25"):
        if ":" not in retriever:
            raise ArgumentError(f"retriever {shown(retriever)}: expected one of {', '.join(RETRIEVERS)}.")
        imported_function(retriever, "retriever")
    elif parsed["leaves"] and not int(parsed["leaves"]):
        raise ArgumentError(f"retriever {retriever}: expected at least one leaf.")
    else:
        require("chunks")


def named(retriever: RetrieverInput) -> str:
    """Return the name of a retriever in tables."""
    return retriever if isinstance(retriever, str) else getattr(retriever, "__qualname__", type(retriever).__name__)


def retrieve(retrieval: Retrieval, chunks: Chunks, retriever: RetrieverInput, queries: Mapping[str, str]) -> Rankings:
    """Return the chunks for each topic, best first, at most LIMIT; by BM25, only those that contain a query word.

    Args:
        queries: the text of each topic's query, which a user's function gets.

    Raises: ArgumentError where a user's function returns no scores; MissingHostError without bm25s.
    """
    parsed = _NAMED.fullmatch(retriever) if isinstance(retriever, str) else None
    if parsed is None:
        function = imported_function(retriever, "retriever") if isinstance(retriever, str) else retriever
        return _by_function(retrieval, chunks, function, queries)
    share = float(parsed["share"] or 0)
    scored = retrieval.scored(chunks.kind, chunks.units)
    if parsed["name"] == "auto-merging" and chunks.tree is not None:
        n_leaves = int(parsed["leaves"] or LEAVES)
        merged = auto_merging(chunks.tree, scored, chunks.tree.leaves, share=share, n_leaves=n_leaves)
        return retrieval.each(merged, chunks.tree.units)
    if chunks.are_nested:
        tried = with_article(scored, share, ENOUGH), with_article(scored, share)
        return retrieval.each(without_overlap(chunks.units, *tried), chunks.units)
    return retrieval.each(with_article(scored, share, LIMIT), chunks.units)


def auto_merging(
    tree: Merging, scored: ScoredChunks, leaf_places: Numbers, *, share: float, n_leaves: int
) -> Callable[[str], Numbers]:
    """Return a function from topic to pieces: the best leaves by BM25 + share × BM25 of the article, merged."""

    def choose(topic: str) -> Numbers:
        own = scored.own(topic)
        scores = own + share * scored.article(topic)
        best = best_first(scores, own, n_leaves)
        return tree.merged(leaf_places[best], scores[best])

    return choose


def _by_function(retrieval: Retrieval, chunks: Chunks, function: ScoreFunction, queries: Mapping[str, str]) -> Rankings:
    texts = chunk_texts(retrieval.collection, chunks)
    found = called(function, f"retriever {named(function)}", list(texts), list(queries.values()))
    rows = _checked(found, (len(queries), len(texts)))
    scores = dict(zip(queries, rows, strict=True))

    def choose(topic: str) -> Numbers:
        return np.argsort(-scores[topic], kind="stable")

    chosen = without_overlap(chunks.units, choose) if chunks.are_nested else choose
    return retrieval.each(chosen, chunks.units)


def chunk_texts(collection: Collection, chunks: Chunks) -> list[str]:
    """Return the text of every chunk."""
    units, texts = chunks.units, []
    text, current = "", -1
    for document, start, end in zip(units.document.tolist(), units.start.tolist(), units.end.tolist(), strict=True):
        if document != current:
            text, current = collection.text(document), document
        texts.append(text[start:end])
    return texts


def _checked(scores: object, shape: tuple[int, int]) -> FloatArray:
    expected = f"retriever: expected an array of scores of the shape {shape} (queries, chunks)"
    try:
        found = np.asarray(scores)
        found = found.astype(np.float64, casting="same_kind" if found.dtype.kind in "fc" else "unsafe")
    except (TypeError, ValueError):
        raise ArgumentError(f"{expected}, got {shown(scores)}.") from None
    if found.shape != shape:
        raise ArgumentError(f"{expected}, got the shape {found.shape}.")
    if not np.isfinite(found).all():
        raise ArgumentError("retriever: a score is not a finite number.")
    return found
