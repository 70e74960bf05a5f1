"""A service for tests: in this process through Starlette's client, or as a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from lxml import html
from starlette.testclient import TestClient

import foxir
from foxir.service.app import make_app
from foxir.service.http import server
from foxir.service.options import ServiceOptions

HOME = "http://127.0.0.1:8080"
QUERY = "fog signal range"

# Everything in these documents that a page shows tries to become markup.
HOSTILE: Mapping[str, str] = {
    "plain": "<article><title>Whales</title><p>A whale <i>sings</i> below.</p><p>Nothing else.</p></article>",
    "script": "<article><title>&lt;script&gt;alert(1)&lt;/script&gt; whale</title>"
    "<p>&lt;img src=x onerror=alert(2)&gt; whale &amp;amp; \" ' `</p></article>",
    "a'b\"<img src=x onerror=alert(3)>": "<article><title>whale</title><p>An id that is markup.</p></article>",
    "javascript:alert(4)": "<article><title>javascript:alert(5) whale</title><p>Addresses.</p></article>",
    "template": "<article><title>{{ 7*7 }} {% raw %} whale</title><p>${7*7} #{7*7}</p></article>",
    "nested": "<a><b>whale <table><tr><td>one</td><p>not in a cell</p></tr></table> <i>two <p>three</p></i></b></a>",
    "lines": "<a><b>\nwhale&#13;\n  and\t<c/>more \U0001f40b\U0001f3fd שָׁלוֹם لوحة</b></a>",
}


@contextmanager
def client(*indexes: Path, **options: Any) -> Iterator[TestClient]:
    """Yield a client of a service over indexes."""
    app = make_app(ServiceOptions(indexes=indexes, **{"refresh_seconds": 3600.0, **options}))
    with TestClient(app, base_url=HOME, follow_redirects=False) as found:
        yield found


def hostile_index(folder: Path) -> Path:
    """Index the hostile documents below a folder, and return the index."""
    source = folder / "source"
    source.mkdir()
    for document, markup in HOSTILE.items():
        (source / f"{document}.xml").write_text(markup, "utf-8")
    foxir.build_index(source, into=folder / "hostile.foxir")
    return folder / "hostile.foxir"


def got(web: TestClient, page: str, **parameters: Any) -> Any:
    """Return the JSON of a page that is answered."""
    response = web.get(page, params=parameters or None)
    assert response.status_code == 200, response.text
    return response.json()


def problem(web: TestClient, page: str, status: int, **parameters: Any) -> str:
    """Return the message for a request that is refused with a status."""
    response = web.get(page, params=parameters or None)
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert set(found) == {"type", "title", "status", "detail"}
    assert found["status"] == status
    return str(found["detail"])


def page_of(response: Any) -> Any:
    """Return a page as a tree of HTML."""
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return html.document_fromstring(response.text)


def text_shown(page: Any) -> str:
    """Return the text of the document on a page, as offsets count it."""
    (region,) = page.xpath("//div[@id='text']")
    return str(region.text_content())


@contextmanager
def served(*arguments: str | Path, log: int = subprocess.PIPE) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Yield a running `foxir serve` and its port; it is stopped at the end.

    log: where its log goes; a pipe is not read before the end, and takes 64 KiB.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "foxir", "serve", *map(str, arguments), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.search(r":(\d+)/", first)
        assert found is not None, first + (process.stderr.read() if process.stderr else "")
        yield process, int(found[1])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


@contextmanager
def running(options: ServiceOptions, *, host: str = "127.0.0.1") -> Iterator[int]:
    """Yield the port of a service that runs in a thread of this process."""
    listening = server.bind(host, 0)
    found = uvicorn.Server(uvicorn.Config(make_app(options), **server.server_settings(options)))
    thread = threading.Thread(target=lambda: asyncio.run(found._serve([listening])))
    thread.start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        found.should_exit = True
        thread.join()
        listening.close()
