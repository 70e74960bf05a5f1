from __future__ import annotations

import pytest

from engine.errors import ArgumentError
from engine.object_store.url import checked_url, is_url


@pytest.mark.parametrize("url", ["s3://bucket/x.foxir", "FILE:///x.foxir", "Gs://bucket/a b/x.foxir", "az://box/x"])
def test_urls_are_known_by_their_scheme_in_any_case(url: str) -> None:
    assert is_url(url)
    scheme, _, place = url.partition(":")
    assert checked_url(f"{url}/") == f"{scheme.lower()}:{place}"


@pytest.mark.parametrize("place", ["x.foxir", "/s3://bucket", "s3:/bucket/x", None, b"s3://b"])
def test_other_places_are_no_urls(place: object) -> None:
    assert not is_url(place)


@pytest.mark.parametrize("url", ["http://host/x", "https://bucket.s3.amazonaws.com/x", "s3a://bucket/x", "ftp://h/x"])
def test_urls_of_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match=r"URLs begin with s3://, gs://, az:// or file:///"):
        is_url(url)


@pytest.mark.parametrize(
    "url",
    [
        *("file://", "file:///", "file:////", "FILE:///", "s3://", "s3:///x"),
        *("file://host/x", "file://x.foxir"),
        *("s3://bucket/x\n.foxir", "s3://bucket/x.foxir\n", "file:///a\tb", " file:///a", "s3://b/x ", "s3://b/\x00"),
        *("s3://bucket/x?v=1", "file:///x#f", "file:///a\\b"),
        *("file:///a/../b", "file:///a//b", "file:///./b", "s3://b/%2e%2E/x"),
    ],
)
def test_urls_that_would_be_read_as_another_place_are_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match=r"not a place in object storage: .*: expected"):
        checked_url(url)
