"""Encoders behind an address: the request that is sent, and one message for each answer without vectors."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.semantic import endpoint
from engine.semantic.encoders import encoder, loaded_encoder
from tests.engine.semantic.toy_encoder import encode

NAME = "endpoint:toy:v1.5"


class Server:
    """Answers with what `answer` makes of a request; `asked` are the requests, with their headers."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.answer: Callable[[list[str]], object] = vectors
        self.status = 200
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append((asked, dict(self.headers)))
                body = json.dumps(server.answer(asked["input"])).encode()
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1/embeddings"


def vectors(texts: list[str]) -> object:
    """The vectors of texts, not in their order."""
    found = [{"index": number, "embedding": row.tolist()} for number, row in enumerate(encode(texts))]
    return {"data": found[::-1]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    made = Server()
    monkeypatch.setenv(endpoint.URL, made.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    thread = threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    loaded_encoder.cache_clear()
    yield made
    loaded_encoder.cache_clear()
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def asked(texts: list[str]) -> np.ndarray:
    return encoder(NAME).unit_vectors(texts, lambda: None)


def test_an_endpoint_is_asked_for_its_model_with_the_key_of_the_environment(server, monkeypatch):
    monkeypatch.setenv(endpoint.KEY, "secret")
    found = asked(["fog", "sea"])
    expected = encode(["fog", "sea"]).astype(float)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    ((body, headers),) = server.asked
    assert body == {"model": "toy:v1.5", "input": ["fog", "sea"]}
    assert headers["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({}, "not one vector for each text"),
        ([], "not one vector for each text"),
        ({"data": []}, r"not one vector for each text \(0 for 2 texts\)"),
        ({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}, "not one vector for each text"),
        ({"data": [{"index": 0, "embedding": ["x"]}, {"index": 1, "embedding": [1]}]}, "not one vector for each text"),
        ({"data": [{"index": 0, "embedding": [float("nan")]}, {"index": 1, "embedding": [1]}]}, "NaN or infinity"),
    ],
)
def test_what_is_no_vectors_is_refused(server, answer, says):
    server.answer = lambda _: answer
    with pytest.raises(SettingsError, match=says) as refused:
        asked(["fog", "sea"])
    assert NAME in str(refused.value)


def test_a_refusal_is_shown(server):
    server.status, server.answer = 404, lambda _: {"error": "no such model"}
    with pytest.raises(SettingsError, match=r"embeddings: status 404: .*no such model"):
        asked(["fog"])


def test_a_slow_endpoint_is_waited_for_no_longer_than_the_most(server, monkeypatch):
    monkeypatch.setattr(endpoint, "MOST_SECONDS", 0.05)
    server.answer = lambda texts: time.sleep(0.2) or vectors(texts)
    with pytest.raises(SettingsError, match=r"no answer within 0\.05 s"):
        asked(["fog"])


@pytest.mark.parametrize("sent", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_an_answer_that_comes_in_slowly_is_waited_for_no_longer_either(server, monkeypatch, sent):
    monkeypatch.setattr(endpoint, "MOST_SECONDS", 0.1)

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)
        with suppress(OSError):
            for number in range(80):
                handler.wfile.write(b"X-%d: 1\r\n" % number)
                time.sleep(0.01)

    monkeypatch.setattr(server.http.RequestHandlerClass, "do_POST", trickle)
    began = time.monotonic()
    with pytest.raises(SettingsError, match=r"no answer within 0\.1 s"):
        asked(["fog"])
    assert time.monotonic() - began < 0.6


def test_the_key_is_sent_to_no_other_address(server, monkeypatch):
    monkeypatch.setenv(endpoint.KEY, "secret")
    other, got = Server(), list[str]()
    monkeypatch.setattr(
        other.http.RequestHandlerClass, "do_GET", lambda handler: got.append(handler.path), raising=False
    )
    thread = threading.Thread(target=other.http.handle_request)
    other.http.timeout = 0.2
    thread.start()

    def redirect(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", other.url)
        handler.end_headers()

    monkeypatch.setattr(server.http.RequestHandlerClass, "do_POST", redirect)
    with pytest.raises(SettingsError, match="status 302"):
        asked(["fog"])
    thread.join()
    other.http.server_close()
    assert not got


def test_what_is_no_http_is_one_line(server, monkeypatch):
    monkeypatch.setattr(server.http.RequestHandlerClass, "do_POST", lambda handler: handler.wfile.write(b"fog\r\n\r\n"))
    with pytest.raises(SettingsError, match=r"not one vector for each text \(fog\)\.$") as refused:
        asked(["fog"])
    assert "\n" not in str(refused.value)


def test_an_endpoint_that_is_away_or_not_named_is_one_message(monkeypatch):
    loaded_encoder.cache_clear()
    monkeypatch.delenv(endpoint.URL, raising=False)
    with pytest.raises(SettingsError, match=f"{endpoint.URL} is ''"):
        asked(["fog"])
    monkeypatch.setenv(endpoint.URL, "http://127.0.0.1:9/v1/embeddings")
    with pytest.raises(SettingsError, match="refused"):
        asked(["fog"])
    loaded_encoder.cache_clear()
