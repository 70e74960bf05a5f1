"""Ways to cut documents, by name: whole documents, elements, splitters of libraries, a user's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Numbers
from engine.errors import ArgumentError
from engine.imported_function import called, imported_function
from engine.progress import Progress
from engine.wording import counted, shown
from foxir import arguments
from foxir.chunks.auto_merging import Merging, merging
from foxir.chunks.collection import Collection, Pieces
from foxir.chunks.splitters import Splitter, langchain_splitter, llamaindex_splitter

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
    """Return whole documents, all elements, or those of some names; raises ArgumentError where there are none."""
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
