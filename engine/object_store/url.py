"""URLs of object storage."""

from __future__ import annotations

SCHEMES = ("s3", "gs", "az", "file")


def is_url(place: object) -> bool:
    """Return whether a place of an index is a URL of object storage, such as s3://bucket/x.foxir."""
    return isinstance(place, str) and place.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))
