"""Several indexes that were built apart, searched as one."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import foxir
from engine.errors import ClusterError, IndexFormatError
from engine.index.joined import parts_of, place_of
from engine.index.reader import IndexReader, open_reader
from tests.engine.index.sharded import everything
from tests.engine.index.test_shards import WAYS
from tests.engine.small_index import build_index, index_of, write
from tests.reference import random_collections
from tests.trust.soak import effort

few = settings(max_examples=effort(4, 100, thorough=5), suppress_health_check=[HealthCheck.too_slow])
# Ways of each example.
SOME = effort(3, len(WAYS))
LAMPS = {"keeper": "<a><p>the lamp of the tide</p><p>a lens</p></a>", "pilot": "<a><p>sea and tide</p></a>"}
BELLS = {"keeper": "<a><p>the bell in the sea</p><p>no lamp</p></a>", "fog": "<a><p>fog bell at sea</p></a>"}


@contextmanager
def apart(documents: Mapping[str, str], of_index: Mapping[str, int]) -> Iterator[tuple[IndexReader, IndexReader]]:
    """Yield an index of all documents, and indexes of some each as one."""
    with tempfile.TemporaryDirectory() as name, patch("os.fsync", lambda _: None), ExitStack() as stack:
        folder = Path(name)
        places = []
        for number in sorted(set(of_index.values())):
            own = {each: markup for each, markup in documents.items() if of_index[each] == number}
            index_of(folder / str(number), own).close()
            places.append(folder / str(number) / "index")
        yield (
            stack.enter_context(index_of(folder / "whole", documents)),
            stack.enter_context(open_reader(place_of(places))),
        )


@few
@given(random_collections.collections, st.data())
def test_answers_of_several_indexes_equal_those_of_one_over_all_documents(
    documents: dict[str, str], data: st.DataObject
) -> None:
    of_index = {document: data.draw(st.integers(0, 2)) for document in documents}
    with apart(documents, of_index) as (one, several):
        assert several.statistics.mean_weight == one.statistics.mean_weight
        for way in data.draw(st.permutations(WAYS))[:SOME]:
            assert everything(several, "sea tide", way) == everything(one, "sea tide", way)
        query, way = data.draw(random_collections.queries), data.draw(random_collections.settings())
        assert everything(several, query, way) == everything(one, query, way)


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    for name, documents in (("lamps", LAMPS), ("bells", BELLS)):
        source = tmp_path / name
        source.mkdir()
        write(source, documents)
        build_index(source, into=tmp_path / f"{name}.foxir", profile="none")
    return tmp_path / "lamps.foxir", tmp_path / "bells.foxir"


def test_documents_of_one_id_are_told_apart_by_the_names_of_their_indexes(places: tuple[Path, Path]) -> None:
    with foxir.open_index(places) as index:
        answers = index.search("lamp", min_words="1")
        assert index.documents == ("bells/keeper", "fog", "lamps/keeper", "pilot")
        assert {answer.document for answer in answers} == {"lamps/keeper", "bells/keeper"}
        assert index.text("bells/keeper", "/a[1]/p[2]") == "no lamp"
        assert index.explain("lamp", "lamps/keeper", "/a[1]/p[1]", min_words="1").to_dict()["rank"] in (1, 2)


def test_an_id_of_another_document_is_not_given_to_one_that_is_told_apart(tmp_path: Path) -> None:
    for name, documents in (("a", {"x": "<a>tide</a>", "b/x": "<a>lamp</a>"}), ("b", {"x": "<a>sea</a>"})):
        index_of(tmp_path / name, documents).close()
        (tmp_path / name / "index").rename(tmp_path / f"{name}.foxir")
    with foxir.open_index(tmp_path / "a.foxir", str(tmp_path / "b.foxir")) as index:
        assert index.documents == ("a/x", "b/b/x", "b/x")
        assert index.text("b/b/x") == "sea"
        assert index.text("b/x") == "lamp"
        for given, expected in (
            ("b/x", {"b/x", "b/b/x"}),
            ("x", {"a/x", "b/b/x"}),
            ("a/b/x", {"b/x"}),
            (["a/x", "b/b/x"], {"a/x", "b/b/x"}),
            (["x"], {"a/x", "b/b/x"}),
            ("a/*", {"a/x", "b/x"}),
        ):
            found = index.search("lamp tide sea", documents=given, min_words="1")
            assert {answer.document for answer in found} == expected
            shared = [notice for notice in found.notices if notice.code == "shared_document_id"]
            assert bool(shared) == (given in ("x", "b/x", ["x"]))


def test_indexes_of_one_name_are_called_by_the_ends_of_their_paths(tmp_path: Path) -> None:
    for name, documents in (("old", LAMPS), ("new", BELLS)):
        index_of(tmp_path / name, documents).close()
    with foxir.open_index([tmp_path / "old" / "index", tmp_path / "new" / "index"]) as index:
        assert "old/index/keeper" in index
        assert "new/index/keeper" in index


def test_several_indexes_are_taken_up_anew_when_one_of_them_changes(places: tuple[Path, Path], tmp_path: Path) -> None:
    with foxir.open_index(places) as index:
        answers = index.search("lens", min_words="1")
        assert index.is_current
        write(tmp_path / "bells", {"lens": "<a>another lens</a>"})
        build_index(tmp_path / "bells", into=places[1], profile="none")
        assert not index.is_current
        assert index.refresh()
        assert len(index) == 5
        assert len(index.search("lens", min_words="1")) == 2
        assert answers[0].text == "a lens"


def test_answers_of_several_indexes_can_be_pickled(places: tuple[Path, Path]) -> None:
    with foxir.open_index(places) as index:
        answers = index.search("bell", min_words="1")
        again = pickle.loads(pickle.dumps(answers))
        assert [answer.text for answer in again] == [answer.text for answer in answers]


def test_several_indexes_are_verified_and_counted_as_one(places: tuple[Path, Path]) -> None:
    with foxir.open_index(",".join(map(str, places))) as index:
        index.verify()
        assert index.report().documents == 4
        assert index.reader.folder == place_of(places)


def test_the_source_of_a_document_that_was_told_apart_is_found(places: tuple[Path, Path]) -> None:
    from engine.presentation.source_documents import SourceDocuments  # noqa: PLC0415

    with open_reader(place_of(places)) as reader, SourceDocuments(reader) as sources:
        number = reader.number("bells/keeper")
        assert number is not None
        row = int(reader.elements.root(np.array([number]))[0])
        assert sources.document(number).xml(row) == BELLS["keeper"]


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        ({"stem": "english"}, "stemming"),
        ({"stop": "english"}, "stop words"),
        ({"analyser": "zettair"}, "analyser"),
        ({"profile": "jats"}, "profile"),
    ],
)
def test_indexes_in_which_words_mean_different_things_are_refused(
    options: dict[str, Any], differs: str, tmp_path: Path
) -> None:
    index_of(tmp_path / "a", LAMPS).close()
    index_of(tmp_path / "b", BELLS, **options).close()
    expected = f"several indexes as one: {differs} .*, so their scores cannot be compared: index the documents of"
    with pytest.raises(IndexFormatError, match=expected):
        foxir.open_index([tmp_path / "a" / "index", tmp_path / "b" / "index"])


def test_an_index_that_is_given_twice_is_refused(places: tuple[Path, Path]) -> None:
    with pytest.raises(IndexFormatError, match="is given 2 times: name each index once"):
        foxir.open_index([places[0], places[1], places[0]])


def test_no_index_at_all_is_refused() -> None:
    with pytest.raises(foxir.ArgumentError, match="expected one at least"):
        foxir.open_index([])


def test_a_missing_index_among_several_is_named(places: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(IndexFormatError, match=r"nothing\.foxir: not a foxir index"):
        foxir.open_index([places[0], tmp_path / "nothing.foxir"])


def test_a_folder_with_a_comma_is_one_index(tmp_path: Path) -> None:
    index_of(tmp_path / "a,b", LAMPS).close()
    with foxir.open_index(tmp_path / "a,b" / "index") as index:
        assert len(index) == 2
    assert parts_of("a, b") == ("a", "b")


def test_inferred_meanings_of_tags_stay_those_of_each_index(tmp_path: Path) -> None:
    entry = "<entry><hw>{0}</hw><s>The {0} of <b>sea</b> lamps. It <b>is</b> bright and <b>old</b>.</s></entry>"
    other = "<entry><hw>{0}</hw><b>the sea</b><b>the lamp</b><b>a long line about {0} and about the tide</b></entry>"
    for name, form in (("one", entry), ("two", other)):
        documents = {
            f"{name}{n}": f"<dict>{''.join(form.format(f'w{n}{i}') for i in range(20))}</dict>" for n in range(4)
        }
        index_of(tmp_path / name, documents, profile="auto").close()
    folders = [tmp_path / name / "index" for name in ("one", "two")]
    with open_reader(place_of(folders)) as several:
        for folder in folders:
            with open_reader(folder) as alone:
                for document in alone.ids:
                    known, joined = alone.number(document), several.number(document)
                    assert known is not None
                    assert joined is not None
                    mine, theirs = alone.profile_of(known), several.profile_of(joined)
                    assert (mine.inline, mine.titles, mine.records) == (theirs.inline, theirs.titles, theirs.records)


def test_a_cluster_refuses_several_indexes(places: tuple[Path, Path]) -> None:
    cluster_index = pytest.importorskip("foxir.cluster.cluster_index")
    with pytest.raises(ClusterError, match="a cluster searches one index"):
        cluster_index.ClusterIndex(place_of(places), address="local")
