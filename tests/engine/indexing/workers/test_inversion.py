"""Parts, partitioned and merged in any way, equal a reference that counts word by word."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.markup.flat_documents import flatten
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import profile_names
from engine.collection.sources.concatenated import content_digest
from engine.collection.xml_reader import read_markup
from engine.columns import folder_writer, sliced
from engine.index.segment import Segment
from engine.indexing import deletion, part_merging
from engine.indexing.commit import segment_part
from engine.indexing.deletion import remove_documents
from engine.indexing.index_part import IndexPart
from engine.indexing.segment_writer import write_segment
from engine.indexing.workers.inversion import DocumentFacts, document_weights, invert
from engine.system.held_folder import HeldFolder
from engine.text.analyser import Analyser
from tests.reference.flat_columns import Border
from tests.reference.inverted_index import contents, contents_of_part, weight
from tests.reference.random_xml import analysers, documents, profiles
from tests.trust.soak import effort

pytestmark = pytest.mark.usefixtures("unsynced")
Batch = Sequence[tuple[str, bytes]]


def made_part(batch: Batch, profile: Profile, analyser: Analyser, source: str = "made") -> IndexPart:
    """Return the part of documents (id, bytes)."""
    markups = [read_markup(raw, document).text for document, raw in batch]
    facts = [DocumentFacts(document, content_digest(raw), len(raw), 0, 0) for document, raw in batch]
    flat = flatten(markups, [profile], [0] * len(batch), analyser)
    return invert(flat, facts, [source], [profile.name])


def cut(batch: Batch, borders: Sequence[int]) -> list[Batch]:
    """Return the batch in pieces, none of them empty."""
    places = sorted({0, *(border for border in borders if 0 < border < len(batch)), len(batch)})
    return [batch[a:b] for a, b in pairwise(places)]


def named(raws: Sequence[bytes]) -> list[tuple[str, bytes]]:
    return [(f"d{number:02}é", raw) for number, raw in enumerate(raws)]


def spilled_part(part: IndexPart, folder: Path) -> IndexPart:
    part.save(folder)
    return IndexPart.load(folder)


@contextmanager
def merging_in_pieces_of(size: int) -> Iterator[None]:
    """Merge in pieces of at most so many entries, which is what memory depends on."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in (
            (part_merging, ("SLICE", "LEAST_SLICE")),
            (folder_writer, ("MOST_KEPT", "STRINGS", "STRING_BYTES")),
            (sliced, ("PIECE", "PIECE_BYTES", "MOST_TERMS", "LEAST_TERMS")),
            (deletion, ("POSTINGS", "OCCURRENCES")),
        ):
            for name in names:
                patch.setattr(module, name, size)
        yield


