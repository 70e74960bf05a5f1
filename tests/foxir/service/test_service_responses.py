"""Responses of the service beside their content: confirmed, compressed, counted, described.

A service below a path of a proxy: every address of its pages, and every redirection, begins with that path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import foxir
from foxir.service import app
from foxir.service.options import ServiceOptions
from foxir.service.state import ServiceState
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, client, got, page_of


def test_nothing_is_computed_for_a_known_generation(web: TestClient) -> None:
    first = web.get("/api/search", params={"q": QUERY})
    again = web.get("/api/search", params={"q": QUERY}, headers={"If-None-Match": first.headers["etag"]})

    assert first.headers["etag"].startswith('W/"1-')
    assert (again.status_code, again.content) == (304, b"")
    assert web.get("/api/search", params={"q": QUERY}, headers={"If-None-Match": '"x"'}).status_code == 200


def test_an_etag_depends_on_the_served_settings_too(sample: Sample) -> None:
    """A service that is started again with other settings does not confirm what it answered before."""
    tags = []
    for settings in (None, foxir.make_settings(passages=True), foxir.make_settings(passages=True)):
        with client(sample.folder / "sample.foxir", settings=settings) as web:
            tags.append(web.get("/api/search", params={"q": QUERY}).headers["etag"])

    assert tags[0] != tags[1] == tags[2]


def test_what_a_cluster_may_answer_without_some_shards_has_no_etag(sample: Sample) -> None:
    with client(sample.folder / "sample.foxir") as web:
        state: ServiceState = web.app.state.service  # type: ignore[attr-defined]
        state.options = replace(state.options, partial=True)
        answer = web.get("/api/search", params={"q": QUERY}, headers={"If-None-Match": "*"})

    assert (answer.status_code, "etag" in answer.headers) == (200, False)


def test_long_answers_are_compressed(web: TestClient) -> None:
    response = web.get("/api/search", params={"q": QUERY}, headers={"Accept-Encoding": "gzip"})

    assert response.headers["content-encoding"] == "gzip"
    assert response.json()["total"] > 0


def test_status_health_and_metrics(web: TestClient) -> None:
    found = got(web, "/api/status")

    assert found["indexes"][0] == {
        "name": "sample",
        "generation": 1,
        "documents": 34,
        "elements": 3702,
        "images": 67,
        "kinds": {"inex-ieee": 12, "jats": 11, "tei": 11},
        "is_current": True,
        "problem": "",
    }
    assert (web.get("/healthz").text, web.get("/readyz").text) == ("ok\n", "ready\n")
    lines = web.get("/metrics").text.splitlines()
    assert 'foxir_index_generation{index="sample"} 1' in lines
    assert any(line.startswith('foxir_requests_total{page="/api/status",status="200"}') for line in lines)


def test_metrics_are_described_once_by_their_names(sample: Sample, hostile_folder: Path) -> None:
    """The text format of Prometheus: names without labels after HELP and TYPE, each once, before its values."""
    with client(sample.folder / "sample.foxir", hostile_folder) as web:
        for path in ("/readyz", "/read/x", "/api/scores", "/api/judgements/export", "/judge/topic", "/", "/nowhere"):
            web.get(path)
        lines = web.get("/metrics").text.splitlines()
    described: list[str] = []
    for line in lines:
        if line.startswith("#"):
            _, what, name, *_ = line.split(" ")
            assert re.fullmatch(r"[a-z_]+", name), line
            described += [name] if what == "TYPE" else []
        else:
            assert line.startswith(described[-1]), line

    assert len(described) == len(set(described))
    assert {f'foxir_index_generation{{index="{name}"}} 1' for name in ("sample", "hostile")} <= set(lines)
    pages = {found[1] for line in lines if (found := re.match(r'foxir_requests_total{page="(.*?)"', line))}
    assert pages == {"other", "/read", "/api/scores", "/api/judgements", "/judge", "/"}


def test_the_description_names_every_operation_and_parameter(web: TestClient) -> None:
    found = got(web, "/openapi.json")

    assert found["openapi"] == "3.1.0"
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            assert method == "get" or "requestBody" in operation, path
            for parameter in operation.get("parameters", []):
                assert parameter["description"], (path, parameter["name"])
    names = {each["name"] for each in found["paths"]["/api/search"]["get"]["parameters"]}
    assert {"q", "syntax", "limit", "passages", "word_budget", "element_k1", "named"} <= names


def test_the_description_is_made_once_however_often_it_is_asked(
    web: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = web.get("/openapi.json")
    monkeypatch.setattr(app, "description", None)

    again = web.get("/openapi.json")

    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("gzip; q=0.000, br", False), ("identity", False)],
)
def test_answers_are_packed_where_that_is_accepted(web: TestClient, accepted: str, is_packed: bool) -> None:
    answer = web.get("/api/search", params={"q": QUERY}, headers={"Accept-Encoding": accepted})

    assert answer.json()["total"] > 0
    assert (answer.headers.get("content-encoding") == "gzip") == is_packed
    assert "Accept-Encoding" in answer.headers["vary"]


def test_a_method_that_does_not_fit_is_named_with_those_that_do(web: TestClient) -> None:
    answer = web.delete("/api/search")

    assert answer.status_code == 405
    assert answer.json()["detail"] == f"DELETE is not for this address: expected {answer.headers['allow']}."


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
