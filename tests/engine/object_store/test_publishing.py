"""What object storage promises: readers find a whole generation, whatever happens to a writer."""

from __future__ import annotations

import multiprocessing
import signal
import socket
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import foxir
from engine.errors import ArgumentError, IndexFormatError, IndexLockedError, SettingsError, StorageError
from engine.index.reader import open_reader
from engine.object_store import mirror, publishing
from engine.object_store.mirror import open_mirror, verify_index
from engine.object_store.publishing import compact_remote
from engine.object_store.remote_index import RemoteIndex
from engine.object_store.url import checked_url, is_url
from foxir.terminal.commands import foxir as foxir_command
from tests.engine.index.sharded import everything
from tests.engine.object_store.conftest import DOCUMENTS
from tests.engine.object_store.killed_publisher import MOMENTS, killed_at, update
from tests.engine.small_index import write
from tests.trust.soak import some

obstore = pytest.importorskip("obstore")


def documents_of(url: str) -> dict[str, str]:
    with open_reader(open_mirror(url)) as reader:
        verify_index(reader)
        return {reader.ids[number]: reader.text(number) for number in reader.live_documents.tolist()}


def texts(documents: dict[str, str]) -> dict[str, str]:
    return {
        name: markup.replace("</p><p>", "").replace("<a><p>", "").replace("</p></a>", "")
        for name, markup in documents.items()
    }


@pytest.mark.long
def test_an_index_in_s3_answers_as_a_folder_and_follows_updates(s3_url: str, source: Path, tmp_path: Path) -> None:
    update(s3_url, source, n_shards=2)
    foxir.build_index(source, into=tmp_path / "local.foxir")
    with foxir.open_index(s3_url) as index, open_reader(tmp_path / "local.foxir") as local:
        assert everything(index.reader, "sea tide", {}) == everything(local, "sea tide", {})
        assert index.is_current
        write(source, {"d3": "<a>fog</a>"})
        assert update(s3_url).read == 1
        assert not index.is_current
        assert len(index.search("fog")) == 0
        assert index.refresh()
        assert [answer.document for answer in index.search("fog")] == ["d3"]
    compact_remote(s3_url)
    assert documents_of(s3_url) == {**texts(DOCUMENTS), "d3": "fog"}


@pytest.mark.long
def test_the_commands_take_urls(url: str, source: Path) -> None:
    printed = ""
    for command in (
        ["index", str(source), "--into", url, "--shards", "3"],
        ["index", url],
        ["compact", url],
        ["info", url, "--verify"],
        ["search", url, "sea tide"],
    ):
        result = CliRunner().invoke(foxir_command, command, catch_exceptions=False)
        assert result.exit_code == 0, command
        printed += result.stdout
    assert "3 shards" in printed
    assert "d0" in printed


