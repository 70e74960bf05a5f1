"""A build takes no more memory than it is given, whatever its documents hold, and writes the same bytes."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collection.limits import Limits
from engine.collection.markup.flat_documents import flatten
from engine.collection.profiles.profile import Profile
from engine.collection.sources.concatenated import content_digest
from engine.collection.xml_reader import read_markup
from engine.errors import CollectionError
from engine.index.manifest import Manifest
from engine.index.texts import text_store
from engine.index.texts.text_store import FrameCompressor, Spans, Texts
from engine.indexing.build import compact_index, update_index
from engine.indexing.workers import document_reading
from engine.indexing.workers.document_memory import MOST_PER_BYTE, document_memory, most_memory
from engine.indexing.workers.inversion import DocumentFacts, invert
from engine.text.analyser import Analyser
from engine.text.vocabulary import cached_terms
from tests.engine.index.index_contents import SETTINGS, all_bytes, expected, found, random_files, write
from tests.foxir.commands.command import foxir
from tests.notice_codes import codes
from tests.trust.measured_build import COMPACT, measure
from tests.trust.soak import effort

MEGABYTE = 2**20
BEYOND = 64  # MB that a build may take beyond what it is given


def distinct_han(n_words: int) -> str:
    return " ".join(chr(0x4E00 + number % 20_000) + chr(0x4E00 + number // 20_000) for number in range(n_words))


# Documents of one thing only, of about so many bytes.
EXTREMES: dict[str, Callable[[int], str]] = {
    "prose": lambda size: "<p>" + "The keeper lit the lamp, and the fog came in. " * (size // 46) + "</p>",
    "empty elements": lambda size: "<b/>" * (size // 4),
    "elements with a word": lambda size: "<b>x</b>" * (size // 8),
    "words of a letter": lambda size: "a " * (size // 2),
    "sentences of a letter": lambda size: "A. " * (size // 3),
    "one word": lambda size: "tide " * (size // 5),
    "distinct Han words": lambda size: distinct_han(size // 7),
    "Han without blanks": lambda size: distinct_han(size // 6).replace(" ", ""),
    "distinct numbers": lambda size: " ".join(f"{number:x}" for number in range(size // 6)),
    "a long word": lambda size: "x" * size,
    "attributes": lambda size: "<b c='d'/>" * (size // 10),
    "names": lambda size: "".join(f"<b{number:x}/>" for number in range(size // 9)),
    "names beside an image": lambda size: (
        "<img src='a.png'/>" + "".join(f"<b{number:x} c{number:x}='d'/>" for number in range(size // 18))
    ),
}


CAMEL_CASE: dict[str, Callable[[int], str]] = {
    "parts of two letters": lambda size: "aB" * (size // 2),
    "parts that all differ": lambda size: "".join(
        chr(65 + number % 26) + chr(97 + number // 26 % 26) + chr(97 + number // 676 % 26)
        for number in range(size // 3)
    ),
    "Cyrillic parts": lambda size: "аБ" * (size // 4),
    "Deseret parts": lambda size: "\U00010428\U00010400" * (size // 8),
    "fullwidth parts": lambda size: "\uff41\uff21" * (size // 6),
}


@pytest.mark.parametrize("name", [*EXTREMES, *CAMEL_CASE])
@pytest.mark.long
def test_the_estimate_of_a_documents_memory_is_not_exceeded(name: str) -> None:
    make, is_split = {**EXTREMES, **CAMEL_CASE}[name], name in CAMEL_CASE
    profile, analyser = (
        Profile("made", attributes=frozenset(["c"])),
        Analyser(camel_case="split" if is_split else "keep"),
    )

    def inverted(size: int) -> bytes:
        markup = read_markup(f"<a>{make(size)}</a>".encode(), "made.xml").text
        flat = flatten([markup], [profile], [0], analyser)
        invert(flat, [DocumentFacts("made", content_digest(markup), len(markup), 0, 0)], ["s"], ["made"])
        return markup

    cached_terms.cache_clear()  # of the documents of other tests
    inverted(1_000)  # fills the tables that are kept
    tracemalloc.start()
    try:
        markup = inverted(effort(100_000, 2_000_000, thorough=200_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    exact, fast = (document_memory(markup, is_exact=each, splits_camel_case=is_split) for each in (True, False))
    assert peak <= exact <= fast <= MOST_PER_BYTE * len(markup) == 200 * len(markup)
    assert name != "prose" or peak <= 25 * len(markup)
    assert is_split or fast <= most_memory(markup)


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_the_quick_bound_of_memory_is_above_the_estimate(encoded: bytes) -> None:
    assert document_memory(encoded) <= most_memory(encoded)


@given(st.lists(st.binary(max_size=60), max_size=12), st.lists(st.integers(1, 11), max_size=4), st.integers(1, 100))
def test_frames_do_not_depend_on_how_documents_are_grouped(
    texts: Sequence[bytes], borders: Sequence[int], block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_store, "BLOCK_TEXT", block)
        whole = [len(text) % 3 for text in texts]  # elements of each document
        n_rows = np.cumsum([0, *whole])
        spans = Spans(np.arange(n_rows[-1]), np.arange(n_rows[-1]) + 2)
        expected_frames = text_store.compress(texts, spans, n_rows, spans, n_rows)
        places = sorted({0, *(border for border in borders if border < len(texts)), len(texts)})
        frames, firsts = list[bytes](), list[int]()
        compressor = FrameCompressor()
        for first, last in pairwise(places):
            rows = slice(n_rows[first], n_rows[last])
            piece = Spans(spans.starts[rows], spans.stops[rows])
            begins = n_rows[first : last + 1] - n_rows[first]
            group = Texts(texts[first:last], piece, begins, piece, begins)
            more, numbers = compressor.add(group, is_last=last == len(texts))
            frames += more
            firsts += [number + first for number in numbers]

    assert (frames, firsts) == expected_frames


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.long
def test_what_is_written_does_not_depend_on_memory(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = random_files(25)
    source = write(tmp_path / "source", files)
    monkeypatch.setattr(document_reading, "BATCH_BYTES", 6_000)
    monkeypatch.setattr(document_reading, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(document_reading, "MEMORY_A_JOB", 1)
    monkeypatch.setattr(text_store, "BLOCK_TEXT", 1_500)
    update_index(tmp_path / "much", [str(source)], SETTINGS)
    before = all_bytes(tmp_path / "much")
    for least in (1, 200_000):  # every document is a part; some are
        monkeypatch.setattr(document_reading, "LEAST_BATCH", least)
        index = tmp_path / f"little-{least}"
        report = update_index(index, [str(source)], replace(SETTINGS, memory=1, jobs=jobs))
        assert all_bytes(index) == before
        assert ("large_documents" in codes(report.notices)) == (least == 1)
    assert found(tmp_path / "much") == expected(files)


def write_documents(folder: Path, content: str, n_documents: int) -> Path:
    folder.mkdir()
    for number in range(n_documents):
        (folder / f"{number:06}.xml").write_text(f"<a>{content}</a>", "utf-8")
    return folder


# What is written, how often, and the memory that the build is given, in MB.
COLLECTIONS = {
    "one word": ("one word", 2 * MEGABYTE, 3, 100),
    "empty elements": ("empty elements", MEGABYTE // 2, 8, 64),
    "tiny documents": ("words of a letter", 10, effort(2_000, 300_000), effort(64, 300)),
}
LONG = {
    "one word, much of it": ("one word", 30 * MEGABYTE, 12, 1_000),
    "attributes": ("attributes", 2 * MEGABYTE, 100, 200),
    "distinct words": ("distinct Han words", 4 * MEGABYTE, 40, 400),
    "prose": ("prose", MEGABYTE, 600, 200),
}


@pytest.mark.parametrize("name", [*COLLECTIONS, *(effort(0, 1) * list(LONG))])
def test_a_build_takes_no_more_memory_than_it_is_given(name: str, tmp_path: Path) -> None:
    kind, size, n_documents, memory = {**COLLECTIONS, **LONG}[name]
    source = write_documents(tmp_path / "source", EXTREMES[kind](size), n_documents)
    skipped, peak = measure(tmp_path / "index", source, f"memory={memory * MEGABYTE}")

    assert skipped == []
    assert peak <= memory + BEYOND


# What the segments hold, how many documents of which size each has, and the memory for merging them, in MB.
SEGMENTS = {
    "one word": (MEGABYTE, 8, 16),
    "attributes": (MEGABYTE // 2, 8, 16),
    "prose": (MEGABYTE, effort(12, 200), 16),
    "distinct numbers": (MEGABYTE // 2, effort(8, 100), 32),
}


@pytest.mark.parametrize("name", list(SEGMENTS)[: effort(1, 4, thorough=2)])
@pytest.mark.long
def test_segments_are_merged_in_no_more_memory_than_is_given(name: str, tmp_path: Path) -> None:
    size, n_documents, memory = SEGMENTS[name]
    source, index = tmp_path / "source", tmp_path / "index"
    source.mkdir()
    for segment in range(3):
        for number in range(n_documents):
            (source / f"{segment}-{number:06}.xml").write_text(f"<a>{EXTREMES[name](size)}</a>", "utf-8")
        update_index(index, [str(source)], SETTINGS)
    for number in range(0, n_documents, 3):  # what is left of a segment is filtered
        (source / f"1-{number:06}.xml").unlink()
    update_index(index, [str(source)], SETTINGS)
    shutil.copytree(index, tmp_path / "much")
    _, peak = measure(index, Path(COMPACT), f"memory={memory * MEGABYTE}")
    compact_index(tmp_path / "much")

    assert peak <= memory + BEYOND
    assert len(Manifest.read(index).segments) == 1
    assert all_bytes(index) == all_bytes(tmp_path / "much")


@pytest.mark.long
def test_a_document_too_large_for_the_memory_is_read_alone_with_a_notice(tmp_path: Path) -> None:
    source = write_documents(tmp_path / "source", "tide " * 400_000, 1)
    made = foxir("index", tmp_path / "index", source, "--memory", "1M")

    assert made.status == 0
    assert "000000.xml: read alone, with up to " in made.err
    assert "1 MB were allowed (--memory)." in " ".join(made.err.split())


def test_a_document_of_too_many_distinct_words_is_skipped_before_they_take_memory(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"few": f"<a>{'灯塔 ' * 3_000}</a>", "many": f"<a>{distinct_han(3_000)}</a>"})
    settings = replace(SETTINGS, limits=Limits(max_distinct_words=1_000))
    report = update_index(tmp_path / "index", [str(source)], settings)

    assert report.documents == 1
    assert [(Path(each.file).name, each.line, each.reason) for each in report.skipped] == [
        (
            "many.xml",
            1,
            "more than 1,000 distinct words, the limit max_distinct_words (max_distinct_words=N allows more): "
            "split the document.",
        )
    ]


@pytest.mark.long
def test_a_long_name_beside_many_takes_its_own_memory_alone(tmp_path: Path) -> None:
    others = "".join(f'<p a{number}="v">tide</p>' for number in range(8_000))
    source = write(tmp_path / "source", {"long": f'<a><p {"z" * 49_000}="v">tide</p>{others}</a>'})
    skipped, peak = measure(tmp_path / "index", source)

    assert skipped == []
    assert peak < 200


def names(*numbers: int) -> str:
    return "<a>" + "".join(f'<b{number} c{number}="d">tide</b{number}>' for number in numbers) + "</a>"


def test_a_document_of_too_many_names_of_elements_and_attributes_is_skipped(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"few": names(*range(9)), "same": names(*[1] * 30), "many": names(*range(10))})
    report = update_index(tmp_path / "index", [str(source)], replace(SETTINGS, limits=Limits(max_distinct_names=20)))

    assert report.documents == 2
    assert [(Path(each.file).name, each.line, each.reason) for each in report.skipped] == [
        (
            "many.xml",
            1,
            "more than 20 distinct names of elements and attributes, the limit max_distinct_names "
            "(max_distinct_names=N allows more): move data that are in names, such as numbers, into values of "
            "attributes.",
        )
    ]


def test_an_index_of_too_many_names_stays_as_it_was(tmp_path: Path) -> None:
    source, settings = tmp_path / "source", replace(SETTINGS, limits=Limits(max_distinct_names=20))
    write(source, {"first": names(*range(6))})
    update_index(tmp_path / "index", [str(source)], settings)
    before = all_bytes(tmp_path / "index")
    write(source, {"first": names(*range(6)), "second": names(*range(6, 12))})
    with pytest.raises(CollectionError, match="its documents would have more than 20 distinct names of elements and"):
        update_index(tmp_path / "index", [str(source)], settings)

    assert all_bytes(tmp_path / "index") == before
    assert update_index(tmp_path / "index", [str(source)], SETTINGS).documents == 2


@pytest.mark.long
def test_a_document_that_would_take_too_much_memory_is_skipped(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"little": "<a>灯塔</a>", "much": f"<a>{'灯塔光' * 100_000}</a>"})
    index = tmp_path / "index"
    report = update_index(index, [str(source)], replace(SETTINGS, limits=Limits(max_document_memory=30 * MEGABYTE)))

    assert report.documents == 1
    assert [(Path(each.file).name, each.line) for each in report.skipped] == [("much.xml", 1)]
    assert "MB of memory, more than 30 MB, the limit max_document_memory (max_" in report.skipped[0].reason
    assert update_index(index, [str(source)], SETTINGS).documents == 2


# Texts within the limits, which take much memory even as parameters: each is made by its test.
LARGEST: dict[str, Callable[[], str]] = {
    "distinct Han words": lambda: distinct_han(10_000_000),
    "sentences of a letter": lambda: "A. " * 11_000_000,
    "sentences of a Han word": lambda: "灯。" * 16_000_000,
    "words of a letter": lambda: "a " * 16_000_000,
    "Han without blanks": lambda: "灯塔光" * 11_000_000,
    "elements of Han words": lambda: "<b>灯塔光灯塔</b>" * 3_999_990,
    "attributes": lambda: "<b c='d' e='f'/>" * 3_900_000,
}


@pytest.mark.skipif(not effort(0, 1), reason="takes minutes and 4 GB: make soak")
@pytest.mark.parametrize("name", LARGEST)
def test_no_document_within_the_limits_takes_more_than_four_gigabytes(name: str, tmp_path: Path) -> None:
    source = write_documents(tmp_path / "source", LARGEST[name](), 1)
    _, peak = measure(tmp_path / "index", source)

    assert peak < 4_096
