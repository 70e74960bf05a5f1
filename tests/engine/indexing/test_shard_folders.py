"""The folders of a sharded index: none of somebody else is changed, none is reached through a link."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import CollectionError, FoxirError, IndexFormatError
from engine.index.generation import ShardedManifest
from engine.index.reader import IndexReader, open_reader
from engine.indexing import build, index_folder
from engine.indexing.build import compact_index, update_index
from engine.indexing.build_settings import BuildSettings
from tests.engine.small_index import write

DOCUMENTS = {f"d{number}": f"<a><p>lamp {number}</p></a>" for number in range(6)}
WRITERS: dict[str, Callable[[Path], object]] = {
    "update": lambda index: update_index(index, [], BuildSettings()),
    "compact": compact_index,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards")
    (folder / "source").mkdir()
    write(folder / "source", DOCUMENTS)
    update_index(folder / "x.foxir", [str(folder / "source")], BuildSettings(), n_shards=3)
    return folder


@pytest.fixture
def source(built: Path) -> Path:
    return built / "source"


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built / "x.foxir", tmp_path / "x.foxir")


def files_in(folder: Path) -> dict[Path, bytes]:
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


@pytest.mark.parametrize("name", [".git/config", ".secret", "segments/data.txt", "segments/.data", "manifest.json"])
def test_a_folder_of_somebody_that_is_named_as_a_shard_is_left(source: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "u/shard-0007" / name
    file.parent.mkdir(parents=True)
    file.write_text("precious")
    with pytest.raises(CollectionError, match=r"u: contains .*shard-0007"):
        update_index(tmp_path / "u", [str(source)], BuildSettings(), n_shards=2)
    assert files_in(tmp_path / "u") == {file.relative_to(tmp_path / "u"): b"precious"}


def test_links_named_as_shards_are_refused_in_a_first_build(source: Path, index: Path, tmp_path: Path) -> None:
    before = files_in(index)
    (tmp_path / "u").mkdir()
    (tmp_path / "u/shard-0000").symlink_to(index / "shard-0000")
    with pytest.raises(CollectionError, match="shard-0000"):
        update_index(tmp_path / "u", [str(source)], BuildSettings(), n_shards=2)
    assert files_in(index) == before


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("target", ["another index", "the same shard of a copy"])
def test_no_link_to_a_shard_is_followed(built: Path, index: Path, tmp_path: Path, target: str, writer: str) -> None:
    victim = tmp_path / "victim.foxir"
    if target == "another index":
        update_index(victim, [str(built / "source")])
    else:
        shutil.copytree(index / "shard-0001", victim)
    before = files_in(victim)
    shutil.rmtree(index / "shard-0001")
    (index / "shard-0001").symlink_to(victim)

    with pytest.raises(IndexFormatError, match="shard-0001: a link"):
        open_reader(index)
    chosen = ShardedManifest.read(index).combined((1,))
    assert chosen.segments
    with pytest.raises(IndexFormatError, match="shard-0001: a link"):
        IndexReader(index, chosen)
    with pytest.raises(IndexFormatError, match="shard-0001: a link"):
        WRITERS[writer](index)
    assert files_in(victim) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_shards_that_were_exchanged_are_refused_and_left(index: Path, tmp_path: Path, writer: str) -> None:
    (index / "shard-0000").rename(tmp_path / "moved")
    (index / "shard-0001").rename(index / "shard-0000")
    (tmp_path / "moved").rename(index / "shard-0001")
    before = files_in(index)
    with pytest.raises(IndexFormatError, match="shard-0000"):
        WRITERS[writer](index)
    assert files_in(index) == before


@pytest.mark.parametrize("use", [*WRITERS.values(), open_reader])
def test_a_missing_shard_is_named_by_readers_and_writers(index: Path, use: Callable[[Path], object]) -> None:
    shutil.rmtree(index / "shard-0001")
    with pytest.raises(IndexFormatError, match="shard-0001: this shard is missing"):
        use(index)


def test_without_its_description_nothing_of_an_index_is_changed(index: Path, source: Path) -> None:
    write(source, {"more": "<a>lamp</a>"})
    update_index(index, [], BuildSettings())
    (index / "shards.json").unlink()
    before = files_in(index)

    def refused(action: Callable[[], object]) -> None:
        with pytest.raises(FoxirError, match=r"shards\.json is missing"):
            action()

    refused(lambda: open_reader(index))
    refused(lambda: update_index(index, [], BuildSettings()))
    refused(lambda: update_index(index, [str(source)], BuildSettings(), n_shards=2))
    refused(lambda: update_index(index / "shard-0000", []))
    refused(lambda: compact_index(index / "shard-0000"))
    assert files_in(index) == before


@pytest.mark.parametrize("n_manifests", range(4))
def test_a_first_build_that_was_killed_is_begun_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_manifests: int
) -> None:
    class Killed(BaseException):
        pass

    real, calls = build.commit, []

    def until(*arguments: object) -> object:
        if len(calls) == n_manifests:
            raise Killed
        calls.append(1)
        return real(*arguments)  # type: ignore[arg-type]

    def killed(*_arguments: object) -> None:
        raise Killed

    index = tmp_path / "new.foxir"
    with monkeypatch.context() as patched:
        patched.setattr(build, "commit", until)
        patched.setattr(build, "publish_shards", killed)
        patched.setattr(index_folder, "set_back", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(Killed):
            update_index(index, [str(source)], BuildSettings(), n_shards=3)
    assert list(index.glob("shard-*"))
    update_index(index, [str(source)], BuildSettings(), n_shards=2)
    with open_reader(index) as reader:
        assert sorted(reader.ids) == sorted(path.stem for path in source.iterdir())
    assert len(list(index.glob("shard-*"))) == 2
