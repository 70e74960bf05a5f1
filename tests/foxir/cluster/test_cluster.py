"""Searchers on a Ray cluster. FOXIR_CLUSTER=1 (make test-cluster) starts four nodes, kills them, and asks much more."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.errors import ClusterError, QueryError, SettingsError
from engine.index.build_settings import BuildSettings
from engine.index.updating import update
from foxir.cluster.placement import better_node, nodes_of
from tests.engine.index.sharded import grown
from tests.engine.index.test_shards import WAYS
from tests.engine.small_index import write
from tests.foxir.cluster.conftest import DOCUMENTS
from tests.shared_data import TRIALS, shared

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("FOXIR_CLUSTER"))
QUERIES = ("sea tide", '"light and rock" fog', "+sea -lamp rock", "//sec[about(., fog)]//p", "unknown")
SOME_WAYS = WAYS if LONG else WAYS[:3]


@pytest.fixture(params=["connections", "calls of Ray"])
def asked_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How searchers are asked: by calls of Ray where no connection can be made."""
    if request.param == "calls of Ray":
        from foxir.cluster.connection import Caller  # noqa: PLC0415  (needs msgpack)

        def fails(_self: Any) -> None:
            raise TimeoutError("a firewall")

        monkeypatch.setattr(Caller, "wait_until_authenticated", fails)
    return str(request.param)


