"""What `make bench` calls a change, and what it calls noise."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from bench.recorded import Record, compared, conclusion, direction_of, read_record
from bench.synthetic import write_collection

LAST = {"FTS5": [1.00, 1.02, 1.04], "tantivy": [2.0, 2.1, 2.04]}


def times(factor: float, peer: str = "") -> dict[str, list[float]]:
    return {
        name: [value * (1 if peer and name != peer else factor) for value in values] for name, values in LAST.items()
    }


@pytest.mark.parametrize(
    ("now", "direction"),
    [
        (times(1.2), "slower"),
        (times(0.8), "faster"),
        (times(1.04), ""),  # within 5 %
        (times(1.2, "FTS5"), ""),  # one peer alone was slow
        ({"FTS5": [1.0, 1.3, 1.6], "tantivy": [2.0, 2.6, 3.2]}, ""),  # rounds differ by more than the change
        ({"FTS5": [1.3, 1.3, 1.3], "tantivy": [1.5, 1.5, 1.5]}, ""),  # one peer says slower, the other faster
        ({"FTS5": [9.0, 9.0, 9.0]}, ""),  # not the same peers
    ],
)
def test_a_change_is_beyond_noise_if_every_peer_says_so(now: dict[str, list[float]], direction: str) -> None:
    assert direction_of(now, LAST) == direction


def record(corpus: str, factor: float, size: float) -> Record:
    return Record("abc", "2026-11-22", corpus, {"build": times(factor)}, {"size": size})


@pytest.mark.parametrize(
    ("last", "whole", "message"),
    [
        (record("a", 1, 1), False, "A change is beyond noise if"),
        (record("b", 1, 1), False, "Nothing is recorded for this corpus: --record"),
        (None, False, "Nothing is recorded for this corpus: --record"),
        (None, True, "All trial reports are compared with nothing; what is recorded is of the quick run"),
    ],
)
def test_the_conclusion_says_whether_anything_was_compared(last: Record | None, whole: bool, message: str) -> None:
    assert conclusion(record("a", 1, 1), last, whole=whole).startswith(message)


def test_a_record_that_is_written_is_read_again(tmp_path: Path) -> None:
    made = record("some files", 1, 0.5)
    made.write(tmp_path / "recorded.json")

    assert read_record(tmp_path / "recorded.json") == made
    assert read_record(tmp_path / "none.json") is None


def test_the_table_has_columns_now_last_change_and_conclusion() -> None:
    header, rows = compared(record("some files", 1.5, 0.6), record("some files", 1, 0.5))

    assert header == ["", "peer", "now", "spread", "last", "spread", "change", ""]
    assert rows == [
        ["build", "FTS5", "1.53", "4%", "1.02", "4%", "+50%", "slower"],
        ["build", "tantivy", "3.06", "5%", "2.04", "5%", "+50%", "slower"],
        ["size / XML", "", "0.600", "", "0.500", "", "", "larger"],
    ]


@pytest.mark.parametrize("last", [None, record("other files", 1, 0.5)])
def test_nothing_is_compared_with_figures_of_another_corpus(last: Record | None) -> None:
    _, rows = compared(record("some files", 1.5, 0.6), last)

    assert [row[4:] for row in rows] == [["", "", "", ""]] * 3


# Synthetic collections: well-formed, as large as asked for, decided by the seed, with names that do not clash.


COLLECTIONS = Path(__file__).resolve().parents[2] / "collections"
SAMPLES = sorted(COLLECTIONS.rglob("*.xml"))[:5]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic")
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        write_collection(SAMPLES, folder / name, seed, 60_000)
    return folder


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def test_documents_have_the_trees_and_the_lengths_of_the_samples(made: Path) -> None:
    def shape(root: etree._Element) -> list[tuple[object, int]]:
        return [(element.tag, len((element.text or "").split())) for element in root.iter(etree.Element)]

    samples = [shape(etree.parse(sample).getroot()) for sample in SAMPLES]
    assert all(shape(etree.fromstring(raw)) in samples for raw in contents(made / "one"))
    assert sum(map(len, contents(made / "one"))) >= 60_000


def test_the_seed_decides_all_but_the_names(made: Path) -> None:
    assert contents(made / "one") == contents(made / "again") != contents(made / "two")
    assert {file.name for file in (made / "one").iterdir()}.isdisjoint(file.name for file in (made / "two").iterdir())
