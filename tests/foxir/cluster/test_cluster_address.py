"""Addresses without a Ray cluster, or of one that asks for another token, are refused at once."""

from __future__ import annotations

import socket

import pytest

from engine.errors import ClusterError

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")


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
