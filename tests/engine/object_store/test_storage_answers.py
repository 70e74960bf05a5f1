"""Errors for servers that are not object storage, or refuse: the message shows the response and what to do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import ArgumentError, StorageError
from engine.indexing.build_settings import BuildSettings
from engine.object_store.mirror import open_mirror
from engine.object_store.publishing import update_remote
from engine.object_store.remote_index import RemoteIndex, open_store, reason_of

pytest.importorskip("obstore")

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><p>Welcome</p></body></html>"


@contextmanager
def server(answer: bytes, status: int = 200) -> Iterator[str]:
    """Yield the address of a server that gives one answer to all requests, and says that they succeeded."""

    class Same(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.send_header("ETag", '"1"')
            self.end_headers()
            self.wfile.write(answer)

        do_PUT = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Same) as running:
        threading.Thread(target=partial(running.serve_forever, 0.01), daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.object_store.remote_index.RETRIES_S", 0)


def test_a_web_page_in_place_of_a_list_is_shown(s3_url: str, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server(PAGE) as address:
        monkeypatch.setenv("AWS_ENDPOINT", address)
        for use in (lambda: open_mirror(s3_url), lambda: update_remote(s3_url, [str(source)], BuildSettings())):
            with pytest.raises(StorageError) as caught:
                use()
            assert str(caught.value).startswith(
                f"{s3_url}: no object storage answers there: in place of a list of objects came "
                "'<!DOCTYPE html> <html><head><title>Sign in</title></head><bo'. Check AWS_ENDPOINT"
            )


def test_a_bucket_that_is_empty_or_may_not_be_listed_whole_is_a_store(
    s3_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RemoteIndex(s3_url).newest() == 0
    assert RemoteIndex(s3_url.rpartition("/")[0]).newest() == 0
    monkeypatch.setattr("engine.object_store.remote_index.open_store", refused)
    assert RemoteIndex(s3_url).newest() == 0


def refused(url: str) -> tuple[Any, Any]:
    obstore, bucket = open_store(url)

    def get(_bucket: Any, _path: str) -> Any:
        raise obstore.exceptions.PermissionDeniedError("403")

    return SimpleNamespace(**{**vars(obstore), "get": get}), bucket


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (b"<html><br></html>", 200, "What answers there is no object storage: check AWS_ENDPOINT"),
        (b"hello", 200, "What answers there is no object storage: check AWS_ENDPOINT"),
        (
            b"<Error><Code>RequestTimeTooSkewed</Code><Message>Too large</Message></Error>",
            403,
            "RequestTimeTooSkewed: Too large. Set the clock of this machine",
        ),
        (b"<Error><Code>ExpiredToken</Code><Message>x</Message></Error>", 403, "credentials have expired"),
        (b"<Error><Code>AccessDenied</Code><Message>x</Message></Error>", 403, "AccessDenied: x. Check address, cred"),
    ],
)
def test_other_answers_to_a_list_say_what_to_do(
    s3_url: str, monkeypatch: pytest.MonkeyPatch, answer: bytes, status: int, message: str
) -> None:
    with server(answer, status) as address:
        monkeypatch.setenv("AWS_ENDPOINT", address)
        with pytest.raises(StorageError) as caught:
            RemoteIndex(s3_url).newest()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_server_and_one_of_another_protocol_are_distinguished(
    s3_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(StorageError, match="Nothing takes connections there"):
            RemoteIndex(s3_url).newest()
    with server(b"") as address:
        monkeypatch.setenv("AWS_ENDPOINT", address.replace("http:", "https:"))
        with pytest.raises(StorageError, match="It does not speak TLS"):
            RemoteIndex(s3_url).newest()


@pytest.mark.parametrize("name", ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
@pytest.mark.parametrize(
    "endpoint", ["127.0.0.1:9000", "not a url", "http://", "http://h:99999", "http://h:0", "ftp://h", "http://[::1"]
)
def test_an_endpoint_that_is_no_url_is_named(
    s3_url: str, monkeypatch: pytest.MonkeyPatch, name: str, endpoint: str
) -> None:
    monkeypatch.setenv(name, endpoint)
    with pytest.raises(ArgumentError, match=f"^{name} = .*expected a URL such as"):
        RemoteIndex(s3_url)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("error sending request\n\nDebug source: InvalidCertificate(ExpiredContext {", "check the clock"),
        ("error sending request\n\nDebug source: InvalidCertificate(NotValidYetContext {", "check the clock"),
        ("GET http://169.254.169.254/computeMetadata/v1 failed", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("GET http://169.254.169.254/metadata/identity failed", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("GET http://169.254.169.254/latest/meta-data failed", "AWS_ACCESS_KEY_ID"),
    ],
)
def test_a_cause_is_found_where_only_the_debug_output_has_it(text: str, message: str) -> None:
    assert message in reason_of(text)
    assert "Debug" not in reason_of(text)
