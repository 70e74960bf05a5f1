from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import CollectionError, IndexFormatError, SettingsError
from engine.index.generation import ShardedManifest
from engine.index.reader import IndexReader, open_reader
from engine.index.sealed_file import FORMAT
from engine.indexing import build, index_folder
from engine.indexing.build import compact_index, shard_of, update_index
from engine.indexing.build_settings import BuildSettings
from engine.object_store.mirror import verify_index
from tests.engine.index.sharded import everything, pair
from tests.engine.small_index import write
from tests.reference import nexi_random, random_collections
from tests.trust.soak import effort, some

# Every approach, order and kind of answer, and expressions of every context, with every kind of counts.
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"passages": True, "max_sentences": 2},
    {"word_budget": 9},
    {"word_budget": 7, "passages": True},
    {"focus": 0.0, "overlap": "keep"},
    {"similarity": "okapi", "group_by_article": True, "max_per_article": 2},
    {"similarity": "D[BB-ABC-BAC]"},
    {"element_similarity": "text-blocks", "focus": 1.0},
    {"element_similarity": "multinomial"},
    {"element_similarity": "fragments"},
    {"element_similarity": "gpx"},
    {"element_similarity": "xfirm"},
    {"element_similarity": "result-fusion"},
    {"element_similarity": "structural-roles"},
    {"rank_by": "structure", "answers": "oCRE"},
    {"rank_by": "structure", "answers": "nCRE", "max_matches": 3},
    {"approach": "fulltext", "similarity": "dirichlet"},
    {"approach": "native", "rank_by": "structure", "answers": "matching"},
)
QUERIES = ("lamp", '"sea tide" lamp', "+sea -lamp tide", "unknown")
steps = st.lists(random_collections.collections, min_size=1, max_size=3)
few = settings(max_examples=effort(2, 100, thorough=5), suppress_health_check=[HealthCheck.too_slow])
# Ways of each example, so that all are asked over the examples of all numbers of shards.
SOME = effort(5, len(WAYS))


def assert_equal(one: IndexReader, sharded: IndexReader, query: str, way: dict[str, Any]) -> None:
    assert everything(sharded, query, way) == everything(one, query, way)


@pytest.mark.parametrize("n_shards", some([2, 1, 4, 7], 2))
@few
@given(steps, st.data())
@pytest.mark.long
def test_sharded_answers_equal_those_of_one_index(
    n_shards: int, steps: list[dict[str, str]], data: st.DataObject
) -> None:
    with pair(steps, n_shards) as (one, parts), open_reader(parts) as sharded:
        assert sharded.manifest.statistics == one.manifest.statistics
        for way in data.draw(st.permutations(WAYS))[:SOME]:
            assert_equal(one, sharded, "sea tide", way)
        for query in QUERIES:
            assert_equal(one, sharded, query, data.draw(st.sampled_from(WAYS)))
        assert_equal(one, sharded, data.draw(random_collections.queries), data.draw(random_collections.settings()))


@few
@given(st.lists(nexi_random.collections, min_size=1, max_size=2), st.sampled_from([2, 4]), st.data())
@pytest.mark.long
def test_sharded_path_queries_equal_those_of_one_index(
    steps: list[dict[str, str]], n_shards: int, data: st.DataObject
) -> None:
    with pair(steps, n_shards) as (one, parts), open_reader(parts) as sharded:
        for query, way in data.draw(nexi_random.asked())[:SOME]:
            assert_equal(one, sharded, str(query), way)


DOCUMENTS = {f"d{number}": f"<a><p>sea {number} tide</p><p>lamp of {number}</p></a>" for number in range(12)}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    write(tmp_path / "source", DOCUMENTS)
    return tmp_path / "source"


@pytest.fixture
def index(source: Path, tmp_path: Path) -> Path:
    update_index(tmp_path / "x.foxir", [str(source)], BuildSettings(), n_shards=3)
    return tmp_path / "x.foxir"


def documents_of(index: Path) -> dict[str, str]:
    with open_reader(index) as reader:
        verify_index(reader)
        return {reader.ids[number]: reader.text(number) for number in reader.live_documents.tolist()}


def test_every_document_is_in_the_shard_of_its_id(index: Path) -> None:
    for number in range(3):
        found = documents_of(index / f"shard-{number:04d}")
        assert found
        assert {shard_of(document, 3) for document in found} == {number}
    assert shard_of("d0", 7) == 3  # sha256sum begins with 0ad52e338662c923; modulo 7 by bc


@pytest.mark.long
def test_an_update_changes_only_shards_with_changes_and_the_report_counts_all(index: Path, source: Path) -> None:
    before = ShardedManifest.read(index)
    write(source, {"d3": "<a>fog</a>"})
    report = update_index(index, [], BuildSettings())
    after = ShardedManifest.read(index)

    assert (report.documents, report.read, report.dropped) == (12, 1, 1)
    assert after.generation == before.generation + 1
    changed = [n for n in range(3) if after.shards[n] != before.shards[n]]
    assert changed == [shard_of("d3", 3)]
    assert documents_of(index)["d3"] == "fog"
    assert update_index(index, [], BuildSettings()).read == 0
    assert ShardedManifest.read(index) == after


