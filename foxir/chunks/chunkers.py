"""Ways to cut documents, by name: whole documents, elements, splitters of libraries, a user's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays import FloatArray, Mask, Numbers
from engine.errors import ArgumentError
from engine.imported_function import called, imported_function
from engine.progress import Progress
from engine.wording import counted, shown
from foxir import arguments
from foxir.adapters.hosts import require
from foxir.chunks.collection import Collection, Pieces

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


# From the plain text of a document, blocks separated by blank lines, to pairs (start, end), one a chunk.
ChunkFunction = Callable[[str], Iterable[tuple[int, int]]]
ChunkerInput = str | ChunkFunction

PARAGRAPHS = ("p", "para", "simpara", "ip1")  # JATS and TEI, DocBook, INEX
ELEMENTS = ("documents", "paragraphs", "elements")
SPLITTERS: Mapping[str, Callable[[int, int], Splitter]] = {
    "langchain": langchain_splitter,
    "llamaindex": llamaindex_splitter,
}
SIZE = 512
MOST_CHARACTERS = 2**53  # as floats, which chunkers may return, larger numbers are not whole
TREE = "llamaindex-tree"
TREE_SIZES = (2048, 512, 128)


MERGED_FROM = 0.5  # a parent takes the place of its children when more than this share of them is there


@dataclass(frozen=True)
class Merging:
    """A hierarchy of chunks of all documents: the pieces of all levels, leaves last, and each one's parent (or -1)."""

    units: Pieces
    parent: Numbers
    is_leaf: Mask

    @cached_property
    def children(self) -> Numbers:
        """Number of children of each piece."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self.parent))

    @cached_property
    def leaves(self) -> Numbers:
        """The places of the leaves."""
        return np.flatnonzero(self.is_leaf)

    @cached_property
    def leaf_units(self) -> Pieces:
        """The leaves, which are retrieved."""
        units = self.units
        return Pieces(units.document[self.leaves], units.start[self.leaves], units.end[self.leaves], units.rows)

    def merged(self, places: Numbers, scores: FloatArray) -> Numbers:
        """Return pieces, best first; a parent replaces more than MERGED_FROM of its children, with their mean score."""
        found = dict(zip(places.tolist(), scores.tolist(), strict=True))
        while True:
            families: dict[int, list[int]] = {}
            for place in found:
                if self.parent[place] >= 0:
                    families.setdefault(int(self.parent[place]), []).append(place)
            full = {p: c for p, c in families.items() if len(c) / self.children[p] > MERGED_FROM}
            if not full:
                break
            for parent, children in full.items():
                found[parent] = float(np.mean([found.pop(child) for child in children]))
        return np.array(sorted(found, key=lambda place: (-found[place], place)), np.int64)


def merging(
    collection: Collection, splitters: Sequence[Splitter], progress: Callable[[str, int, int], None] | None = None
) -> Merging:
    """Return the hierarchy of chunks of all documents, a splitter for each level, the largest chunks first."""
    parts: list[tuple[int, Numbers]] = []
    parents, leaves, base = [], [], 0
    for document, plain in enumerate(collection.plain):
        levels, above = hierarchy(plain.text, splitters)
        begins = np.cumsum([0, *map(len, levels)])
        spans = np.concatenate(levels)
        parts.append((document, spans))
        parents += [np.where(up < 0, -1, up + base + begins[max(n - 1, 0)]) for n, up in enumerate(above)]
        leaves.append(np.arange(len(spans)) >= begins[-2])
        base += len(spans)
        if progress:
            progress("cutting", document + 1, len(collection.plain))
    return Merging(collection.places(parts), np.concatenate(parents), np.concatenate(leaves))


@dataclass(frozen=True)
class Chunks:
    """The chunks of all documents, as columns.

    kind: names what is retrieved from, the same for equal pieces. are_nested: pieces lie in one another, so what
    overlaps a better one is left out. tree: the levels above, for auto-merging.
    """

    name: str
    kind: str
    units: Pieces
    are_nested: bool = False
    tree: Merging | None = None


CHUNKERS: Mapping[str, str] = {
    "documents": "whole documents",
    "paragraphs": f"elements named {', '.join(PARAGRAPHS)}; paragraphs:p,li names others",
    "elements": "every element that is not inline, without those that overlap a better one",
    "langchain": f"LangChain's RecursiveCharacterTextSplitter: langchain:SIZE or :SIZE,OVERLAP, characters ({SIZE})",
    "llamaindex": f"LlamaIndex's SentenceSplitter: llamaindex:SIZE or :SIZE,OVERLAP, tokens ({SIZE})",
    TREE: "the levels of LlamaIndex's HierarchicalNodeParser, tokens; the lowest is retrieved "
    f"({','.join(map(str, TREE_SIZES))})",
    "MODULE:FUNCTION": "your own function, from a text to one pair (start, end) per chunk",
}


def check_chunker(chunker: ChunkerInput) -> None:
    """Raise unless documents can be cut in a way, as `cut` does where it needs no document to say so."""
    if not isinstance(chunker, str):
        arguments.callback("chunker", chunker)
        return
    name, _, parameters = chunker.partition(":")
    if name in ELEMENTS:
        _check_parameters(chunker)
    elif name in SPLITTERS:
        SPLITTERS[name](*_size_and_overlap(chunker, parameters))
    elif name == TREE:
        _tree_splitters(_tree_sizes(chunker, parameters))
    else:
        _named_function(chunker)


def cut(collection: Collection, chunker: ChunkerInput, progress: Progress | None = None) -> Chunks:
    """Return the chunks of all documents that contain a word.

    Args:
        chunker: a name of CHUNKERS, with its parameters after a colon; a function; or its place, `module:function`.

    Raises: ArgumentError for an unknown name, parameters that are not sizes, chunks outside their text, and where no
        chunk is left; MissingHostError for a splitter whose library is not installed.
    """
    chunks = _cut(collection, chunker, progress)
    if not len(chunks.units):
        n_documents = counted(len(collection.ids), "document")
        raise ArgumentError(f"chunker {chunks.name}: returned no chunk that contains a word, in {n_documents}.")
    return chunks


def _cut(collection: Collection, chunker: ChunkerInput, progress: Progress | None) -> Chunks:
    if not isinstance(chunker, str):
        return _by_function(collection, arguments.callback("chunker", chunker), _name(chunker), progress)
    name, _, parameters = chunker.partition(":")
    if name in ELEMENTS:
        return elements(collection, chunker)
    if name in SPLITTERS:
        size, overlap = _size_and_overlap(chunker, parameters)
        units = collection.spans(_split(collection, SPLITTERS[name](size, overlap), progress))
        return Chunks(chunker, f"{name}-{size}-{overlap}", units)
    if name == TREE:
        sizes = _tree_sizes(chunker, parameters)
        tree = merging(collection, _tree_splitters(sizes), progress)
        return Chunks(chunker, f"{name}-{'-'.join(map(str, sizes))}", tree.leaf_units, tree=tree)
    return _by_function(collection, _named_function(chunker), chunker, progress)


def elements(collection: Collection, chunker: str) -> Chunks:
    """Return whole documents, all elements, or elements by name; raises ArgumentError where there are none."""
    _check_parameters(chunker)
    name, _, parameters = chunker.partition(":")
    if name == "documents":
        return Chunks(chunker, "articles", collection.articles)
    if name == "elements":
        return Chunks(chunker, "elements", collection.elements, are_nested=True)
    tags = parameters.split(",") if parameters else PARAGRAPHS
    units = collection.named(tags)
    if not len(units):
        raise ArgumentError(f"no element is named {', '.join(tags)}: name the paragraphs, such as paragraphs:p,li.")
    return Chunks(chunker, f"paragraphs-{'-'.join(tags)}", units)


def _check_parameters(chunker: str) -> None:
    """Raise ArgumentError for parameters of elements that have none."""
    name, colon, _ = chunker.partition(":")
    if colon and name != "paragraphs":
        raise ArgumentError(f"chunker {shown(chunker)}: {name} has no parameters.")


def _named_function(chunker: str) -> ChunkFunction:
    """Return the function at a place `module:function`; raises ArgumentError for any other name."""
    if not chunker.partition(":")[2]:
        raise ArgumentError(f"chunker {shown(chunker)}: expected one of {', '.join(CHUNKERS)}.")
    return imported_function(chunker, "chunker")


def _by_function(collection: Collection, function: ChunkFunction, name: str, progress: Progress | None) -> Chunks:
    def split(text: str) -> Numbers:
        return _checked(called(function, f"chunker {name}", text), text, name)

    units = collection.spans(_split(collection, split, progress))
    return Chunks(name, f"{name}-{id(function)}", units)


def _split(collection: Collection, splitter: Splitter, progress: Progress | None) -> list[tuple[int, Numbers]]:
    found = []
    for document, plain in enumerate(collection.plain):
        found.append((document, splitter(plain.text)))
        if progress:
            progress("cutting", document + 1, len(collection.plain))
    return found


def _checked(spans: object, text: str, name: str) -> Numbers:
    """Return the spans that a function returned as an array; raises ArgumentError unless they are places of a text."""
    expected = f"chunker {name}: expected pairs (start, end) with 0 <= start < end <= {len(text)}, the text's length"
    try:
        found = np.array(list(spans), dtype=np.float64)  # type: ignore[call-overload]
        found = found.reshape(-1, 2) if not found.size else found
    except (TypeError, ValueError):
        raise ArgumentError(f"{expected}, got {shown(spans)}.") from None
    is_whole = found.ndim == 2 and found.shape[1] == 2 and bool((np.abs(found) <= MOST_CHARACTERS).all())
    if not is_whole or (found != np.floor(found)).any():
        raise ArgumentError(f"{expected}, got {shown(spans)}.")
    whole: Numbers = found.astype(np.int64)
    wrong = (whole[:, 0] < 0) | (whole[:, 0] >= whole[:, 1]) | (whole[:, 1] > len(text))
    if wrong.any():
        raise ArgumentError(f"{expected}, got {tuple(whole[wrong][0].tolist())}.")
    return whole


def _size_and_overlap(chunker: str, parameters: str) -> tuple[int, int]:
    sizes = _sizes(chunker, parameters, lowest=0) or (SIZE,)
    size, overlap = sizes if len(sizes) == 2 else (sizes[0], 0)
    if len(sizes) > 2 or size < 1 or overlap >= size:
        raise ArgumentError(f"chunker {shown(chunker)}: expected SIZE or SIZE,OVERLAP, the overlap smaller.")
    return size, overlap


def _tree_sizes(chunker: str, parameters: str) -> tuple[int, ...]:
    return _sizes(chunker, parameters) or TREE_SIZES


def _tree_splitters(sizes: Iterable[int]) -> list[Splitter]:
    return [llamaindex_splitter(size) for size in sizes]


def _sizes(chunker: str, parameters: str, *, lowest: int = 1) -> tuple[int, ...]:
    try:
        sizes = tuple(int(each) for each in parameters.split(",")) if parameters else ()
    except ValueError:
        sizes = (lowest - 1,)
    if any(size < lowest for size in sizes):
        raise ArgumentError(f"chunker {shown(chunker)}: expected sizes after the colon, such as 512.")
    return sizes


def _name(function: object) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
