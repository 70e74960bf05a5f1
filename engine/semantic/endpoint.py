"""An encoder behind an address: any server that answers as OpenAI's does, such as Ollama or a server of one's own.

    POST URL   {"model": MODEL, "input": [TEXT, ...]}   ->   {"data": [{"index": 0, "embedding": [...]}, ...]}

The address and, where one is needed, a key are in the environment, never in settings or an index.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError

URL, KEY = "FOXIR_EMBEDDINGS_URL", "FOXIR_EMBEDDINGS_KEY"
# Seconds until an answer is whole, and bytes of one, at most.
MOST_SECONDS, MOST_BYTES = 60.0, 2**26
# Characters of a refusal that are shown.
SHOWN = 200


def endpoint(name: str) -> Callable[[list[str]], NDArray[np.float32]]:
    """Return the encoder `endpoint:MODEL` at the address in the environment.

    Raises: SettingsError without an address; so does the function for an answer that is late, missing or of another
        form.
    """
    url, key = os.environ.get(URL, ""), os.environ.get(KEY)
    if not url.startswith(("http://", "https://")):
        raise SettingsError(
            f"encoder '{name}': the environment variable {URL} is {url!r}, expected the address of an endpoint for "
            "embeddings, such as http://localhost:11434/v1/embeddings."
        )
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def encode(texts: list[str]) -> NDArray[np.float32]:
        body = json.dumps({"model": name.partition(":")[2], "input": texts}).encode()
        late = threading.Event()
        try:
            with _answer(Request(url, body, headers), late) as answer:
                return _vectors(json.loads(answer.read(MOST_BYTES)), len(texts))
        except HTTPError as error:
            with error:
                reason = f"status {error.code}: {error.read(SHOWN).decode('utf-8', 'replace')}"
        except OSError as error:
            reason = str(error)
            if isinstance(getattr(error, "reason", error), TimeoutError):
                late.set()
        except (ValueError, KeyError, TypeError, RecursionError, HTTPException) as error:
            reason = f"its answer is not one vector for each text ({' '.join(str(error).split())})"
        if late.is_set():  # then reading may fail in any way
            reason = f"no answer within {MOST_SECONDS:g} s"
        raise SettingsError(f"encoder '{name}': {url}: {reason}.")

    return encode


class _Plain(HTTPConnection):
    """A connection whose socket another thread can shut down."""

    def __init__(self, *arguments: Any, sockets: list[socket.socket], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sockets = sockets

    def connect(self) -> None:
        super().connect()
        self.sockets.append(self.sock)


class _Secure(_Plain, HTTPSConnection):
    """The same, with TLS."""


class _Connections(HTTPHandler, HTTPSHandler, HTTPRedirectHandler):
    """Opens connections, and follows no redirections: the key is for the address alone."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self.sockets = sockets

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_Plain, sockets=self.sockets), req)

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_Secure, sockets=self.sockets), req)

    def redirect_request(self, *_: object) -> None:
        return None


@contextmanager
def _answer(request: Request, late: threading.Event) -> Iterator[HTTPResponse]:
    """Yield the answer to a request, which ends after MOST_SECONDS, however slowly it comes in; `late` is set then."""
    sockets: list[socket.socket] = []

    def end() -> None:
        late.set()
        for opened in sockets:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(MOST_SECONDS, end)
    timer.daemon = True
    timer.start()
    try:
        with build_opener(_Connections(sockets)).open(request, timeout=MOST_SECONDS) as answer:
            yield answer
    finally:
        timer.cancel()


def _vectors(answer: Any, n_texts: int) -> NDArray[np.float32]:
    """Return the vectors in an answer, in the order of the texts; raises ValueError, KeyError, TypeError."""
    found = sorted(answer["data"], key=lambda each: each["index"])
    if [each["index"] for each in found] != list(range(n_texts)):
        raise ValueError(f"{len(found)} for {n_texts} texts")
    return np.array([each["embedding"] for each in found], np.float32)
