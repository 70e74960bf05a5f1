"""Tells a store without objects from what is not a store: a web page in answer to a list has no objects, either."""

from __future__ import annotations

import re
from contextlib import suppress

from engine.errors import StorageError
from engine.object_store.client import open_store

# Root elements of lists: of S3 and Google Cloud Storage, of Azure.
_LISTS = (b"ListBucketResult", b"EnumerationResults")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")
# Characters of an answer that are shown.
_SHOWN = 60


def check_is_list(url: str) -> None:
    """Raise StorageError if the bucket of a URL answers with what is not a list; where it refuses, nothing is known."""
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