@pytest.mark.long
def test_compaction_leaves_one_segment_a_shard_and_the_same_answers(index: Path, source: Path) -> None:
    (source / "d1.xml").unlink()
    write(source, {"d2": "<a>sea fog</a>"})
    update_index(index, [], BuildSettings())
    with open_reader(index) as reader:
        before = everything(reader, "sea fog", {})
    compact_index(index)
    with open_reader(index) as reader:
        assert everything(reader, "sea fog", {}) == before
        assert len(reader.segments) == 3
        assert reader.live is None


@pytest.mark.long
def test_a_failed_update_changes_no_shard(index: Path, source: Path) -> None:
    before, files = documents_of(index), sorted(path for path in index.rglob("*") if path.is_file())
    for number in range(12):
        write(source, {f"d{number}": f"<a>new {number}</a>"})
    write(source, {"bad": "<a>"})

    with pytest.raises(CollectionError, match="bad"):
        update_index(index, [], BuildSettings(stop_on_error=True))

    assert documents_of(index) == before
    assert sorted(path for path in index.rglob("*") if path.is_file()) == files
    for number in range(3):
        documents_of(index / f"shard-{number:04d}")


class Killed(BaseException):
    pass


@pytest.mark.parametrize("n_published", [1, 2])
@pytest.mark.long
def test_shards_of_a_killed_writer_are_set_back(
    index: Path, source: Path, monkeypatch: pytest.MonkeyPatch, n_published: int
) -> None:
    before = documents_of(index)
    real, calls = build.commit, []

    def until(*arguments: Any) -> Any:
        if len(calls) == n_published:
            raise Killed
        calls.append(1)
        return real(*arguments)

    write(source, {f"d{number}": f"<a>new {number}</a>" for number in range(12)})
    with monkeypatch.context() as patched:
        patched.setattr(build, "commit", until)
        patched.setattr(index_folder, "set_back", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(Killed):
            update_index(index, [], BuildSettings())
    assert documents_of(index) == before

    write(source, DOCUMENTS)
    update_index(index, [], BuildSettings())
    assert documents_of(index) == before
    named = {entry.name for shard in ShardedManifest.read(index).shards for entry in shard.segments}
    assert {path.name for path in index.glob("shard-*/segments/*")} == named


@pytest.mark.long
def test_a_first_build_that_was_killed_is_begun_again(source: Path, tmp_path: Path, index: Path) -> None:
    whole = documents_of(index)
    for name in ("shards.json", "ingest.json"):
        (index / name).unlink()

    update_index(index, [str(source)], BuildSettings(), n_shards=2)

    assert documents_of(index) == whole
    assert len(list(index.glob("shard-*"))) == 2


def test_shards_whose_description_was_lost_are_left(index: Path, source: Path) -> None:
    before = sorted(index.rglob("*"))
    description = (index / "shards.json").read_bytes()
    (index / "shards.json").unlink()
    for n_shards in (None, 3):
        with pytest.raises(CollectionError, match=r"its shards\.json is missing: restore that file from a copy"):
            update_index(index, [str(source)], BuildSettings(), n_shards=n_shards)
    (index / "shards.json").write_bytes(description)
    assert sorted(index.rglob("*")) == before
    assert len(documents_of(index)) == 12


def test_wrong_numbers_of_shards_and_single_shards_are_refused(index: Path, source: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="has 3 shards, not 4"):
        update_index(index, [], BuildSettings(), n_shards=4)
    with pytest.raises(CollectionError, match="a shard of"):
        update_index(index / "shard-0000", [str(source)])
    update_index(tmp_path / "one", [str(source)], BuildSettings())
    with pytest.raises(SettingsError, match="without shards"):
        update_index(tmp_path / "one", [], BuildSettings(), n_shards=2)
    with pytest.raises(CollectionError, match="contains other files"):
        update_index(source, [str(source)], BuildSettings(), n_shards=2)


def test_a_damaged_description_is_refused(index: Path) -> None:
    path = index / "shards.json"
    content = json.loads(path.read_bytes())
    content["shards"][1]["segments"] = []
    path.write_text(json.dumps(content))
    with pytest.raises(IndexFormatError, match="does not match its checksum"):
        open_reader(index)


def test_shards_of_another_format_are_refused_with_both_versions(index: Path) -> None:
    path = index / "shards.json"
    content = json.loads(path.read_bytes())
    assert content["format"] == FORMAT
    path.write_text(json.dumps({**content, "format": FORMAT - 1}))
    for use in (open_reader, lambda place: update_index(place, [], BuildSettings())):
        with pytest.raises(IndexFormatError, match=f"index format {FORMAT - 1}, this foxir reads format {FORMAT}"):
            use(index)


def test_a_missing_shard_is_an_error(index: Path) -> None:
    shutil.rmtree(index / "shard-0001")
    with pytest.raises(IndexFormatError, match="shard-0001"):
        open_reader(index)