def written(parts: Sequence[IndexPart], folder: str) -> IndexPart:
    """Return the part that a segment merged from the parts gives back."""
    own = {name for part in parts for name in part.profiles} - {*profile_names()}
    with HeldFolder(Path(folder)) as segments:
        name, digest = write_segment(parts, segments, Profile(own.pop() if own else "none"))
    part = segment_part(Segment.open(Path(folder) / name, digest))
    return replace(part, columns={name: np.asarray(column) for name, column in part.columns.items()})


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(
    st.lists(documents(), min_size=1, max_size=5).map(named),
    st.lists(st.integers(1, 4), max_size=3),
    st.sampled_from([1, 5, 1_000_000]),
    st.booleans(),
    profiles(),
    analysers(),
)
def test_any_partition_into_batches_equals_the_reference(
    batch: Batch, borders: Sequence[int], piece_size: int, is_spilled: bool, profile: Profile, analyser: Analyser
) -> None:
    expected = contents(batch, profile, analyser)
    parts = [made_part(piece, profile, analyser) for piece in cut(batch, borders)]
    with tempfile.TemporaryDirectory() as folder, merging_in_pieces_of(piece_size):
        if is_spilled:
            parts = [spilled_part(part, Path(folder) / f"part-{number}") for number, part in enumerate(parts)]
        assert contents_of_part(written(parts, folder)) == expected


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3).map(named), profiles(), analysers())
def test_a_part_round_trips_through_the_disk(batch: Batch, profile: Profile, analyser: Analyser) -> None:
    part = made_part(batch, profile, analyser)
    with tempfile.TemporaryDirectory() as folder:
        part.save(Path(folder) / "part")
        assert contents_of_part(IndexPart.load(Path(folder) / "part")) == contents_of_part(part)


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(
    st.lists(st.tuples(documents(), st.booleans()), min_size=2, max_size=5),
    st.lists(st.integers(1, 4), max_size=2),
    st.sampled_from([1, 5, 1_000_000]),
    st.booleans(),
    profiles(),
    analysers(),
)
def test_removed_documents_leave_no_trace_in_a_part(
    drawn: Sequence[tuple[bytes, bool]],
    borders: Sequence[int],
    piece_size: int,
    is_spilled: bool,
    profile: Profile,
    analyser: Analyser,
) -> None:
    batch = named([raw for raw, _ in drawn])
    stays = [kept for _, kept in drawn]
    left = [document for document, kept in zip(batch, stays, strict=True) if kept]
    expected = contents(left, profile, analyser)
    with tempfile.TemporaryDirectory() as name, merging_in_pieces_of(piece_size):
        folder, parts = Path(name), []
        for piece in cut(batch, borders):
            gone = [number for number, document in enumerate(piece) if document not in left]
            made = made_part(piece, profile, analyser)
            if is_spilled:
                made = spilled_part(made, folder / f"part-{len(parts)}")
            parts.append(remove_documents(made, np.array(gone, np.int64), folder / f"kept-{len(parts)}"))

        for part in parts:
            of_part = [pair for pair in left if pair[0] in part.ids]
            assert contents_of_part(part) == contents(of_part, profile, analyser)
        parts = [part for part in parts if len(part.ids)]
        if parts:
            assert contents_of_part(written(parts, name)) == expected


def test_document_facts_stay_with_their_documents_after_merging() -> None:
    profile, analyser = Profile("none"), Analyser()
    first = made_part([("a", b"<a>x</a>"), ("b", b"<b>yy</b>")], profile, analyser, source="/one")
    second = made_part([("c", b"<c/>")], Profile("jats"), analyser, source="/two")
    with tempfile.TemporaryDirectory() as folder:
        part = written([first, second], folder)

    assert [part.sources[number] for number in part.columns["source"]] == ["/one", "/one", "/two"]
    assert [part.profiles[number] for number in part.columns["profile"]] == ["none", "none", "jats"]
    assert part.columns["size_bytes"].tolist() == [8, 9, 4]
    assert [row.tobytes() for row in part.columns["digest"]] == [
        content_digest(raw) for raw in (b"<a>x</a>", b"<b>yy</b>", b"<c/>")
    ]


def test_merged_columns_widen_as_numbers_grow() -> None:
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


@given(st.lists(st.lists(st.integers(1, 300), max_size=20), min_size=1, max_size=4))
def test_weights_do_not_depend_on_the_order_of_terms(frequencies: list[list[int]]) -> None:
    document = np.repeat(np.arange(len(frequencies)), list(map(len, frequencies)))
    tf = np.array([frequency for each in frequencies for frequency in each], np.int64)
    order = np.argsort(tf, kind="stable")

    weights = document_weights(document, tf, len(frequencies))

    assert weights.tolist() == document_weights(document[order], tf[order], len(frequencies)).tolist()
    assert weights.tolist() == [weight(each) for each in frequencies]


def test_words_are_numbered_by_leaf_with_text_node_borders() -> None:
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


def test_stop_words_are_numbered() -> None:
    batch = [("a", b"<a>state of the art</a>")]
    found = contents_of_part(made_part(batch, Profile("none"), Analyser(stop_words=frozenset({"of", "the"})))).postings

    assert found == {"state": {"a": {0: [0]}}, "art": {"a": {0: [3]}}}


def test_documents_without_words_are_indexed() -> None:
    batch = [("a", b"<a/>"), ("b", b"<b> \n. </b>")]
    part = made_part(batch, Profile("none"), Analyser())

    with tempfile.TemporaryDirectory() as folder:
        found = contents_of_part(written([part], folder))

    assert found.postings == {}
    assert [document.text for document in found.documents.values()] == ["", " \n. "]
    assert [document.weight for document in found.documents.values()] == [0.0, 0.0]
