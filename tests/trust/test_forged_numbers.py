"""An index whose checksums are right and whose numbers are not ends in one error, or gives answers; nothing else."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import foxir as foxir_api
from engine.columns.checked_folder import reads_columns
from engine.errors import FoxirError, IndexFormatError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.segment import Segment
from foxir import open_index
from tests.engine.small_index import index_of, unchecked_answers
from tests.foxir.commands.command import foxir
from tests.trust.soak import effort
from tests.trust.test_hostile_index import replace_file

TOY = "tests.engine.semantic.toy_encoder:encode"
QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("sea tide", {}),
    ('"sea tide" lamp', {"passages": True}),
    ("//sec[about(.//p, fog)]//p", {}),
    ("sea lamp", {"rank_by": "structure", "answers": "nCRE"}),
    ('//sec[@id = "s1"]', {}),
    ("reef", {"approach": "fulltext"}),
    ("lamp fog", {"element_similarity": "gpx"}),
    ("sea fog", {"semantic": TOY, "semantic_blocks": 5}),
    ("sea year:1911..", {"where": "year != 1912 or author = x", "facets": "year,author", "sort": "-year"}),
]


def document(number: int) -> str:
    return (
        f"<article><front><title>Sea {number}</title><article-meta><contrib-group><contrib contrib-type='author'><name>"
        f"<surname>S{number}</surname></name></contrib></contrib-group><pub-date><year>191{number}</year></pub-date>"
        f"</article-meta></front><body><sec id='s{number}'><title>Tide lamp</title>"
        f"<p>sea tide fog <i>lamp</i>. The reef is lit. Year 19{number}0.</p><p>fog {'sea ' * (number * 40)}</p></sec>"
        f"<sec><p>lamp {number} buoy reef</p></sec></body></article>"
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    index_of(folder, {f"d{number}": document(number) for number in range(8)}, profile="jats", vectors=TOY).close()
    return folder / "index"


def forged(column: NDArray[Any], random: Random) -> NDArray[Any]:
    """Return a column with one number, some or all changed; sometimes it is shorter, too."""
    numbers = column.copy().ravel()
    for _ in range(random.choice([1, 1, 3, len(numbers)])):
        place = random.randrange(len(numbers))
        if numbers.dtype.kind == "f":
            numbers[place] = random.choice([0.0, -1.0, 1e300, np.nan])
            continue
        limits = np.iinfo(numbers.dtype)
        low, high = int(limits.min), int(limits.max)
        numbers[place] = random.choice([0, 1, high, low, random.randint(low, high), min(high, int(numbers[place]) + 1)])
    if column.ndim == 1 and random.random() < 0.15:
        return numbers[: random.randint(1, len(numbers))]
    return numbers.reshape(column.shape)


TYPES = ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8")


def retyped(column: NDArray[Any], random: Random) -> NDArray[Any]:
    """Return a column with its values or its bytes as another type, or in another shape."""
    if random.random() < 0.3:
        return column.reshape(-1) if column.ndim > 1 else column.reshape(random.choice([(1, -1), (-1, 1)]))
    dtype = np.dtype(random.choice([each for each in TYPES if np.dtype(each) != column.dtype]))
    raw = column.tobytes()
    of_bytes = np.frombuffer(raw[: len(raw) // dtype.itemsize * dtype.itemsize], dtype)
    return of_bytes if random.random() < 0.3 else column.astype(dtype)


def segment_of(index: Path) -> Path:
    return index / "segments" / Manifest.read(index).segments[0].name


def replace_column(index: Path, name: str, column: NDArray[Any]) -> None:
    file = io.BytesIO()
    np.save(file, column)
    replace_file(index, name, file.getvalue())


def forge(index: Path, random: Random) -> None:
    """Replace one column or all strings of one in the first segment, with the checksums that go with them."""
    segment = segment_of(index)
    name = random.choice(sorted(path.relative_to(segment).as_posix() for path in segment.rglob("*.npy")))
    kind, strings = random.random(), segment / name.replace(".npy", ".bin")
    raw = bytearray(strings.read_bytes() if kind < 0.15 and strings.is_file() else b"")
    if raw:
        raw[random.randrange(len(raw))] = 255  # no UTF-8
        replace_file(index, name.replace(".npy", ".bin"), bytes(raw))
        return
    column = np.load(segment / name)
    if column.size:
        with np.errstate(invalid="ignore"):
            replace_column(index, name, (retyped if kind < 0.5 else forged)(column, random))


def read_all(index: foxir_api.Index) -> Iterator[Callable[[], object]]:
    """Yield reads of what a program can ask of an open index, beside searches."""
    yield lambda: index.documents
    yield lambda: "d1" in index
    yield lambda: (len(index), index.report(), repr(index))
    for document in ("d0", "d3"):
        yield lambda document=document: index.text(document)  # type: ignore[misc]
        yield lambda document=document: index.locator.length(document)  # type: ignore[misc]
        yield lambda document=document: index.locator.elements(document)  # type: ignore[misc]
        yield lambda document=document: everything_of(index.element(document, "/article[1]/body[1]/sec[1]"))  # type: ignore[misc]
    yield lambda: index.element("d1", "s1").text


def everything_of(element: foxir_api.Element) -> object:
    around = (element.parent, element.children, element.previous, element.next)
    return around, element.to_dict(text=True), element.readable_text, element.tag, repr(element)


@pytest.mark.filterwarnings("ignore")  # of NumPy, on what wrong numbers add up to
@pytest.mark.long
def test_numbers_that_do_not_fit_end_in_one_error(whole: Path, tmp_path: Path) -> None:
    random, index, refused = Random(effort(7, 0) or None), tmp_path / "index", 0
    for _ in range(effort(12, 3000)):
        shutil.copytree(whole, index)
        forge(index, random)
        try:
            with open_reader(index) as reader:
                for query, settings in QUERIES:
                    for answer in unchecked_answers(reader, query, **settings):
                        assert answer.path.startswith("/")
                        assert answer.snippet.text is not answer.breadcrumb
        except FoxirError:
            refused += 1
        with suppress(FoxirError), open_index(index) as opened:
            for read in read_all(opened):
                with suppress(FoxirError):
                    read()
        shutil.rmtree(index)
    assert refused


@pytest.mark.parametrize(
    "check", ["[" * 100_000, "[1, 2]", "[]", "{}", "1", '"a"', "[1.5]", "[true]", f"[{'9' * 5000}]"]
)
def test_a_record_of_an_encoder_that_is_none_ends_in_one_error(whole: Path, tmp_path: Path, check: str) -> None:
    index = shutil.copytree(whole, tmp_path / "index")
    replace_file(index, "elements/encoder.json", f'{{"name": "{TOY}", "check": {check}}}'.encode())

    with open_index(index) as opened, pytest.raises(IndexFormatError, match=r"json: not the record of an encoder"):
        opened.search("sea", semantic=TOY)


def test_ids_that_are_too_few_end_in_one_error_when_they_are_read(whole: Path, tmp_path: Path) -> None:
    index = shutil.copytree(whole, tmp_path / "index")
    replace_column(index, "articles/ids.npy", np.load(segment_of(index) / "articles" / "ids.npy")[:2])

    refused = pytest.raises(IndexFormatError, match=r"ids\.npy: .* do not fit together: 2 rows, expected 9")
    with open_index(index) as opened, refused:
        print([answer.document for answer in opened.search("buoy reef")])


@pytest.mark.parametrize("read", range(11))
def test_ids_that_are_no_text_end_in_one_error_wherever_they_are_read(whole: Path, tmp_path: Path, read: int) -> None:
    index = shutil.copytree(whole, tmp_path / "index")
    ids = segment_of(index) / "articles" / "ids.bin"
    replace_file(index, "articles/ids.bin", b"\xff" + ids.read_bytes()[1:])

    with open_index(index) as opened:
        wanted = list(read_all(opened))[read]
        if read == 2:
            wanted()  # reads no id
        else:
            with pytest.raises(IndexFormatError, match="the numbers of the index do not fit together"):
                wanted()


@pytest.mark.filterwarnings("ignore")
def test_a_column_of_another_type_or_shape_is_refused_with_its_name(whole: Path, tmp_path: Path) -> None:
    """Of every column that a search, a listing and a verification read: the numbers have one type, shape and length."""
    random, index = Random(effort(3, 0) or None), tmp_path / "index"
    names = sorted(path.relative_to(segment_of(whole)).as_posix() for path in segment_of(whole).rglob("*.npy"))
    names.remove("elements/parent.npy")  # its size is refused before
    for name in random.sample(names, effort(10, len(names))):
        shutil.copytree(whole, index)
        column = np.load(segment_of(index) / name)
        replace_column(index, name, column.astype("<i8" if name != "articles/weight.npy" else "<f4"))
        opened = Segment.open(segment_of(index), Manifest.read(index).segments[0].digest)
        folder, _, file = name.partition("/")
        with pytest.raises(IndexFormatError, match=f"{name}: the numbers of the index do not fit together: numbers of"):
            getattr(opened, folder).column(file.removesuffix(".npy"))
        replace_column(index, name, column.reshape(1, *column.shape[:1]) if column.ndim == 1 else column.ravel())
        opened = Segment.open(segment_of(index), Manifest.read(index).segments[0].digest)
        with pytest.raises(IndexFormatError, match=f"{name}: .* do not fit together: . dimension"):
            getattr(opened, folder).column(file.removesuffix(".npy"))
        shutil.rmtree(index)


@pytest.mark.parametrize(
    ("name", "query", "settings"),
    [("attributes_of_document", '//sec[@id = "s1"]', {}), ("leaf", "lamp fog", {"element_similarity": "gpx"})],
)
def test_numbers_wider_than_foxir_writes_them_are_the_same_numbers(
    whole: Path, tmp_path: Path, name: str, query: str, settings: dict[str, Any]
) -> None:
    """Those of eight bytes without sign, which NumPy adds to others as floats."""
    index, file = shutil.copytree(whole, tmp_path / "index"), f"elements/{name}.npy"
    replace_column(index, file, np.load(segment_of(index) / file).astype("<u8"))

    with open_reader(whole) as expected, open_reader(index) as forged:
        paths = [
            [(answer.document, answer.path, answer.score) for answer in unchecked_answers(each, query, **settings)]
            for each in (expected, forged)
        ]
    assert paths[0] == paths[1] != []


@pytest.mark.filterwarnings("ignore")  # of NumPy, on what wrong numbers add up to
@pytest.mark.long
def test_commands_that_read_such_an_index_end_in_one_error(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(8):
        (source / f"d{number}.xml").write_text(document(number), "utf-8")
    whole, index = tmp_path / "whole", tmp_path / "index"
    foxir("index", whole, source, "--profile", "jats", "-q")
    (source / "d1.xml").unlink()  # a deleted document, and a second segment: what compaction reads differs
    (source / "d8.xml").write_text(document(8), "utf-8")
    foxir("index", whole, source, "-q")
    random, statuses = Random(effort(8, 0) or None), Counter[int]()
    for turn in range(effort(12, 2000)):
        shutil.copytree(whole, index)
        forge(index, random)
        (source / "d8.xml").write_text(document(9 + turn % 2), "utf-8")
        calls = [("info", index, "--verify", "--list-documents"), ("index", index, source, "-q"), ("compact", index)]
        for call in random.sample(calls, len(calls)):
            done = foxir(*call)  # an error that is not of foxir is raised here
            statuses[done.status] += 1
            if done.status == 2:
                assert len(done.err.strip().splitlines()) == 1, done.err
        shutil.rmtree(index)
    assert statuses.keys() <= {0, 1, 2}
    assert statuses[2]


def test_errors_of_foxir_stay_as_they_are_and_others_keep_their_cause() -> None:
    @reads_columns
    def fails(error: Exception) -> None:
        raise error

    with pytest.raises(IndexFormatError, match=r"^the numbers of the index do not fit together \(5 of 3\): ") as caught:
        fails(IndexError("5 of 3"))
    assert isinstance(caught.value.__cause__, IndexError)
    with pytest.raises(FoxirError, match=r"^as it is$"):
        fails(FoxirError("as it is"))
    with pytest.raises(TypeError):
        fails(TypeError())
