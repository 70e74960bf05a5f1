"""The client of object storage (obstore): opened with its times, after a look at the environment that it goes by."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from engine.errors import ArgumentError, how_to_install
from engine.object_store.storage_reason import reason_of

# Seconds after which a request is given up; each is tried again within the second number.
REQUEST_S, RETRIES_S = 30, 60
# Seconds before a request is tried again, the first time and at most; times in between are random, and grow.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
# Variables that name the server of a scheme; the client ends the process at one that is not a URL.
_ENDPOINTS = {"s3": ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")}


def open_store(url: str) -> tuple[Any, Any]:
    """Return obstore, and the store at a checked URL.

    Raises: ArgumentError for a URL that names no place, for an endpoint that is not a URL, or if obstore is missing.
    """
    try:
        import obstore  # noqa: PLC0415  (an extra)
        import obstore.exceptions  # noqa: PLC0415
        from obstore.store import from_url  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ArgumentError(f"{url}: object storage needs {error.name}: {how_to_install('s3')}.") from None
    for name in _ENDPOINTS.get(url.partition("://")[0], ()):
        _check_endpoint(name, os.environ.get(name, ""))
    allows_http = os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true")
    times = {"timeout": timedelta(seconds=REQUEST_S), "allow_http": allows_http}
    pauses = {
        "init_backoff": timedelta(seconds=FIRST_PAUSE_S),
        "max_backoff": timedelta(seconds=LONGEST_PAUSE_S),
        "base": 3,  # with 2, random pauses hardly grow
    }
    retries = {"retry_timeout": timedelta(seconds=RETRIES_S), "max_retries": 10_000, "backoff": pauses}
    try:
        if url.startswith("file://"):
            return obstore, from_url(url, mkdir=True)
        return obstore, from_url(url, client_options=times, retry_config=retries)
    except (obstore.exceptions.BaseError, OSError) as error:
        raise ArgumentError(f"{url}: cannot be opened: {reason_of(str(error))}.") from None


def _check_endpoint(name: str, value: str) -> None:
    try:
        found = urlsplit(value)
        is_one = found.scheme in ("http", "https") and bool(found.hostname) and (found.port is None or found.port > 0)
    except ValueError:
        is_one = False
    if value and not (is_one and value.isprintable() and " " not in value):
        raise ArgumentError(f"{name} = {value!r}: expected a URL such as https://HOST or http://HOST:9000.")
