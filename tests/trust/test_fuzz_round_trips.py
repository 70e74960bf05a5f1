"""What is written comes back: columns, strings and positions of an index, its manifest, judgements, paths.

Runs have theirs in `tests/engine/runs/test_run_writers.py`, queries in `tests/engine/query/test_nexi.py`, parts and
segments in `tests/engine/indexing/workers/test_inversion.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_array_equal

from engine.collection.profiles.profile_files import digest_of, load_profile
from engine.columns.byte_column import ByteColumn, ByteColumnWriter
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter
from engine.errors import AssessmentError, MeasureError
from engine.index.locator import IndexLocator
from engine.index.manifest import Manifest, SegmentEntry, Totals
from engine.index.reader import open_reader
from engine.index.texts import text_store
from engine.indexing.build import BuildSettings, update_index
from engine.system.held_folder import HeldFolder
from engine.text.analyser import Analyser
from eval.judgements.element_expansion import write_fol, write_xml
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments, Judgements
from tests.reference.flat_columns import flat_columns
from tests.reference.random_xml import documents
from tests.trust.soak import effort

pytestmark = pytest.mark.usefixtures("unsynced")
quick = settings(max_examples=effort(2, 2000, thorough=40), deadline=None)
DTYPES = ["|u1", "<u2", "<u4", "<u8", "<f8", ">u2", ">u4", ">u8", ">f8", "<i8"]
SHAPES = st_numpy.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=300)


@quick
@given(data=st.data())
def test_columns_come_back_in_any_cut_and_little_endian(data: st.DataObject) -> None:
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    values = data.draw(st_numpy.arrays(dtype, SHAPES))
    rows = st.integers(0, len(values))
    places = np.array(data.draw(st.lists(st.integers(0, max(len(values) - 1, 0)), max_size=9)), np.int64)
    with TemporaryDirectory() as folder:
        writer = FolderWriter(Path(folder) / "made", sync=False)
        writer.column("c", values)
        files = CheckedFolder(writer.folder, writer.close())
        column = files.column("c")
        start, stop = sorted((data.draw(rows), data.draw(rows)))

        assert_array_equal(column.slice(start, stop), values[start:stop])
        assert_array_equal(column.all(), values)
        if len(values):
            assert_array_equal(column.take(places), values[places])
        assert column.values.dtype.byteorder in "|<="
        assert column.values.dtype == dtype.newbyteorder("<")
        assert_array_equal(np.load(writer.folder / "c.npy"), values)  # numpy reads it too


@quick
@given(values=st.lists(st.binary(max_size=9)), wanted=st.binary(max_size=3))
def test_strings_come_back_and_are_found(values: list[bytes], wanted: bytes) -> None:
    with TemporaryDirectory() as folder:
        writer = FolderWriter(Path(folder) / "made", sync=False)
        writer.strings("as they are", values)
        writer.strings("sorted", in_order := sorted(set(values)))
        files = CheckedFolder(writer.folder, writer.close())
        kept = files.strings("sorted")

        assert files.strings("as they are").all() == values
        assert [kept[row] for row in range(len(kept))] == in_order
        assert [kept.find(value) for value in in_order] == list(range(len(in_order)))
        place = kept.find(wanted)
        assert (place >= 0) == (wanted in in_order)
        assert place >= 0 or in_order[: -place - 1] == [value for value in in_order if value < wanted]


@quick
@given(
    positions=st.lists(st.one_of(st.integers(0, 300), st.integers(250, 2**33))), borders=st.lists(st.integers(0, 99))
)
def test_positions_come_back_near_and_far(positions: list[int], borders: list[int]) -> None:
    values = np.array(positions, np.int64)
    with TemporaryDirectory() as folder:
        writer = FolderWriter(Path(folder) / "made", sync=False)
        target = ByteColumnWriter(writer, "position", len(values))
        for piece in np.split(values, sorted(border for border in borders if border <= len(values))):
            target.append(piece)
        target.finish()
        files = CheckedFolder(writer.folder, writer.close())

        read = ByteColumn(files, "position")
        assert read.all().tolist() == positions
        assert read.take(np.arange(len(values))[::-1]).tolist() == positions[::-1]
        first, last = len(values) // 3, len(values) // 2
        assert read.slice(first, last).tolist() == positions[first:last]


PLACES = st.integers(0, 2**30 - 1)  # the parser takes no document of 2^31 bytes


@quick
@given(
    drawn=st.lists(
        st.tuples(st.text(max_size=20), st.lists(st.tuples(PLACES, PLACES), min_size=1)), min_size=1, max_size=6
    )
)
def test_texts_and_spans_come_back(drawn: Sequence[tuple[str, list[tuple[int, int]]]]) -> None:
    encoded = [text.encode() for text, _ in drawn]
    first_row = np.cumsum([0, *(len(rows) for _, rows in drawn)])
    starts = np.array([start for _, rows in drawn for start, _ in rows], np.int64)
    stops = starts + np.array([length for _, rows in drawn for _, length in rows], np.int64)
    spans, gaps = text_store.Spans(starts, stops), text_store.Spans(stops, starts)
    frames, firsts = text_store.compress(encoded, spans, first_row, gaps, first_row)

    assert firsts == [0]
    assert text_store.decompress(frames[0]) == b"".join(encoded)
    for frame, written in zip(frames[1:], (spans, gaps), strict=True):
        read = text_store.decompress_spans(frame)
        assert read.starts.tolist() == written.starts.tolist()
        assert read.stops.tolist() == written.stops.tolist()


NUMBERS = st.integers(0, 2**62)
ENTRIES = st.dictionaries(
    st.from_regex("[0-9a-f]{64}", fullmatch=True), st.sets(NUMBERS, max_size=4).map(sorted), max_size=4
)


@quick
@given(
    sources=st.lists(st.text(), max_size=3),
    entries=ENTRIES,
    counts=st.tuples(NUMBERS, NUMBERS, NUMBERS),
    weight=st.floats(0, allow_nan=False, allow_infinity=False),
    stop_words=st.frozensets(st.text(min_size=1), max_size=3),
)
def test_a_manifest_comes_back(
    sources: list[str], entries: dict[str, list[int]], counts: Any, weight: float, stop_words: frozenset[str]
) -> None:
    profile = load_profile("jats")
    manifest = Manifest(
        replace(Analyser(), stop="file", stop_words=stop_words).to_dict(),
        {**profile.to_dict(), "digest": digest_of(profile)},
        generation=counts[0],
        sources=tuple(sources),
        segments=tuple({d[:16]: SegmentEntry(d[:16], d, tuple(deleted)) for d, deleted in entries.items()}.values()),
        statistics=Totals(*counts, weight),
    )
    with TemporaryDirectory() as folder:
        with HeldFolder(Path(folder)) as held:
            manifest.write(held)

        assert Manifest.read(Path(folder)) == manifest


NAMES = st.text(min_size=1, max_size=6).filter(lambda name: name.isprintable() and name.split() == [name])
PATHS = st.from_regex(r"/[a-z]{1,3}\[[1-9]\](/[a-zé]{1,3}\[[1-9]\]){0,2}", fullmatch=True)
SIZES = st.integers(0, 2**37)  # some passages together are no longer than a document may be


@st.composite
def judgements(draw: st.DrawFn, topic: str) -> Judgements:
    """Judgements of one topic with offsets; some elements have sizes, some only the share that is highlighted."""
    builder = JudgementsBuilder(topic, "2005", "made")
    for document in draw(st.lists(NAMES, unique=True, min_size=1, max_size=3)):
        passages = draw(st.lists(st.tuples(SIZES, SIZES), max_size=3))
        point = draw(SIZES) if passages else -1
        builder.document(document, "made", length=draw(SIZES), highlighted=0, entry_point=point)
        for start, length in passages:
            builder.passage(start, length)
        for path in draw(st.lists(PATHS, unique=True, max_size=2)):
            size, rsize = draw(SIZES), draw(SIZES)
            share = draw(st.floats(0, 1))
            grade = draw(st.sampled_from([-2, -1, 0, 1, 2]))
            if draw(st.booleans()):
                builder.element(path, grade, rsize / size if size else 0.0, size, rsize)
            else:
                builder.element(path, grade, share, -1, -1)
    return builder.build()


TOPICS = st.lists(NAMES.filter(lambda name: "/" not in name and name[0] not in ".<\ufeff"), unique=True, min_size=1)


def passages(judged: Judgements) -> list[Any]:
    return [
        judged.documents,
        judged.entry_points.tolist(),
        judged.passages.document_rows.tolist(),
        judged.passages.starts.tolist(),
        judged.passages.lengths.tolist(),
    ]


def elements(judged: Judgements) -> list[Any]:
    columns = judged.elements
    arrays = (columns.document_rows, columns.exhaustivity, columns.specificity, columns.sizes, columns.rsizes)
    return [list(columns.paths), *(array.tolist() for array in arrays)]


@quick
@given(data=st.data())
def test_judgements_come_back_from_fol_qrels_and_from_xml(data: st.DataObject) -> None:
    names = data.draw(TOPICS)[:2]
    made = Assessments("made", "2005", {name: data.draw(judgements(name)) for name in names})
    with TemporaryDirectory() as folder:
        write_xml(made, Path(folder) / "xml")
        from_xml = read_assessments(Path(folder) / "xml")
        try:
            from_fol = read_assessments(write_fol(made, Path(folder) / "qrels"))
        except MeasureError:  # elements alone, which FOL qrels do not have
            assert any(judged.elements.relevant.any() and not len(judged.passages) for judged in made.topics.values())
            from_fol = None

    assert set(from_xml.topics) == set(names)
    for name, judged in made.topics.items():
        assert passages(from_xml.topics[name]) == passages(judged)
        assert elements(from_xml.topics[name]) == elements(judged)
        if from_fol:
            assert list(from_fol.topics) == names
            assert passages(from_fol.topics[name]) == passages(judged)
            assert from_fol.topics[name].lengths.tolist() == judged.lengths.tolist()


def test_names_that_would_not_come_back_are_refused(tmp_path: Path) -> None:
    for topic, document in (("1", "a b"), ("1", ""), ("1 2", "a"), ("<1", "a"), ("\ufeff1", "a"), ("1", "a\u2028b")):
        builder = JudgementsBuilder(topic, "fol", "made")
        builder.document(document, "made", length=9)
        with pytest.raises(AssessmentError, match=r"made: FOL qrels cannot represent document"):
            write_fol(Assessments("made", "fol", {topic: builder.build()}), tmp_path / "qrels")
    assert list(tmp_path.iterdir()) == []


def test_documents_without_entry_point_are_entered_at_their_first_passage(tmp_path: Path) -> None:
    builder = JudgementsBuilder("1", "2005", "made")
    builder.document("a", "made", length=99)
    builder.passage(40, 10)
    builder.passage(20, 5)
    builder.document("b", "made", length=9)
    write_fol(Assessments("made", "2005", {"1": builder.build()}), tmp_path / "qrels")

    assert (tmp_path / "qrels").read_text() == "1 Q0 a 15 99 20 40:10 20:5\n1 Q0 b 0 9\n"


@settings(max_examples=effort(2, 500, thorough=10), deadline=None)
@given(raws=st.lists(documents(), min_size=1, max_size=3))
def test_a_path_leads_to_the_element_that_it_was_made_from(raws: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        source, index = Path(folder) / "source", Path(folder) / "index"
        source.mkdir()
        for number, raw in enumerate(raws):
            (source / f"{number}.xml").write_bytes(raw)
        update_index(index, [str(source)], BuildSettings(profile=load_profile("none")))
        locator = IndexLocator(open_reader(index))
        for number, raw in enumerate(raws):
            expected = flat_columns(raw, load_profile("none"), Analyser())
            found = locator.elements(str(number))
            assert found
            first = locator.row(str(number), found.paths[0])
            assert first is not None
            assert list(found.paths) == [element.path for element in expected.elements]
            assert [locator.row(str(number), path) for path in found.paths] == [
                first + place for place in range(len(found.paths))
            ]
            spans = [[element.start, element.stop] for element in expected.elements]
            assert locator.spans(str(number), found.paths).tolist() == spans
