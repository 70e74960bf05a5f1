from __future__ import annotations

import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.small_index import write

DOCUMENTS = {f"d{number}": f"<a><p>sea {number} tide</p><p>lamp of {number}</p></a>" for number in range(9)}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    write(tmp_path / "source", DOCUMENTS)
    return tmp_path / "source"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """An index in a store that is a local folder."""
    return f"file://{tmp_path}/store/x.foxir"


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """The address of a server that behaves as S3 does."""
    server = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host.replace('0.0.0.0', '127.0.0.1')}:{port}"
    running.stop()


@pytest.fixture
def s3_url(s3_address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    for name, value in {
        "ACCESS_KEY_ID": "key",
        "SECRET_ACCESS_KEY": "secret",
        "REGION": "us-east-1",
        "ENDPOINT": s3_address,
        "ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    bucket = "".join(letter for letter in tmp_path.name.lower() if letter.isalnum())[:50]
    urllib.request.urlopen(urllib.request.Request(f"{s3_address}/{bucket}", method="PUT"))
    return f"s3://{bucket}/x.foxir"
