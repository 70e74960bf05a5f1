from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.index.sharded import grown

# Nodes of the cluster that the tests start on this machine; the first is its head.
N_NODES = 4 if os.environ.get("FOXIR_CLUSTER") else 1
OBJECT_STORE = 80 * 2**20  # bytes for each node, the least that Ray takes
DOCUMENTS = {
    f"d{number:02d}": f"<article><sec><p>sea {number} tide lamp.</p><p>Fog at {number % 5} o'clock. Rock.</p></sec>"
    f"<sec><p>{'sea ' * (number % 7)}light and rock</p></sec></article>"
    for number in range(40)
}


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Ray cluster on this machine; the test process is connected to it."""
    if "FOXIR_CLUSTER" not in os.environ:
        pytest.skip("starts Ray, a minute of computing: make test-cluster")
    os.environ["FOXIR_CACHE"] = str(tmp_path_factory.mktemp("cache"))  # of the nodes, which take over the environment
    os.environ.setdefault("RAY_worker_niceness", "0")  # else any other program goes before the searchers
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    settings = {"object_store_memory": OBJECT_STORE, "num_cpus": 2, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=settings)
    for _ in range(N_NODES - 1):
        cluster.add_node(object_store_memory=OBJECT_STORE, num_cpus=2)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    del os.environ["FOXIR_CACHE"]


@pytest.fixture(scope="session")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with grown(tmp_path_factory.mktemp("one"), [DOCUMENTS], None) as index:
        yield index


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with grown(tmp_path_factory.mktemp("parts"), [DOCUMENTS], 2) as index:
        yield index


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
