"""Kernels in C: arrays in, bytes of values out; numbers that do not fit together are a ValueError.

The files of C say what each computes, and which function of Python is its reference. Results, column after column:

set_limits      None: kernels of this thread take so many bytes, -1 for any number, until a time of the monotonic clock,
                0.0 for any; else `raises` is called with "memory" or "time"
find_context    int64 rows, ends, words, tags, depths, documents, parents; bytes is_root, heading_levels,
                is_mostly_titles; int64 neighbours: left, right; int64 titles: heading, first, end
pairs_in        int64 terms, units, frequencies; None for intervals that are not nested or disjoint
block_scores    float64 sums of the terms' parts; float64 shares of the query, int64 which of them each unit has
heading_scores  float64 weights
inherited       float64 totals of the parents
best_neighbours float64 scores of neighbours; int64 places of these, -1 without one
count_elements  what find_context returns; int64 terms, units, frequencies, unit by unit
best_by_bm25    int64 documents; float64 scores; the highest score
find_leaves     int64 rows, frequencies; int64 ends of the terms; int64 places of those that are too large, in the
                result, in the column; int64 leaves of each term in each document
find_documents  int64 values, with borders also differences to the next ones; each of shape (n_terms, n_documents)
stretch_scores  float64 scores that can be the highest of a document, shares of the query; int64 the first one of each
                document
best_apart      int64 places
first_disjoint  int64 places
number_slices   int64 number of each slice; int64 an example of each number
find_elements   int64 of each tag: opens, closes, elements; of each element: starts, ends, end of its name, end of its
                subtree, parent, depth
bordered_text   uint8 text; int64 borders
sibling_ordinals  int64 ordinals; None where a table of depths and tags would be too large
invert_words    int64 columns of `Postings` (engine/indexing/workers/inversion.py), one after the other
carries_up_to   int64 counts
ascending_ranks  int64 ranks
ranks_of        int64 ranks, as of np.searchsorted
slice_slots     int32 slots of a hash table: number of a slice plus 1, 0 if empty
known_slices    int64 number of each slice among known ones, -1 for an unknown one
block_characters  int64 number of characters before each block of bytes, then in all
character_places  int64 byte at which each character begins, the end of the text after its last one
text_parts      the parts of texts, each given as bytes, start and end in them, and characters of blocks
ancestors_or_self  int64 rows, places of their parents
spans_in_blocks  int64 start and end of each element
inner_borders   of each text the places at which elements in it end words
query_words     int64 words of the query, each its text, start, end and value; int64 unknown ones, without values;
                None where a text has characters of other kinds
count_runs      the number of runs, -1 if not all bytes are ASCII
pixel_colours   uint8 colours
texture_energies  int64 energies of each filter in each block
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from numpy.typing import NDArray

_Array = NDArray[Any]
_Bytes = bytes | bytearray
_Table = tuple[int | _Array, ...]  # of a segment, as `Elements.table` returns it
_Mask = tuple[float, float, bool, bool]  # a `TableMask`
_Context = tuple[tuple[_Bytes, ...], ...]  # numbers, masks, neighbours and titles

VERSION: int

def set_limits(bytes: int, deadline: float, raises: Callable[[str], NoReturn], /) -> None: ...
def find_context(segments: list[_Table], mask: _Mask, rows: _Array, inline: _Array, roots: _Array, /) -> _Context: ...
def pairs_in(leaves: list[_Array], tf: list[_Array], rows: _Array, ends: _Array, /) -> _Bytes | None: ...
def block_scores(
    term: _Array,
    unit: _Array,
    tf: _Array,
    words: _Array,
    of_terms: _Array,
    of_query: _Array,
    group: _Array | None,
    k1: float,
    b: float,
    block: float,
    /,
) -> tuple[_Bytes, _Bytes, _Bytes]: ...
def heading_scores(
    term: _Array,
    unit: _Array,
    headings: _Array,
    first: _Array,
    end: _Array,
    group: _Array | None,
    of_terms: _Array,
    n_groups: int,
    n: int,
    /,
) -> _Bytes: ...
def inherited(scores: _Array, parents: _Array, is_root: _Array, weight: float, /) -> _Bytes: ...
def best_neighbours(scores: _Array, left: _Array, right: _Array, /) -> tuple[_Bytes, _Bytes]: ...
def count_elements(
    segments: list[_Table], mask: _Mask, leaves: list[_Array], tf: list[_Array], roots: _Array, ends: _Array, /
) -> tuple[_Context, tuple[_Bytes, _Bytes, _Bytes]]: ...
def best_by_bm25(
    documents: list[_Array],
    tf: list[_Array],
    weights: _Array,
    k1: _Array,
    b: _Array,
    lengths: _Array,
    order: _Array | None,
    kept: _Array | None,
    mean_length: float,
    n_best: int,
    /,
) -> tuple[_Bytes, _Bytes, float]: ...
def find_leaves(
    keys: list[_Array], borders: list[_Array], packed: _Array, bits: int, first_rows: _Array, documents: _Array, /
) -> tuple[_Bytes, _Bytes, _Bytes, _Bytes]: ...
def find_documents(keys: list[_Array], values: list[_Array], documents: _Array, has_borders: bool, /) -> _Bytes: ...
def stretch_scores(
    counts: list[_Array],
    begins: _Array,
    n: _Array,
    n_leaves: _Array,
    of_terms: _Array,
    weights: _Array,
    of_query: _Array,
    of_frequencies: _Array,
    of_units: _Array,
    n_lengths: int,
    joined: int,
    highest: int,
    /,
) -> tuple[_Bytes, _Bytes]: ...
def number_slices(encoded: _Bytes | _Array, begins: _Array, stops: _Array, seed: int, /) -> tuple[_Bytes, _Bytes]: ...
def find_elements(markup: bytes, /) -> tuple[_Bytes, ...]: ...
def bordered_text(markup: bytes, opens: _Array, closes: _Array, border: int, /) -> tuple[_Bytes, _Bytes]: ...
def sibling_ordinals(parents: _Array, tags: _Array, depths: _Array, /) -> _Bytes | None: ...
def invert_words(
    terms: _Array, rank: _Array, leaves: _Array, first_words: _Array, first_rows: _Array, n_terms: int, /
) -> tuple[_Bytes, ...]: ...
def carries_up_to(carries: _Array, before: _Array, bits: int, places: _Array, /) -> _Bytes: ...
def ascending_ranks(low: _Array, carries: _Array, numbers: _Array, /) -> _Bytes: ...
def ranks_of(ascending: _Array, values: _Array, /) -> _Bytes: ...
def best_apart(begins: _Array, ends: _Array, articles: _Array, scores: _Array, n_first: int, /) -> _Bytes: ...
def first_disjoint(
    begins: _Array, ends: _Array, groups: _Array, n_groups: int, n_wanted: int, most: int, /
) -> _Bytes: ...
def slice_slots(encoded: _Bytes | _Array, begins: _Array, stops: _Array, n_slots: int, seed: int, /) -> _Bytes: ...
def known_slices(
    encoded: _Bytes | _Array,
    begins: _Array,
    stops: _Array,
    known: _Bytes | _Array,
    known_begins: _Array,
    known_stops: _Array,
    slots: _Array,
    seed: int,
    /,
) -> _Bytes: ...
def block_characters(encoded: _Bytes | _Array, block: int, /) -> _Bytes: ...
def character_places(encoded: _Bytes | _Array, counts: _Array, block: int, characters: _Array, /) -> _Bytes: ...
def text_parts(
    texts: list[tuple[bytes, int, int, _Array]], block: int, of_part: _Array, spans: _Array, /
) -> list[str]: ...
def ancestors_or_self(
    distances: _Array, large_places: _Array, large_distances: _Array, rows: _Array, /
) -> tuple[_Bytes, _Bytes]: ...
def spans_in_blocks(rows: _Array, first_rows: _Array, blocks: list[tuple[_Array, _Array]], /) -> _Bytes: ...
def inner_borders(texts: _Array, numbers: _Array, elements: _Array, end_words: _Array, /) -> list[list[int]]: ...
def query_words(
    texts: Sequence[tuple[Any, ...]],
    kinds: _Array,
    known: _Bytes | _Array,
    known_begins: _Array,
    known_stops: _Array,
    slots: _Array,
    seed: int,
    wanted: _Array,
    values: _Array,
    was_seen: _Array,
    /,
) -> tuple[_Bytes, _Bytes] | None: ...
def count_runs(encoded: _Bytes | _Array, first: _Bytes, last: _Bytes, /) -> int: ...
def pixel_colours(pixels: _Array, /) -> _Bytes: ...
def texture_energies(values: _Array, filters: _Array, /) -> _Bytes: ...
