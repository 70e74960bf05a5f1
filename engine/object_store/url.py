"""URLs of object storage."""

from __future__ import annotations

import re

from engine.errors import ArgumentError

SCHEMES = ("s3", "gs", "az", "file")
_SCHEME = re.compile("([A-Za-z][A-Za-z0-9+.-]*)://")


def is_url(place: object) -> bool:
    """Return whether a place of an index is a URL of object storage, such as s3://bucket/x.foxir, valid or not.

    Raises: ArgumentError for a URL of another scheme, which is not a folder either.
    """
    found = _SCHEME.match(place) if isinstance(place, str) else None
    if found and found[1].lower() not in SCHEMES:
        raise ArgumentError(
            f"{place!r}: an index is in a folder or in object storage, whose URLs begin with s3://, gs://, az:// or "
            "file:///."
        )
    return found is not None


def checked_url(url: str) -> str:
    """Return a URL with its scheme in small letters and no slash at its end.

    Raises: ArgumentError for one that names no place, or that would be read as another than it says.
    """
    scheme, _, place = url.partition("://")
    scheme, place = scheme.lower(), place.rstrip("/")
    example = "file:///FOLDER/x.foxir" if scheme == "file" else f"{scheme}://BUCKET/x.foxir"

    def refused(reason: str) -> ArgumentError:
        return ArgumentError(f"{url!r}: not a place in object storage: {reason}: expected {example}.")

    if not place:
        raise refused("it names no folder" if scheme == "file" else "it names no bucket")
    if scheme == "file" and not place.startswith("/"):
        raise refused("it names a machine")
    if not place.isprintable() or url != url.strip():
        raise refused("it has control characters, or blanks at an end")
    if unusual := [mark for mark in "?#\\" if mark in place]:
        raise refused(f"it has a {unusual[0]!r}")
    path = place.removeprefix("/") if scheme == "file" else place
    parts = path.lower().replace("%2e", ".").split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise refused("a part of its path is empty, '.' or '..'")
    return f"{scheme}://{place}"
