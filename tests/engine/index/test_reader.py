"""Opening and closing an index reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ClosedIndexError
from engine.index.locator import IndexLocator
from engine.index.reader import open_reader
from tests.engine.small_index import index_of, unchecked_answers


def test_a_closed_reader_raises_one_error(tmp_path: Path) -> None:
    reader = index_of(tmp_path, {"a": "<a><p>sea</p></a>", "b": "<a/>"})
    geometry = IndexLocator(reader)
    answers = unchecked_answers(reader, "sea")
    reader.close()
    reader.close()

    message = r"/index: the index is closed: open it again"
    for use in (
        lambda: reader.n_documents,
        lambda: reader.postings("sea"),
        lambda: reader.elements,
        lambda: reader.statistics.lengths,
        lambda: reader.text(0),
        lambda: unchecked_answers(reader, "sea"),
        lambda: answers.paths,
        lambda: geometry.length("a"),
    ):
        with pytest.raises(ClosedIndexError, match=message):
            use()


def test_a_reader_is_closed_at_the_end_of_its_context(tmp_path: Path) -> None:
    index_of(tmp_path, {"a": "<a>sea</a>"})
    with open_reader(tmp_path / "index") as reader:
        assert reader.statistics.term("sea").collection_frequency == 1

    with pytest.raises(ClosedIndexError):
        reader.postings("sea")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_closing_releases_maps_and_descriptors(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(40_000))
    reader = index_of(tmp_path, {"a": f"<a><p>{words}</p></a>"})
    assert len(unchecked_answers(reader, "word7 word9"))
    folder = str(tmp_path / "index")
    assert folder in Path("/proc/self/maps").read_text()

    reader.close()

    assert folder not in Path("/proc/self/maps").read_text()
    links = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert not [link for link in links if str(link).startswith(folder)]


def test_an_unknown_attribute_is_an_attribute_error(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="'IndexReader' object has no attribute 'serach'"):
        index_of(tmp_path, {"a": "<a>sea</a>"}).serach  # type: ignore[attr-defined]  # noqa: B018


def test_the_repr_is_one_line(tmp_path: Path) -> None:
    reader = index_of(tmp_path, {"a": "<a>sea</a>"})

    assert repr(reader) == f"IndexReader('{tmp_path}/index', generation 1, 1 documents)"
    reader.close()
    assert repr(reader) == f"IndexReader('{tmp_path}/index', closed)"
