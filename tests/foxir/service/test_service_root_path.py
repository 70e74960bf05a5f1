"""A service below a path of a proxy: every address of its pages, and every redirection, begins with that path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, client, page_of

PREFIX = "/site/docs"
FORWARDED = {"X-Forwarded-Prefix": PREFIX}
PAGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/", {}),
    ("/", {"q": QUERY}),
    ("/read", {"document": "jats/fx-006", "q": QUERY}),
    ("/why", {"document": "jats/fx-006", "q": QUERY, "path": "/article[1]"}),
    ("/status", {}),
)


@pytest.fixture(scope="module")
def below(sample: Sample) -> Iterator[TestClient]:
    """A service that is started with the prefix."""
    with client(sample.folder / "sample.foxir", root_path=PREFIX) as found:
        yield found


def addresses(page: Any) -> list[str]:
    """Return the addresses of a page that lead to the service."""
    found: list[str] = page.xpath("//@href|//@src|//@action|//@formaction")
    return [each for each in found if not each.startswith(("#", "data:"))]


@pytest.mark.parametrize(("path", "given"), PAGES)
@pytest.mark.long
def test_every_address_of_a_page_begins_with_the_prefix(
    below: TestClient, web: TestClient, path: str, given: dict[str, Any]
) -> None:
    stripped, whole = (page_of(below.get(start + path, params=given)) for start in ("", PREFIX))
    said = page_of(web.get(path, params=given, headers=FORWARDED))
    plain = page_of(web.get(path, params=given))

    assert addresses(stripped) == addresses(whole) == addresses(said)
    assert addresses(said) == [PREFIX + each for each in addresses(plain)]
    asked = set(addresses(whole)) - {f"{PREFIX}/example-image"}  # which takes a file
    assert {below.get(each).status_code for each in asked} == {200}


def test_redirections_begin_with_the_prefix(below: TestClient, web: TestClient) -> None:
    beyond = {"q": QUERY, "offset": "9000"}
    for found in (below.get(f"{PREFIX}/", params=beyond), web.get("/", params=beyond, headers=FORWARDED)):
        assert (found.status_code, found.headers["location"].startswith(f"{PREFIX}/?q=")) == (303, True)
    assert below.get(PREFIX).headers["location"] == f"{PREFIX}/"


@pytest.mark.parametrize(
    "prefix", ["//evil.example", "/a b", "docs", '/"><script>', "/..", "/a/../b", "/%2e", "/" + "x" * 300]
)
def test_what_is_no_path_is_no_prefix(web: TestClient, prefix: str) -> None:
    page = page_of(web.get("/", headers={"X-Forwarded-Prefix": prefix}))
    assert page.xpath("//form/@action") == ["/"]
    with pytest.raises(foxir.FoxirError, match="root-path"):
        ServiceOptions((Path("x"),), root_path=prefix).check()
