"""Numbers that do not fit together, as only a forged index has them, are errors, never a crash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.index.elements.element_table import TableMask
from engine.kernels.table import has_kernels, native

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


ONE, NONE, BYTES, WIDE = np.ones(1), np.empty(0), np.ones(4, np.uint8), np.ones(1, np.uint32)
COUNTS = np.ones(1, np.uint16)
PAIRS = ints(0), ints(0), ints(1)
SMALL = np.array([0, 1], np.uint8)
NARROW = np.zeros(2, np.int32)
KINDS = np.full(0x110000, 2, np.uint8)  # all are letters
EMPTY = b"", ints(), ints(), np.zeros(1, np.int32), 1
MASK = TableMask()
IMAGE = np.zeros(256 * 256, np.uint8)
ALL = [("text", [2], (False, False))]
REFUSED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "a pair of no term": ("block_scores", (ints(1), ints(0), ints(1), ONE, ONE, ONE, None, 1.0, 1.0, 1.0)),
    "a pair of a negative unit": ("block_scores", (ints(0), ints(-1), ints(1), ONE, ONE, ONE, None, 1.0, 1.0, 1.0)),
    "pairs of different lengths": ("block_scores", (ints(0), ints(), ints(1), ONE, ONE, ONE, None, 1.0, 1.0, 1.0)),
    "no group at all": ("block_scores", (*PAIRS, ONE, NONE, NONE, None, 1.0, 1.0, 1.0)),
    "a unit in no group": ("block_scores", (*PAIRS, ONE, ONE, ONE, ints(1), 1.0, 1.0, 1.0)),
    "a scope beyond the elements": ("heading_scores", (ints(0), ints(0), ints(0), ints(0), ints(2), None, ONE, 1, 1)),
    "a heading that is not an element": (
        "heading_scores",
        (ints(0), ints(0), ints(1), ints(0), ints(1), None, ONE, 1, 1),
    ),
    "weights of other terms": ("heading_scores", (ints(0), ints(0), ints(0), ints(0), ints(1), None, ONE, 2, 1)),
    "a parent after its child": ("inherited", (ONE, ints(1), np.ones(1, "?"), 1.0)),
    "a neighbour that is none": ("best_neighbours", (ONE, ints(0), ints(1))),
    "intervals without ends": ("pairs_in", ([ints(0)], [ints(1)], ints(0), ints())),
    "leaves without frequencies": ("pairs_in", ([ints(0)], [ints()], ints(0), ints(1))),
    "intervals of different lengths": ("first_disjoint", (ints(0), ints(1), ints(), 1, 1, -1)),
    "intervals of no group": ("first_disjoint", (ints(0), ints(1), ints(3), 2, 1, -1)),
    "candidates of different lengths": ("best_apart", (ints(0), ints(1), ints(), ONE, 1)),
    "documents without borders": ("find_documents", ([ints(0)], [ints(0)], ints(0), True)),
    "leaves before the column": ("find_leaves", ([ints(0)], [ints(-1, 0)], COUNTS, 3, ints(0), ints(0))),
    "leaves of too many": ("find_leaves", ([ints(0)], [ints(1, 2**62)], COUNTS, 3, ints(0), ints(0))),
    "fewer bits than none of a frequency": ("find_leaves", ([ints(0)], [ints(0, 1)], COUNTS, -1, ints(0), ints(0))),
    "leaves beyond the column": ("find_leaves", ([ints(0)], [ints(0, 2)], COUNTS, 3, ints(0), ints(0))),
    "leaves of fewer documents": ("find_leaves", ([ints(0)], [ints(0, 1)], COUNTS, 3, ints(), ints(0))),
    "a document that is none": ("best_by_bm25", ([ints(1)], [ints(1)], ONE, ONE, ONE, ONE, None, None, 1.0, 1)),
    "a negative document": ("best_by_bm25", ([ints(-1)], [ints(1)], ONE, ONE, ONE, ONE, None, None, 1.0, 1)),
    "documents without frequencies": ("best_by_bm25", ([ints(0)], [ints()], ONE, ONE, ONE, ONE, None, None, 1.0, 1)),
    "weights of more terms": ("best_by_bm25", ([ints(0)], [ints(1)], np.ones(2), ONE, ONE, ONE, None, None, 1.0, 1)),
    "k1 of no term": ("best_by_bm25", ([ints(0)], [ints(1)], ONE, np.empty(0), ONE, ONE, None, None, 1.0, 1)),
    "b of more terms": ("best_by_bm25", ([ints(0)], [ints(1)], ONE, ONE, np.ones(2), ONE, None, None, 1.0, 1)),
    "an order of more documents": (
        "best_by_bm25",
        ([ints(0)], [ints(1)], ONE, ONE, ONE, ONE, ints(0, 1), None, 1.0, 1),
    ),
    "a mask of more documents": (
        "best_by_bm25",
        ([ints(0)], [ints(1)], ONE, ONE, ONE, ONE, None, np.ones(2, "?"), 1.0, 1),
    ),
    "postings without frequencies": ("count_elements", ([], MASK, [ints(1)], [ints()], ints(), ints())),
    "more terms than are counted": ("count_elements", ([], MASK, [ints()] * 2**16, [ints()] * 2**16, ints(), ints())),
    "leaves of more terms than frequencies": ("count_elements", ([], MASK, [ints(), ints()], [ints()], ints(), ints())),
    "a tag without its end": ("find_elements", (b"<a><b></b>",)),
    "an end without its tag": ("find_elements", (b"<a></a></b>",)),
    "a tag that is cut": ("find_elements", (b"<a></a",)),
    "a tag of nothing": ("find_elements", (b"<a></a><",)),
    "a tag in a tag": ("find_elements", (b"<a <b></a>",)),
    "tags beyond the markup": ("bordered_text", (b"<a/>", ints(0), ints(4), 1)),
    "tags that overlap": ("bordered_text", (b"<a/><b/>", ints(0, 3), ints(3, 7), 1)),
    "a tag of no name": ("sibling_ordinals", (ints(0), ints(-1), ints(1))),
    "an element of no depth": ("sibling_ordinals", (ints(0), ints(0), ints(0))),
    "a word in no leaf": ("invert_words", (np.zeros(1, np.int32), ints(0), ints(1), ints(0, 1), ints(0, 1), 1)),
    "a word of no term": ("invert_words", (np.ones(1, np.int32), ints(0), ints(0), ints(0, 1), ints(0, 1), 1)),
    "a term without a rank": ("invert_words", (np.zeros(1, np.int32), ints(-1), ints(0), ints(0, 1), ints(0, 1), 1)),
    "rows of no document": ("invert_words", (np.zeros(1, np.int32), ints(0), ints(0), ints(0, 1), ints(0, 0), 1)),
    "a place beyond the blocks": ("carries_up_to", (WIDE, np.zeros(2, np.int32), 3, ints(8))),
    "a place before the column": ("carries_up_to", (WIDE, np.zeros(2, np.int32), 3, ints(-1))),
    "blocks of more carries": ("carries_up_to", (WIDE, np.array([0, 2], np.int32), 3, ints(0))),
    "blocks of less than no carries": ("carries_up_to", (WIDE, np.array([-1, 0], np.int32), 3, ints(0))),
    "carries of more entries": ("ascending_ranks", (BYTES, np.full(1, 2**16, np.uint32), ints(256))),
    "no blocks": ("carries_up_to", (WIDE, np.zeros(0, np.int32), 3, ints())),
    "stretches beyond the index": (
        "stretch_scores",
        ([BYTES], ints(2), ints(3), ints(1), ONE, ONE, ONE, np.ones(2), ONE, 1, 4, 255),
    ),
    "stretches before the index": (
        "stretch_scores",
        ([BYTES], ints(-1), ints(3), ints(1), ONE, ONE, ONE, np.ones(2), ONE, 1, 4, 255),
    ),
    "a slice beyond the text": ("number_slices", (b"text", ints(2), ints(5), 1)),
    "a slice before the text": ("number_slices", (b"text", ints(-1), ints(1), 1)),
    "a slice that ends before it begins": ("number_slices", (b"text", ints(3), ints(2), 1)),
    "a known slice beyond its text": (
        "known_slices",
        (b"text", ints(0), ints(4), b"text", ints(0), ints(5), np.ones(2, np.int32), 1),
    ),
    "a slot of no known slice": (
        "known_slices",
        (b"text", ints(0), ints(4), b"text", ints(0), ints(4), np.full(2, 2, np.int32), 1),
    ),
    "a slot of a negative number": (
        "known_slices",
        (b"text", ints(0), ints(4), b"text", ints(0), ints(4), np.full(2, -1, np.int32), 1),
    ),
    "a sought slice beyond the text": (
        "known_slices",
        (b"text", ints(0), ints(5), b"", ints(), ints(), np.zeros(1, np.int32), 1),
    ),
    "no slots": ("known_slices", (b"text", ints(0), ints(4), b"", ints(), ints(), np.zeros(0, np.int32), 1)),
    "fewer slots than slices": ("slice_slots", (b"text", ints(0, 1), ints(1, 2), 2, 1)),
    "slots that are not a power of two": ("slice_slots", (b"text", ints(0), ints(1), 3, 1)),
    "a slice in slots beyond the text": ("slice_slots", (b"text", ints(0), ints(5), 4, 1)),
    "characters of blocks of nothing": ("block_characters", (b"text", 0)),
    "places in blocks of nothing": ("character_places", (b"text", ints(0, 4), 0, ints(0))),
    "places in other blocks": ("character_places", (b"text", ints(0, 4), 3, ints(0))),
    "a place of a character before a text": ("character_places", (b"text", ints(0, 4), 4, ints(-1))),
    "ancestors of a row beyond the elements": ("ancestors_or_self", (SMALL, ints(), ints(), ints(2))),
    "ancestors of a row before the elements": ("ancestors_or_self", (SMALL, ints(), ints(), ints(-1))),
    "ancestors of rows that descend": ("ancestors_or_self", (SMALL, ints(), ints(), ints(1, 0))),
    "a parent before all elements": ("ancestors_or_self", (SMALL + 2, ints(), ints(), ints(1))),
    "a parent at a large distance that is nowhere": ("ancestors_or_self", (SMALL + 254, ints(), ints(), ints(1))),
    "large distances of fewer places": ("ancestors_or_self", (SMALL, ints(1), ints(), ints(1))),
    "a parent at too large a distance": ("ancestors_or_self", (SMALL + 254, ints(1), ints(2), ints(1))),
    "a parent that was not found before": (
        "ancestors_or_self",
        (np.array([0, 0, 1, 3], "u1"), ints(), ints(), ints(2, 3)),
    ),
    "a part of no text": ("text_parts", ([], 4, ints(0), ints(0, 1))),
    "a part without an end": ("text_parts", ([(b"text", 0, 4, ints(0, 4))], 4, ints(0), ints(0))),
    "a part before its text": ("text_parts", ([(b"text", 0, 4, ints(0, 4))], 4, ints(0), ints(-1, 2))),
    "parts in blocks of nothing": ("text_parts", ([(b"text", 0, 4, ints(0, 4))], 0, ints(0), ints(0, 1))),
    "a part of a text beyond its bytes": ("text_parts", ([(b"text", 0, 5, ints(0, 4, 5))], 4, ints(0), ints(0, 1))),
    "a part of a text before its bytes": ("text_parts", ([(b"text", -1, 3, ints(0, 4))], 4, ints(0), ints(0, 1))),
    "a part of a text that ends too early": ("text_parts", ([(b"text", 3, 2, ints(0, 4))], 4, ints(0), ints(0, 1))),
    "a part of a text with other counts": ("text_parts", ([(b"text", 0, 4, ints(0, 3))], 3, ints(0), ints(0, 1))),
    "spans of a row in no block": ("spans_in_blocks", (ints(2), ints(0), [(NARROW, NARROW)])),
    "spans of a row before the blocks": ("spans_in_blocks", (ints(0), ints(1), [(NARROW, NARROW)])),
    "spans of a negative row": ("spans_in_blocks", (ints(-1), ints(0), [(NARROW, NARROW)])),
    "spans in blocks without ends": ("spans_in_blocks", (ints(0), ints(0), [(NARROW, NARROW[1:])])),
    "spans in fewer blocks": ("spans_in_blocks", (ints(0), ints(0, 2), [(NARROW, NARROW)])),
    "borders of texts without ends": ("inner_borders", (ints(0), ints(0), ints(), np.ones(0, "?"))),
    "borders of elements without ends": ("inner_borders", (ints(0, 9), ints(1), ints(1), np.ones(1, "?"))),
    "borders of more elements": ("inner_borders", (ints(0, 9), ints(2), ints(1, 2), np.ones(1, "?"))),
    "borders of fewer elements": ("inner_borders", (ints(0, 9), ints(0), ints(1, 2), np.ones(1, "?"))),
    "borders of less than no elements": ("inner_borders", (ints(0, 9, 0, 9), ints(-1, 2), ints(1, 2), np.ones(1, "?"))),
    "kinds of fewer characters": ("query_words", (ALL, KINDS[1:].copy(), *EMPTY, ints(), ints(), np.ones(1, "?"))),
    "wanted words without values": ("query_words", (ALL, KINDS, *EMPTY, ints(0), ints(), np.ones(1, "?"))),
    "a table of other words": (
        "query_words",
        (ALL, KINDS, b"te", ints(0), ints(3), np.ones(2, np.int32), 1, ints(), ints(), np.ones(1, "?")),
    ),
    "a border before a text": ("query_words", ([("text", [-1])], KINDS, *EMPTY, ints(), ints(), np.ones(1, "?"))),
    "borders that descend": ("query_words", ([("text", [2, 1])], KINDS, *EMPTY, ints(), ints(), np.ones(1, "?"))),
    "pixels of two channels": ("pixel_colours", (BYTES,)),
    "an image of other sides": ("texture_energies", (BYTES, np.zeros(4))),
    "no filter": ("texture_energies", (IMAGE, NONE)),
    "filters that differ in length": ("texture_energies", (IMAGE, np.zeros(5))),
    "filters wider than is kept": ("texture_energies", (IMAGE, np.zeros(4 * 34))),
    "sums that are not exact": ("texture_energies", (IMAGE, np.array([65535.0, 200, 0, 0, 0, 0, 0, 0]))),
    "a coefficient that is not whole": ("texture_energies", (IMAGE, np.array([0.5, 0, 0, 0]))),
    "a coefficient that is no number": ("texture_energies", (IMAGE, np.array([np.nan, 0, 0, 0]))),
    "a sine with a middle": ("texture_energies", (IMAGE, np.array([0.0, 0, 0, 1]))),
    "ranges without ends": ("count_runs", (b"text", b"Aa", b"Z")),
    "more ranges than are kept": ("count_runs", (b"text", b"0Aa~", b"9Zz~")),
    "a range beyond ASCII": ("count_runs", (b"text", b"a", b"\x80")),
    "a range that ends before it begins": ("count_runs", (b"text", b"z", b"a")),
    "slices without ends": ("number_slices", (b"text", ints(0), ints(), 1)),
    "weights of fewer documents": (
        "stretch_scores",
        ([BYTES], ints(0), ints(3), ints(1), NONE, ONE, ONE, np.ones(2), ONE, 1, 4, 255),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    name, arguments = REFUSED[what]
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own message
        getattr(native, name)(*arguments)


def test_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="rows has values of type d"):
        native.pairs_in([ints(0)], [ints(1)], np.ones(1), ints(1))


def table(parents: list[int], ends: list[int], /, **changed: Any) -> list[tuple[Any, ...]]:
    """Return the element table of one segment, given the parent of each element and one past its last row."""
    rows, none = np.arange(len(parents)), np.empty(0, np.uint32)
    columns = {
        "tag_numbers": ints(0),
        "tags": np.zeros(len(rows), np.uint8),
        "kinds": np.zeros(len(rows), np.uint8),
        "parents": (rows - parents).astype(np.uint8),
        "extents": (np.array(ends) - rows).astype(np.uint8),
        "words": np.zeros(len(rows), np.uint8),
        **changed,
    }
    plain = [columns.pop(name) for name in ("tag_numbers", "tags", "kinds")]
    return [(0, *plain, *(part for column in columns.values() for part in (column, none, none)))]


def test_documents_that_overlap_are_refused() -> None:
    given = table([0, 1, 1, 1], [4, 4, 3, 4]), MASK

    assert native.count_elements(*given, [ints(0)], [ints(1)], ints(0), ints(4)) is not None
    with pytest.raises(ValueError, match="documents overlap"):
        native.count_elements(*given, [ints(3)], [ints(1)], ints(0, 1), ints(4, 4))


PLAIN = [0, 0, 1], [3, 3, 3]
BYTES_OF_3 = {"parents": [0, 1, 255], "extents": [3, 2, 0], "words": [9, 9, 255], "tags": [0, 0, 1]}
FORGED = [(([0, 0, 1], [3, 3, 3]), {name: np.array(values, np.uint8)}) for name, values in BYTES_OF_3.items()]
FORGED += [
    (([0, 1, 1], [3, 3, 3]), {}),  # a root that is not a document
    (([0, 0, -7], [3, 3, 3]), {}),  # a parent before all
    (([0, 0, 1], [3, 3, 9]), {}),  # a subtree that ends behind all
]


@pytest.mark.parametrize(("given", "changed"), FORGED)
def test_a_forged_table_is_refused(given: Any, changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\.npy"):
        native.find_context(table(*given, **changed), MASK, ints(1, 2), ints(), ints(0))


@pytest.mark.parametrize(
    ("chosen", "roots", "message"),
    [
        ([2, 1], [0], "ascending"),
        ([999], [0], "in no segment"),
        ([-1], [0], "in no segment"),
        ([2], [], r"first_row\.npy"),
    ],
)
def test_rows_that_are_not_in_the_table_are_refused(chosen: list[int], roots: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native.find_context(table(*PLAIN), MASK, ints(*chosen), ints(), ints(*roots))


def test_segments_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="segments overlap"):
        native.find_context(table(*PLAIN) * 2, MASK, ints(2), ints(), ints(0))


def test_columns_of_different_lengths_are_refused() -> None:
    for name in BYTES_OF_3:
        given = table(*PLAIN, **{name: np.zeros(2, np.uint8)})
        with pytest.raises(ValueError, match="different lengths"):
            native.find_context(given, MASK, ints(2), ints(), ints(0))