@pytest.fixture
def cluster_index(nodes: Any) -> Any:
    from foxir.cluster.cluster_index import ClusterIndex  # noqa: PLC0415

    opened: list[Any] = []

    def make(folder: Path, **options: Any) -> Any:
        opened.append(ClusterIndex(folder, address=nodes.address, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def assert_equal(cluster: foxir.Index, index: foxir.Index, query: str, **way: Any) -> None:
    found, expected = (asked(each, query, way) for each in (cluster, index))
    assert found == expected


def wait_until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def asked(index: foxir.Index, query: str, way: dict[str, Any]) -> Any:
    try:
        answers = index.search(query, **way)
    except (QueryError, SettingsError) as error:
        return str(error)
    places = list(zip(answers.documents, answers.paths, answers.scores.tolist(), answers.spans.tolist(), strict=True))
    shown = [(answer.rsv, answer.article_rank, answer.article_score, answer.snippet.text) for answer in answers[:5]]
    return places, shown, answers.notices, answers.interpretation


@pytest.mark.usefixtures("asked_by")
@pytest.mark.parametrize(("n_shards", "n_replicas"), [(2, 1)] if not LONG else [(1, 2), (2, 1), (4, 2), (7, 1)])
def test_answers_of_a_cluster_equal_those_of_one_index(
    cluster_index: Any, one: Path, tmp_path: Path, n_shards: int, n_replicas: int
) -> None:
    with grown(tmp_path, [DOCUMENTS], n_shards) as parts, foxir.open_index(one) as index:
        cluster = cluster_index(parts, n_replicas=n_replicas)
        for query in QUERIES:
            for way in SOME_WAYS:
                assert_equal(cluster, index, query, **way)
        assert cluster.search("sea").shards == (n_shards, n_shards)


def test_queries_with_images_are_answered_by_a_cluster(cluster_index: Any, tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    from tests.engine.index.image_files import article, drawn, write_files  # noqa: PLC0415  (needs Pillow)

    pictures = {f"{number}.png": drawn(number) for number in range(3)}
    texts = {f"d{n}.xml": article(f"{n % 3}.png", words=("lamp", "tide lamp")[n % 2]) for n in range(8)}
    source = write_files(tmp_path / "source", {**pictures, **texts})
    for n_shards in (None, 2):
        update(tmp_path / f"{n_shards}.foxir", [str(source)], BuildSettings(), n_shards=n_shards)
    cluster = cluster_index(tmp_path / "2.foxir")
    with foxir.open_index(tmp_path / "None.foxir") as index:
        for query, way in (
            ("lamp src:2.png", {}),
            ("tide", {"image": source / "1.png"}),
            ("", {"image": source / "0.png"}),
        ):
            assert_equal(cluster, index, query, **way)
            found, expected = (
                [(answer.image, answer.image_score) for answer in each.search(query, **way)]
                for each in (cluster, index)
            )
            assert found == expected
            assert found[0][1] is not None


def test_an_index_without_shards_is_served_too(cluster_index: Any, one: Path) -> None:
    with foxir.open_index(one) as index:
        assert_equal(cluster_index(one), index, "sea tide")


@pytest.mark.usefixtures("asked_by")
def test_a_new_generation_is_taken_up_while_queries_run(cluster_index: Any, tmp_path: Path) -> None:
    with grown(tmp_path, [DOCUMENTS], 2) as parts:
        cluster = cluster_index(parts)
        source, is_over, found, errors = tmp_path / "source of 2", threading.Event(), [], []

        def ask() -> None:
            while not is_over.is_set():
                try:
                    answers = cluster.search("generation")
                    found.append((answers.generation.number, len(answers)))
                except Exception as error:  # it must reach the assertion
                    errors.append(error)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for generation in (2, 3):
            write(source, {f"new{generation}{n}": f"<article><p>generation {n}</p></article>" for n in range(4)})
            update(parts, [], BuildSettings())
            assert cluster.refresh()
            wait_until(lambda wanted=generation: errors or any(number == wanted for number, _ in found[-9:]))
        is_over.set()
        for thread in threads:
            thread.join()
        assert not errors
        assert set(found) == {(1, 0), (2, 4), (3, 8)}
        assert not cluster.refresh()


def test_an_index_built_anew_is_taken_up_although_its_generation_has_the_same_number(
    cluster_index: Any, tmp_path: Path
) -> None:
    changed = {**DOCUMENTS, "d07": DOCUMENTS["d07"].replace("tide", "mist")}
    (tmp_path / "new").mkdir()
    with grown(tmp_path, [DOCUMENTS], 2) as parts, grown(tmp_path / "new", [changed], 2) as anew:
        cluster = cluster_index(parts)
        assert len(cluster.search("mist")) == 0
        parts.rename(tmp_path / "old")
        anew.rename(parts)
        assert cluster.refresh()
        with foxir.open_index(parts) as index:
            for query in ("mist", "sea tide"):
                assert_equal(cluster, index, query)
        update(tmp_path / "three.foxir", [str(tmp_path / "new" / "source of 2")], BuildSettings(), n_shards=3)
        parts.rename(tmp_path / "older")
        (tmp_path / "three.foxir").rename(parts)
        with pytest.raises(ClusterError, match="3 shards instead of 2"):
            cluster.refresh()
        assert len(cluster.search("mist")) > 0


@pytest.mark.usefixtures("asked_by")
def test_a_searcher_that_dies_is_replaced_by_its_copy(cluster_index: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        assert_equal(cluster, index, "sea tide")
        for replicas in cluster.cluster.replicas:
            ray.kill(replicas.actors[0], no_restart=False)  # it is started again, without an open generation
            assert_equal(cluster, index, "fog rock")
        for _ in range(20 if not LONG else 200):
            assert_equal(cluster, index, "sea rock")


@pytest.mark.usefixtures("asked_by")
def test_a_lost_shard_is_an_error_or_left_out_if_asked_for(cluster_index: Any, parts: Path) -> None:
    strict, partial = cluster_index(parts), cluster_index(parts, partial=True)
    everything = {answer.document for answer in partial.search("sea")}
    for cluster in (strict, partial):
        ray.kill(cluster.cluster.replicas[1].actors[0])
    with pytest.raises(ClusterError, match=r"shard 1: its searcher does not answer.*--partial"):
        strict.search("sea")
    answers = partial.search("sea")
    assert answers.shards == (1, 2)
    assert 0 < len({answer.document for answer in answers}) < len(everything)


def test_what_some_shards_count_is_forgotten_when_the_others_are_back(
    cluster_index: Any, one: Path, parts: Path
) -> None:
    partial = cluster_index(parts, partial=True)
    searchers, replicas = partial.cluster, partial.cluster.replicas[1]
    ray.kill(replicas.actors[0])
    with foxir.open_index(one) as index:
        assert partial.search("sea tide").scores[0] != index.search("sea tide").scores[0]
        replicas.replace(0, searchers._start(1, replicas.nodes[0], "127.0.0.1"))
        assert_equal(partial, index, "sea tide")


def test_totals_that_are_known_no_more_are_learned_again(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foxir.cluster.serving.MOST_TOTALS", 3)
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        for query in (*QUERIES, "sea tide rock", "fog lamp tide"):
            for _ in range(2):
                assert_equal(cluster, index, query)


def test_a_folder_that_a_node_cannot_see_is_named_without_a_traceback(nodes: Any, parts: Path, tmp_path: Path) -> None:
    from foxir.cluster.cluster import Cluster  # noqa: PLC0415  (needs Ray)
    from foxir.cluster.shard_generation import shard_generations  # noqa: PLC0415

    searchers = Cluster(str(tmp_path / "elsewhere.foxir"), 2, address=nodes.address)
    try:
        with foxir.open_index(parts) as index, pytest.raises(ClusterError) as error:
            searchers.open(shard_generations(index.reader))
    finally:
        searchers.close()
    assert "shard 0 cannot be opened on node" in str(error.value)
    assert "elsewhere.foxir" in str(error.value)
    assert "Traceback" not in str(error.value)


@pytest.mark.usefixtures("asked_by")
def test_a_slow_searcher_is_not_waited_for(cluster_index: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        for _ in range(40):
            cluster.search("sea tide")
        process = ray.get(cluster.cluster.replicas[0].actors[0].process.remote())
        os.kill(process, signal.SIGSTOP)
        try:
            began = time.monotonic()
            for _ in range(4):
                assert_equal(cluster, index, "sea tide")
            assert time.monotonic() - began < 10.0  # of the stopped one there would be no answer at all
        finally:
            os.kill(process, signal.SIGCONT)


def sockets() -> int:
    files = Path("/proc/self/fd")
    return sum(os.path.islink(file) and os.readlink(file).startswith("socket:") for file in files.iterdir())


def sessions_by_ray(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each session is added that is begun by a call of Ray."""
    from foxir.cluster.search_session import RaySession  # noqa: PLC0415  (needs Ray)

    begun: list[Any] = []
    begin = RaySession.begin
    monkeypatch.setattr(RaySession, "begin", lambda self, *given: begun.append(self) or begin(self, *given))
    return begun


def test_connections_are_used_where_they_can_be_made_and_one_notice_says_where_not(
    cluster_index: Any,
    asked_by: str,
    one: Path,
    parts: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from foxir.cluster import searcher_copy  # noqa: PLC0415  (needs Ray)

    searcher_copy._notice.cache_clear()
    by_ray = sessions_by_ray(monkeypatch)
    cluster = cluster_index(parts)
    with foxir.open_index(one) as index:
        for _ in range(3):
            assert_equal(cluster, index, "sea tide")
        notices = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        if asked_by == "connections":
            assert (by_ray, notices) == ([], [])
            return
        assert len(by_ray) == 3 * 2
        assert len(notices) == 1
        assert "they are asked by Ray's calls" in notices[0]
        monkeypatch.undo()  # the firewall is open
        monkeypatch.setattr(searcher_copy, "AGAIN_S", 0.0)
        wait_until(lambda: all(copy._idle for replicas in cluster.cluster.replicas for copy in replicas.copies))
        by_ray = sessions_by_ray(monkeypatch)
        assert_equal(cluster, index, "sea tide")
        assert not by_ray


@pytest.mark.usefixtures("asked_by")
def test_queries_of_several_threads_share_connections_that_end_with_the_cluster(
    cluster_index: Any, one: Path, parts: Path
) -> None:
    n_threads, before = 5, sockets()
    cluster = cluster_index(parts)
    with foxir.open_index(one) as index:
        expected = {query: asked(index, query, {}) for query in QUERIES}
    errors: list[Any] = []

    def ask() -> None:
        try:
            errors.extend(query for query in QUERIES * 3 if asked(cluster, query, {}) != expected[query])
        except Exception as error:  # it must reach the assertion
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    copies = [copy for replicas in cluster.cluster.replicas for copy in replicas.copies]
    assert all(len(copy._idle) == copy._n_connected <= n_threads for copy in copies)
    n_connected = sum(copy._n_connected for copy in copies)
    assert sockets() >= n_connected
    cluster.close()
    assert all(copy._n_connected == len(copy._idle) == 0 for copy in copies)
    wait_until(lambda: sockets() <= before + 2)  # Ray may have one of its own to each of two processes


def test_a_searcher_that_was_started_again_is_connected_to_again(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    copy = cluster.cluster.replicas[0].copies[0]
    with foxir.open_index(one) as index:
        for query in QUERIES:
            assert_equal(cluster, index, query)
        before = copy._address
        os.kill(ray.get(copy.actor.process.remote()), signal.SIGKILL)

        def is_connected() -> bool:
            assert_equal(cluster, index, "sea tide")
            return copy._address != before and bool(copy._idle)

        wait_until(is_connected)
        by_ray = sessions_by_ray(monkeypatch)
        for query in QUERIES:
            assert_equal(cluster, index, query)
        assert not by_ray


def test_a_query_goes_on_from_where_it_was_when_its_connection_breaks(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foxir.cluster.connection import Caller  # noqa: PLC0415  (needs msgpack)

    cluster = cluster_index(parts, n_replicas=2)
    arrived, broken = Caller.arrived, set[int]()

    def breaks_once(self: Any) -> Any:
        message = arrived(self)
        if message is not None and self.is_authenticated and len(broken) < 30 and id(self) not in broken:
            broken.add(id(self))
            self.shut()  # after a step came, so that what the next one needs cannot be sent
        return message

    with foxir.open_index(one) as index:
        for query in QUERIES:
            assert_equal(cluster, index, query)
        monkeypatch.setattr(Caller, "arrived", breaks_once)
        for query in QUERIES:
            assert_equal(cluster, index, query)
    assert broken


def test_a_node_more_moves_only_what_it_takes() -> None:
    before, after = ["a", "b", "c"], ["a", "b", "c", "d"]
    shards = range(200)
    moved = [shard for shard in shards if nodes_of(shard, before, 1) != nodes_of(shard, after, 1)]
    assert all(nodes_of(shard, after, 1) == ["d"] for shard in moved)
    assert 20 < len(moved) < 90  # a quarter of 200 is expected
    assert all(len(set(nodes_of(shard, after, 2))) == 2 for shard in shards)
    assert nodes_of(1, ["a"], 2) == ["a", "a"]


def test_two_copies_on_one_node_part_when_another_one_comes() -> None:
    alive, placed = ["a"], ["a", "a"]
    assert [better_node(5, copy, placed, alive) for copy in (0, 1)] == [None, None]
    assert [better_node(5, copy, placed, ["a", "b"]) for copy in (0, 1)] == [None, "b"]
    assert [better_node(5, copy, ["a", "b"], ["a", "b", "c", "d"]) for copy in (0, 1)] == [None, None]
    assert better_node(5, 0, ["a", "b"], ["b"]) == "b"  # better there than nowhere
    assert better_node(5, 0, ["a", "b"], []) is None
    for nodes in (["b", "c", "d"], ["d", "b", "c"]):
        assert better_node(5, 0, ["a", "b"], nodes) == next(each for each in nodes_of(5, nodes, 3) if each != "b")


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "ray://127.0.0.1:{port}", "[::1]:{port}", "127.0.0.1:99999"])
def test_an_address_without_a_cluster_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    from foxir.cluster.cluster import connect  # noqa: PLC0415  (needs Ray)

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        given = address.format(port=taken.getsockname()[1])
        monkeypatch.setenv("RAY_ADDRESS", given)
        for way in (given, "auto"):
            with pytest.raises(ClusterError, match=r"no Ray cluster can be reached there .*start one"):
                connect(way)


def test_a_cluster_that_asks_for_another_token_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from foxir.cluster.cluster import connect  # noqa: PLC0415  (needs Ray)

    def refuses(address: str) -> None:
        raise ray.exceptions.AuthenticationError(f"InvalidAuthToken at {address}")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray asks for minutes"))
    monkeypatch.setattr("ray._raylet.GcsClient", refuses)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ClusterError, match=rf"(?s)InvalidAuthToken at {address}.*set RAY_AUTH_MODE=token here"):
            connect(address)


def test_a_cluster_that_has_ended_and_is_remembered_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from foxir.cluster.cluster import connect  # noqa: PLC0415  (needs Ray)

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        remembered = f"127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr("ray._private.services.find_bootstrap_address", lambda _folder: remembered)
        monkeypatch.setattr("ray._private.services.find_gcs_addresses", set)
        with pytest.raises(ClusterError, match=r"no Ray cluster can be reached there .*start one"):
            connect("auto")


def test_the_service_answers_from_a_cluster(nodes: Any, one: Path, parts: Path) -> None:
    pytest.importorskip("starlette")
    from tests.foxir.service.living import client  # noqa: PLC0415

    with client(parts, ray=nodes.address) as clustered, client(one) as plain:
        found = clustered.get("/api/search", params={"q": "sea tide"}).json()
        expected = plain.get("/api/search", params={"q": "sea tide"}).json()
        assert found["shards"] == [2, 2]
        assert expected["shards"] is None
        assert found["answers"] == expected["answers"]
        assert found["answers"][0]["document"] in clustered.get("/", params={"q": "sea tide"}).text


@pytest.mark.skipif(not LONG, reason="kills nodes of a cluster: make test-cluster")
def test_killed_nodes_fail_no_query_of_two_copies(cluster_index: Any, nodes: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        expected = {query: asked(index, query, {}) for query in QUERIES}
    errors: list[Any] = []
    slowest, n_asked, is_over = [0.0], [0], threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            for query in QUERIES:
                began = time.monotonic()
                try:
                    if asked(cluster, query, {}) != expected[query]:
                        errors.append(query)
                except Exception as error:  # it must reach the assertion
                    errors.append(error)
                slowest[0] = max(slowest[0], time.monotonic() - began)
                n_asked[0] += 1

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(int(os.environ.get("FOXIR_CLUSTER_KILLS", "20"))):
        used = {node for replicas in cluster.cluster.replicas for node in replicas.nodes}
        victim = next(node for node in nodes.worker_nodes if node.node_id in used)
        nodes.remove_node(victim, allow_graceful=False)
        wait_until(lambda gone=victim.node_id: all(gone not in each.nodes for each in cluster.cluster.replicas))
        nodes.add_node(object_store_memory=80 * 2**20, num_cpus=2)
    is_over.set()
    thread.join()
    print(f"{n_asked[0]} queries, the slowest {slowest[0]:.2f} s")
    assert not errors
    assert n_asked[0] > 100
    assert all(len(set(replicas.nodes)) == 2 for replicas in cluster.cluster.replicas)


@pytest.mark.shared_data(TRIALS, "data/trials/topics.xml")
@pytest.mark.skipif(not LONG, reason="indexes the trials twice: make test-cluster")
def test_answers_to_trial_topics_equal_those_of_one_index(cluster_index: Any, tmp_path: Path) -> None:
    for n_shards in (None, 4):
        update(tmp_path / f"{n_shards}.foxir", [str(shared(TRIALS))], BuildSettings(), n_shards=n_shards)
    topics = [topic for topic in foxir.read_topics(shared("data/trials/topics.xml")) if topic.title]
    cluster = cluster_index(tmp_path / "4.foxir")
    with foxir.open_index(tmp_path / "None.foxir") as index:
        for number, topic in enumerate(topics):
            assert_equal(cluster, index, topic.title, **WAYS[number % len(WAYS)])


def test_an_index_in_object_storage_is_searched_by_a_cluster(cluster_index: Any, one: Path, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    (tmp_path / "source").mkdir()
    write(tmp_path / "source", DOCUMENTS)
    url = f"file://{tmp_path}/store/x.foxir"
    foxir.build_index(tmp_path / "source", into=url, shards=2, profile="none")
    with foxir.open_index(one) as index, foxir.open_index(url) as copy:
        cluster = cluster_index(copy.folder)
        assert_equal(cluster, index, "sea tide")
        write(tmp_path / "source", {"new": "<article><p>generation</p></article>"})
        foxir.build_index(into=url)
        assert cluster.refresh()
        assert [answer.document for answer in cluster.search("generation")] == ["new"]
