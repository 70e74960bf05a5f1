"""Answers of searchers on a Ray cluster. FOXIR_CLUSTER=1 (make test-cluster) starts four nodes and asks much more.

Addresses without a Ray cluster, or of one that asks for another token, are refused at once.
"""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.errors import ClusterError
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from tests.engine.index.sharded import grown
from tests.engine.index.test_shards import WAYS
from tests.engine.small_index import write
from tests.foxir.cluster.asking import LONG, QUERIES, assert_equal, wait_until
from tests.foxir.cluster.conftest import DOCUMENTS
from tests.shared_data import TRIALS, shared

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")
SOME_WAYS = WAYS if LONG else WAYS[:3]


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
        update_index(tmp_path / f"{n_shards}.foxir", [str(source)], BuildSettings(), n_shards=n_shards)
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
            update_index(parts, [], BuildSettings())
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
        update_index(tmp_path / "three.foxir", [str(tmp_path / "new" / "source of 2")], BuildSettings(), n_shards=3)
        parts.rename(tmp_path / "older")
        (tmp_path / "three.foxir").rename(parts)
        with pytest.raises(ClusterError, match="3 shards instead of 2"):
            cluster.refresh()
        assert len(cluster.search("mist")) > 0


def test_totals_that_are_known_no_more_are_learned_again(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foxir.cluster.shard_generation.MOST_TOTALS", 3)
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


@pytest.mark.shared_data(TRIALS, "data/trials/topics.xml")
@pytest.mark.skipif(not LONG, reason="indexes the trials twice: make test-cluster")
def test_answers_to_trial_topics_equal_those_of_one_index(cluster_index: Any, tmp_path: Path) -> None:
    for n_shards in (None, 4):
        update_index(tmp_path / f"{n_shards}.foxir", [str(shared(TRIALS))], BuildSettings(), n_shards=n_shards)
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
