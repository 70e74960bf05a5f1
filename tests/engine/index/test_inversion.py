"""Parts, however cut and merged, hold what one word at a time into dictionaries gives."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import Analyser
from engine.collection.document import flatten
from engine.collection.profile import Profile
from engine.collection.reader import read_markup
from engine.index import merging
from engine.index.filtering import without
from engine.index.inversion import DocumentFacts, _sort, document_weights, invert
from engine.index.part import Part
from engine.index.segment import Segment, write_segment
from engine.index.worker import digest_of
from tests.reference.flat_columns import Border
from tests.reference.inverted_index import contents, contents_of_part, weight
from tests.reference.random_xml import analysers, documents, profiles

Batch = Sequence[tuple[str, bytes]]


@pytest.fixture(scope="module", autouse=True)
def _nothing_need_last() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def made_part(batch: Batch, profile: Profile, analyser: Analyser, source: str = "made") -> Part:
    """Return the part of documents (id, bytes)."""
    markups = [read_markup(raw, document).text for document, raw in batch]
    facts = [DocumentFacts(document, digest_of(raw), len(raw), 0, 0) for document, raw in batch]
    flat = flatten(markups, [profile], [0] * len(batch), analyser)
    return invert(flat, facts, [source], [profile.name])


def cut(batch: Batch, borders: Sequence[int]) -> list[Batch]:
    """Return the batch in pieces, none of them empty."""
    places = sorted({0, *(border for border in borders if 0 < border < len(batch)), len(batch)})
    return [batch[a:b] for a, b in pairwise(places)]


def named(raws: Sequence[bytes]) -> list[tuple[str, bytes]]:
    return [(f"d{number:02}é", raw) for number, raw in enumerate(raws)]


def written(parts: Sequence[Part], folder: str) -> Part:
    """Return the part that a segment merged from the parts gives back."""
    return Segment(Path(folder) / (made := write_segment(parts, Path(folder)))[0], made[1]).part()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(documents(), min_size=1, max_size=5).map(named),
    st.lists(st.integers(1, 4), max_size=3),
    st.sampled_from([1, 5, merging.SLICE]),
    profiles(),
    analysers(),
)
def test_any_partition_into_batches_holds_what_the_reference_holds(
    batch: Batch, borders: Sequence[int], slice_size: int, profile: Profile, analyser: Analyser
) -> None:
    expected = contents(batch, profile, analyser)
    parts = [made_part(piece, profile, analyser) for piece in cut(batch, borders)]
    before = merging.SLICE
    merging.SLICE = slice_size
    try:
        with tempfile.TemporaryDirectory() as folder:
            assert contents_of_part(written(parts, folder)) == expected
    finally:
        merging.SLICE = before


@settings(max_examples=60, deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3).map(named), profiles(), analysers())
def test_a_part_survives_the_disk(batch: Batch, profile: Profile, analyser: Analyser) -> None:
    part = made_part(batch, profile, analyser)
    with tempfile.TemporaryDirectory() as folder:
        part.save(Path(folder) / "part")
        assert contents_of_part(Part.load(Path(folder) / "part")) == contents_of_part(part)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(documents(), st.booleans()), min_size=2, max_size=5),
    st.lists(st.integers(1, 4), max_size=2),
    profiles(),
    analysers(),
)
def test_deleted_documents_leave_nothing_behind(
    drawn: Sequence[tuple[bytes, bool]], borders: Sequence[int], profile: Profile, analyser: Analyser
) -> None:
    batch = named([raw for raw, _ in drawn])
    stays = [kept for _, kept in drawn]
    left = [document for document, kept in zip(batch, stays, strict=True) if kept]
    parts = []
    for piece in cut(batch, borders):
        gone = [number for number, document in enumerate(piece) if document not in left]
        parts.append(without(made_part(piece, profile, analyser), np.array(gone, np.int64)))

    for part in parts:
        assert contents_of_part(part) == contents([pair for pair in left if pair[0] in part.ids], profile, analyser)
    parts = [part for part in parts if part.ids]
    if parts:
        with tempfile.TemporaryDirectory() as folder:
            expected = contents(left, profile, analyser)
            assert contents_of_part(written(parts, folder)) == expected


def test_facts_of_documents_keep_to_their_documents_through_merging() -> None:
    profile, analyser = Profile("none"), Analyser()
    first = made_part([("a", b"<a>x</a>"), ("b", b"<b>yy</b>")], profile, analyser, source="/one")
    second = made_part([("c", b"<c/>")], Profile("jats"), analyser, source="/two")
    with tempfile.TemporaryDirectory() as folder:
        part = written([first, second], folder)

    assert [part.sources[number] for number in part.columns["source"]] == ["/one", "/one", "/two"]
    assert [part.profiles[number] for number in part.columns["profile"]] == ["none", "none", "jats"]
    assert part.columns["size_bytes"].tolist() == [8, 9, 4]
    assert [row.tobytes() for row in part.columns["digest"]] == [
        digest_of(raw) for raw in (b"<a>x</a>", b"<b>yy</b>", b"<c/>")
    ]


def test_numbers_grow_past_every_width_from_one_part_to_the_next() -> None:
    many_tags = "".join(f"<t{number}/>" for number in range(300))
    big = f"<a>{'<b/>' * 70_000}<c>{'sea ' * 70_000}</c>{many_tags}</a>".encode()
    parts = [
        made_part([pair], Profile("none"), Analyser()) for pair in (("0", b"<b>sea</b>"), ("1", big), ("2", b"<c/>"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        part = written(parts, folder)

    assert part.first_row.tolist() == [0, 1, 70_303, 70_304]
    assert part.columns["ordinal"][[70_001, 70_002, 70_302]].tolist() == [70_000, 1, 1]
    assert [part.tags[part.columns["tag"][row]] for row in (0, 1, 70_001, 70_302, 70_303)] == [
        "b",
        "a",
        "b",
        "t299",
        "c",
    ]
    assert part.columns["parent"][[70_302, 70_303]].tolist() == [70_301, 0]
    assert part.columns["extent"].tolist()[:3] == [1, 70_302, 1]
    assert part.columns["tf"].tolist() == part.columns["leaf_tf"].tolist() == [1, 70_000]
    assert part.columns["leaf"].tolist() == [0, 70_001]
    assert part.columns["position"].tolist() == [0, *range(70_000)]


@given(
    st.integers(1, 4).flatmap(
        lambda n_columns: st.lists(st.tuples(*[st.integers(0, 2**40) | st.integers(0, 3)] * n_columns), max_size=20)
    )
)
def test_columns_are_sorted_together_whether_they_fit_into_one_key_or_not(rows: list[tuple[int, ...]]) -> None:
    columns = np.array(rows, np.int64).reshape(len(rows), -1).T if rows else np.empty((2, 0), np.int64)

    assert list(zip(*(column.tolist() for column in _sort(*columns)), strict=True)) == sorted(rows)


@given(st.lists(st.lists(st.integers(1, 300), max_size=20), min_size=1, max_size=4))
def test_weights_are_exact_whatever_the_order_of_the_terms(frequencies: list[list[int]]) -> None:
    document = np.repeat(np.arange(len(frequencies)), list(map(len, frequencies)))
    tf = np.array([frequency for each in frequencies for frequency in each], np.int64)
    order = np.argsort(tf, kind="stable")

    weights = document_weights(document, tf, len(frequencies))

    assert weights.tolist() == document_weights(document[order], tf[order], len(frequencies)).tolist()
    assert weights.tolist() == [weight(each) for each in frequencies]


def test_words_are_numbered_leaf_by_leaf_and_text_nodes_told_apart() -> None:
    # numbers: 0 sea 1 tide | 2 sea 3 tide (p before its child) | 4 x | 5 sea 6 tide
    batch = [("a", b"<a><p>sea <!-- -->tide</p><p>sea <b>x</b> tide</p><p>sea<b/><b/>tide</p></a>")]
    part = made_part(batch, Profile("none"), Analyser())
    found = contents_of_part(part)

    assert found.postings["sea"] == {"a": {1: [0], 2: [0], 4: [0]}}
    assert found.postings["tide"] == {"a": {1: [1], 2: [1], 4: [1]}}
    assert part.columns["word"].tolist() == [0, 0, 2, 4, 5, 7, 7, 7]
    assert part.columns["text_node"].tolist() == [3, 6]
    # text: "sea tidesea x tideseatide"
    assert found.documents["a"].borders == [Border(3, True, 14, 11), Border(6, True, 21, 21)]


def test_stop_words_hold_their_place() -> None:
    batch = [("a", b"<a>state of the art</a>")]
    found = contents_of_part(made_part(batch, Profile("none"), Analyser(stop_words=frozenset({"of", "the"})))).postings

    assert found == {"state": {"a": {0: [0]}}, "art": {"a": {0: [3]}}}


def test_documents_without_a_word() -> None:
    batch = [("a", b"<a/>"), ("b", b"<b> \n. </b>")]
    part = made_part(batch, Profile("none"), Analyser())

    with tempfile.TemporaryDirectory() as folder:
        found = contents_of_part(written([part], folder))

    assert found.postings == {}
    assert [document.text for document in found.documents.values()] == ["", " \n. "]
    assert [document.weight for document in found.documents.values()] == [0.0, 0.0]
