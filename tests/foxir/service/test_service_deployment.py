"""What docs/service.md says of deployment fits the program: its commands are accepted, its addresses answer."""

from __future__ import annotations

import re
import shlex
import socket
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from foxir.service import server
from foxir.service.options import ServiceOptions
from tests.foxir.cli.command import foxir
from tests.foxir.conftest import ROOT, Sample
from tests.foxir.service.living import client

PAGE = (ROOT / "docs/service.md").read_text("utf-8")
UNIT = re.search(r"^ExecStart=\S*/foxir (.*)$", PAGE, re.M)
CONTAINER = re.search(r"^ENTRYPOINT \[(.*)\]\nCMD \[(.*)\]$", PAGE, re.M)


def commands() -> dict[str, list[str]]:
    """Return the arguments of `foxir` in the unit and in the container file."""
    assert UNIT is not None
    assert CONTAINER is not None
    words = [word.strip('"') for word in f"{CONTAINER[1]}, {CONTAINER[2]}".split(", ")]
    assert words[0] == "foxir"
    return {"unit": shlex.split(UNIT[1]), "container": words[1:]}


@pytest.mark.parametrize("name", ["unit", "container"])
def test_commands_of_the_documentation_start_a_service(
    name: str, sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokens").write_text("ana correct-horse-battery\n", "utf-8")
    places = dict.fromkeys(["/srv/foxir/library.foxir", "/data/library.foxir"], sample.folder / "sample.foxir")
    places["/run/secrets/foxir-tokens"] = tmp_path / "tokens"
    found: list[ServiceOptions] = []

    def serve(options: ServiceOptions, listening: socket.socket) -> None:
        listening.close()
        found.append(options)

    monkeypatch.setattr(server, "serve", serve)
    done = foxir(*(places.get(word, word) for word in commands()[name]), "--port", "0")

    assert done.status == 0, done.err
    (options,) = found
    assert options.hosts == (("search.example.org",) if name == "unit" else ())
    assert options.host == ("127.0.0.1" if name == "unit" else "0.0.0.0")


def test_addresses_of_the_documentation_answer(web: TestClient) -> None:
    assert "http://127.0.0.1:8080/healthz" in PAGE
    for address in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/status"):
        assert address in PAGE
        assert web.get(address).status_code == 200


def test_a_proxy_reaches_the_service_by_the_name_of_the_site(sample: Sample) -> None:
    with client(sample.folder / "sample.foxir", hosts=("search.example.org",)) as web:
        headers = {"Host": "search.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
        assert web.get("/", headers=headers).status_code == 200
        assert "33m" in PAGE
        assert web.post("/example-image", headers={**headers, "Content-Length": str(34 << 20)}).status_code == 413