@pytest.mark.long
def test_segments_are_stored_once_and_a_writer_without_its_copies_goes_on(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(url, source)
    stored = sorted((tmp_path / "store/x.foxir/segments").iterdir())
    monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
    assert update(url).read == 0
    assert RemoteIndex(url).newest() == 1
    write(source, {"new": "<a>fog</a>"})
    assert update(url).read == 1
    assert len(list((tmp_path / "store/x.foxir/segments").iterdir())) == len(stored) + 1
    assert documents_of(url) == {**texts(DOCUMENTS), "new": "fog"}


@pytest.mark.long
def test_of_two_writers_one_publishes_and_the_other_is_refused(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(url, source)
    write(source, {"late": "<a>late</a>"})
    (tmp_path / "second").mkdir()
    write(tmp_path / "second", {"first": "<a>first</a>"})
    real = publishing.store_segments

    def overtaken(*arguments: Any) -> None:
        real(*arguments)
        monkeypatch.setattr(publishing, "store_segments", real)
        with monkeypatch.context() as elsewhere:  # a writer on another machine, between uploads and manifest
            elsewhere.setenv("FOXIR_CACHE", str(tmp_path / "another machine"))
            update(url, tmp_path / "second")

    monkeypatch.setattr(publishing, "store_segments", overtaken)
    with pytest.raises(IndexLockedError, match="another writer published generation 2"):
        update(url)
    assert documents_of(url) == {**texts(DOCUMENTS), "first": "first"}
    update(url)
    assert documents_of(url) == {**texts(DOCUMENTS), "first": "first", "late": "late"}


def test_a_manifest_whose_answer_was_lost_counts_as_published(url: str, source: Path) -> None:
    update(url, source)
    remote = RemoteIndex(url)
    remote.publish(1, remote.manifest(1), None)


@pytest.mark.parametrize("moment", some(MOMENTS, 3))
@pytest.mark.long
def test_a_writer_killed_at_any_moment_leaves_a_whole_generation(url: str, source: Path, moment: str) -> None:
    update(url, source)
    write(source, {"d3": "<a>fog</a>", "new": "<a>night</a>"})

    process = multiprocessing.get_context("spawn").Process(target=killed_at, args=(moment, url))
    process.start()
    process.join()

    assert process.exitcode == -signal.SIGKILL
    after = {**texts(DOCUMENTS), "d3": "fog", "new": "night"}
    is_published = moment in ("before the report", "at the end")
    assert documents_of(url) == (after if is_published else texts(DOCUMENTS))
    update(url)
    assert documents_of(url) == after


@pytest.mark.long
def test_a_stale_list_of_manifests_gives_an_older_whole_generation(
    url: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(url, source)
    write(source, {"d3": "<a>fog</a>"})
    update(url)
    with monkeypatch.context() as stale:
        stale.setattr(RemoteIndex, "newest", lambda _self: 1)
        assert documents_of(url) == texts(DOCUMENTS)
        write(source, {"d3": "<a>night</a>"})
        with pytest.raises(IndexLockedError, match="generation 2"):
            update(url)
    assert documents_of(url)["d3"] == "fog"


@pytest.mark.parametrize("name", ["segment.json", "elements/leaf.npy", "articles/ids.bin"])
@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
@pytest.mark.long
def test_a_damaged_object_is_noticed_and_leaves_no_copy(
    url: str, source: Path, tmp_path: Path, name: str, damage: str
) -> None:
    update(url, source)
    (segment,) = (tmp_path / "store/x.foxir/segments").iterdir()
    whole = (segment / name).read_bytes()
    if damage == "missing":
        (segment / name).unlink()
    else:
        (segment / name).write_bytes(whole[:-1] if damage == "cut" else whole[:-1] + bytes([whole[-1] ^ 1]))

    with pytest.raises(IndexFormatError, match=f"{name}: missing, or not as it was stored"):
        open_mirror(url)
    assert not list((tmp_path / "cache").glob("*/read/x.foxir/segments/*"))

    (segment / name).write_bytes(whole)
    assert documents_of(url) == texts(DOCUMENTS)


def test_a_damaged_manifest_is_refused(url: str, source: Path, tmp_path: Path) -> None:
    update(url, source)
    path = tmp_path / "store/x.foxir/manifests/000000000001.json"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(IndexFormatError, match="not a manifest"):
        open_mirror(url)


@pytest.mark.parametrize("is_slow", [False, True])
@pytest.mark.long
def test_a_store_that_fails_or_never_answers_ends_in_one_error(
    s3_url: str, source: Path, monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    update(s3_url, source)
    monkeypatch.setattr("engine.object_store.remote_index.RETRIES_S", 0)
    monkeypatch.setattr("engine.object_store.remote_index.REQUEST_S", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if is_slow:
            silent.listen()  # takes the connection, and says nothing
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(StorageError, match="the object storage failed"):
            open_mirror(s3_url)


class Failing(BaseHTTPRequestHandler):
    """A store that is overloaded for its first requests, then empty."""

    left = 30

    def do_GET(self) -> None:
        is_overloaded = type(self).left > 0
        type(self).left -= 1
        answer = (
            b"<Error><Code>SlowDown</Code><Message>Slow down</Message></Error>"
            if is_overloaded
            else b"<ListBucketResult/>"
        )
        self.send_response(503 if is_overloaded else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.long
def test_a_store_that_fails_is_asked_again_until_it_answers(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.object_store.remote_index.FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr("engine.object_store.remote_index.LONGEST_PAUSE_S", 0.002)
    monkeypatch.setattr(Failing, "left", 30)
    with ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        threading.Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        assert RemoteIndex(s3_url).newest() == 0
        assert Failing.left == -2  # the list, and a look whether it is one
        monkeypatch.setattr(Failing, "left", 30)
        monkeypatch.setattr("engine.object_store.remote_index.RETRIES_S", 0)
        with pytest.raises(StorageError, match=r"503 [^<]*: SlowDown: Slow down\. Check address"):
            RemoteIndex(s3_url).newest()
        server.shutdown()


@pytest.mark.parametrize(
    ("url", "environment", "what_to_do"),
    [
        ("s3://none/x.foxir", {}, r"NoSuchBucket: [^<]*\. There is no such bucket: make it first"),
        ("s3://none/x.foxir", {"AWS_ALLOW_HTTP": "false"}, r"set AWS_ALLOW_HTTP=true"),
    ],
)
def test_an_error_of_the_storage_says_what_to_do(
    s3_url: str, monkeypatch: pytest.MonkeyPatch, url: str, environment: dict[str, str], what_to_do: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StorageError, match=what_to_do):
        open_mirror(url)


def test_wrong_places_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(IndexFormatError, match="not a foxir index"):
        open_mirror(url)
    with pytest.raises(ArgumentError, match="not a place in object storage"):
        open_mirror("s3://")


@pytest.mark.long
def test_what_is_wrong_with_an_index_names_its_url(url: str, source: Path) -> None:
    update(url, source, n_shards=3)
    with pytest.raises(SettingsError, match=f"^{url}: has 3 shards, not 2: omit shards="):
        update(url, source, n_shards=2)
    result = CliRunner().invoke(foxir_command, ["info", url])
    assert result.stdout.startswith(f"{url}, generation 1\n")


@pytest.mark.parametrize("url", ["file:///proc/none/x.foxir", "s3://bucket/x.foxir"])
def test_a_place_that_cannot_be_opened_is_one_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    with pytest.raises(ArgumentError, match=f"^{url}: cannot be opened: .*(Correct the folder|Set AWS_SECRET)"):
        RemoteIndex(url)


@pytest.mark.long
def test_copies_that_were_not_used_for_longest_make_room(
    url: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "RECENT_S", 0.0)
    others = [f"{url}{number}" for number in range(3)]
    for other in others:
        update(other, source)
    copies = [open_mirror(other) for other in others]
    size = sum(path.stat().st_size for path in copies[0].rglob("segments/**/*") if path.is_file())
    monkeypatch.setenv("FOXIR_CACHE_SIZE", str(2 * size + size // 2))
    update(url, source)
    open_mirror(url)
    kept = [path.parent for path in (tmp_path / "cache").glob("*/read/**/segment.json")]
    assert len(list((tmp_path / "cache").glob("*/write/**/segment.json"))) == 4  # writers may not have published theirs
    assert any(url in path for path in [mirror.origin_of(each.parents[1]) or "" for each in kept])
    assert len(kept) == 2
    monkeypatch.setenv("FOXIR_CACHE_SIZE", "1K")
    with pytest.raises(StorageError, match="more than FOXIR_CACHE_SIZE allows"):
        open_mirror(url)
    monkeypatch.setenv("FOXIR_CACHE_SIZE", "much")
    with pytest.raises(ArgumentError, match="FOXIR_CACHE_SIZE"):
        open_mirror(url)


@pytest.mark.long
@pytest.mark.parametrize("n_listed", [0, 1])
def test_a_list_that_lags_behind_loses_nothing(
    n_listed: int, url: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers open an older generation, or none; a writer that builds on it is refused until the list is complete."""
    update(url, source)
    write(source, {"d0": "<a>fog</a>"})
    update(url)

    def stale(store: Any, prefix: str, *, listed: Any = obstore.list) -> list[list[Any]]:
        entries = sorted(
            (each for batch in listed(store, prefix=prefix) for each in batch), key=lambda each: each["path"]
        )
        return [entries[:n_listed]]

    write(source, {"d0": "<a>buoy</a>"})
    with monkeypatch.context() as patch:
        patch.setattr(obstore, "list", stale)
        with pytest.raises(IndexLockedError, match="run it again"):
            update(url, source)
        if n_listed:
            assert documents_of(url) == texts(DOCUMENTS)
        else:
            with pytest.raises(IndexFormatError, match="there is no manifest"):
                documents_of(url)
    assert documents_of(url) == {**texts(DOCUMENTS), "d0": "fog"}
    assert update(url).read == 1
    assert documents_of(url) == {**texts(DOCUMENTS), "d0": "buoy"}


@pytest.mark.parametrize("url", ["s3://bucket/x.foxir", "FILE:///x.foxir", "Gs://bucket/a b/x.foxir", "az://box/x"])
def test_urls_are_known_by_their_scheme_in_any_case(url: str) -> None:
    assert is_url(url)
    scheme, _, place = url.partition(":")
    assert checked_url(f"{url}/") == f"{scheme.lower()}:{place}"


@pytest.mark.parametrize("place", ["x.foxir", "/s3://bucket", "s3:/bucket/x", None, b"s3://b"])
def test_other_places_are_no_urls(place: object) -> None:
    assert not is_url(place)


@pytest.mark.parametrize("url", ["http://host/x", "https://bucket.s3.amazonaws.com/x", "s3a://bucket/x", "ftp://h/x"])
def test_urls_of_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match=r"URLs begin with s3://, gs://, az:// or file:///"):
        is_url(url)


@pytest.mark.parametrize(
    "url",
    [
        *("file://", "file:///", "file:////", "FILE:///", "s3://", "s3:///x"),
        *("file://host/x", "file://x.foxir"),
        *("s3://bucket/x\n.foxir", "s3://bucket/x.foxir\n", "file:///a\tb", " file:///a", "s3://b/x ", "s3://b/\x00"),
        *("s3://bucket/x?v=1", "file:///x#f", "file:///a\\b"),
        *("file:///a/../b", "file:///a//b", "file:///./b", "s3://b/%2e%2E/x"),
    ],
)
def test_urls_that_would_be_read_as_another_place_are_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match=r"not a place in object storage: .*: expected"):
        checked_url(url)
