"""The client of object storage (obstore): stores opened at URLs, and the reasons of its errors in plain words."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from engine.errors import ArgumentError, StorageError, how_to_install

# Seconds after which a request is given up; each is tried again within the second number.
REQUEST_S, RETRIES_S = 30, 60
# Seconds before a request is tried again, the first time and at most; times in between are random, and grow.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
# Variables that name the server of a scheme; the client ends the process at one that is not a URL.
_ENDPOINTS = {"s3": ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")}
# Root elements of lists: of S3 and Google Cloud Storage, of Azure.
_LISTS = (b"ListBucketResult", b"EnumerationResults")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")
# Characters of an answer that are shown.
_SHOWN = 60


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


_XML = re.compile(r"(?:<\?xml.*?)?<Error>.*?<Code>(.*?)</Code>\s*<Message>(.*?)</Message>.*</Error>", re.DOTALL)
_CLOCK = "Set the clock of this machine, which differs too much from that of the server, then retry"
_CERTIFICATE = "Its certificate is not valid at this machine's time: check the clock, then the certificate"
# What the text of an error contains, and what then is to be done.
_CAUSES = (
    ("NoSuchBucket", "There is no such bucket: make it first, or correct the URL"),
    ("computeMetadata", "No credentials were found: set GOOGLE_APPLICATION_CREDENTIALS"),
    ("metadata/identity", "No credentials were found: set AZURE_STORAGE_ACCOUNT_KEY"),
    ("Account must be specified", "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
    ("Missing SecretAccessKey", "Set AWS_SECRET_ACCESS_KEY, too"),
    ("Missing AccessKeyId", "Set AWS_ACCESS_KEY_ID, too"),
    ("os error", "Correct the folder, or make it"),
    ("169.254.169.254", "No credentials were found: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"),
    ("ExpiredToken", "The credentials have expired: get new ones"),
    ("RequestTimeTooSkewed", _CLOCK),  # S3
    ("Request date header too old", _CLOCK),  # Azure
    ("reasonable timeframe", _CLOCK),  # Google
    ("ExpiredContext", _CERTIFICATE),
    ("NotValidYetContext", _CERTIFICATE),
    ("UnknownIssuer", "No authority that this machine knows has signed its certificate: add one (SSL_CERT_FILE)"),
    ("NotValidForName", "Its certificate is that of another host: correct AWS_ENDPOINT"),
    ("builder error", "For an endpoint without TLS (http://) set AWS_ALLOW_HTTP=true"),
    ("InvalidContentType", "It does not speak TLS: correct AWS_ENDPOINT; for http:// set AWS_ALLOW_HTTP=true"),
    ("ConnectionRefused", "Nothing takes connections there: correct AWS_ENDPOINT, or start the server"),
    ("dns error", "There is no host of that name: correct AWS_ENDPOINT, or check the network"),
    ("invalid list response", "What answers there is no object storage: check AWS_ENDPOINT, and proxies in between"),
)
_ELSE = "Check address, credentials and network, then retry"


def reason_of(text: str) -> str:
    """Return the reason in the text of an error, and the remedy; causes may be in its debug output alone.

    >>> reason_of("404: <?xml?><Error><Code>NoSuchBucket</Code><Message>Not there</Message><Host>h</Host></Error>")
    '404: NoSuchBucket: Not there. There is no such bucket: make it first, or correct the URL'
    """
    reason = " ".join(_XML.sub(r"\1: \2", text.partition("\n\nDebug")[0]).split())
    to_do = next((advice for cause, advice in _CAUSES if cause in text), _ELSE)
    return f"{reason}. {to_do}"


def check_is_list(url: str) -> None:
    """Raise StorageError if the bucket of a URL answers with anything but a list; a refusal says nothing."""
    scheme, _, place = url.partition("://")
    obstore, bucket = open_store(f"{scheme}://{place.partition('/')[0]}")
    sent = b""
    with suppress(obstore.exceptions.BaseError, OSError):  # the bucket as an object is its list, as it was sent
        sent = bytes(next(iter(obstore.get(bucket, "").stream(min_chunk_size=1)), b""))
    root = _ROOT.search(sent)
    if not sent or (root and root[1] in _LISTS):
        return
    shown = " ".join(sent.decode("utf-8", "replace").split())[:_SHOWN]
    raise StorageError(
        f"{url}: no object storage answers there: in place of a list of objects came {shown!r}. Check AWS_ENDPOINT, "
        "and whether a proxy or a page to sign in is in between."
    )
