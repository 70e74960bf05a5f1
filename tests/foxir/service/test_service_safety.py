"""What comes from strangers stays text; what should not come in does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from starlette.testclient import TestClient

from engine.errors import ArgumentError
from foxir.service.http.authentication import COOKIE, read_tokens
from foxir.service.options import ServiceOptions
from foxir.service.pages.formula_html import LAYOUT, MATH, TOKENS
from tests.engine.small_index import index_of
from tests.foxir.service.living import HOSTILE, client, page_of
from tests.trust.test_forged_numbers import document, replace_column

TOKEN = "correct-horse-battery"
EVIL = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "javascript:alert(3)",
    "{{ 7*7 }}",
    "</textarea><b>",
]
# Elements and attributes that the pages themselves use.
OWN_TAGS = (
    "html head meta title link body a header img nav span main div h1 h2 p form label textarea button select "
    "option input details summary section pre aside ul ol li article mark footer blockquote q em strong sub sup "
    "code dl dt dd table caption thead tbody tr th td small time datalist figure figcaption svg rect path data "
    "kbd"
)
TAGS = frozenset(OWN_TAGS.split())
# Of formulas; what their attributes may be is in the tests of pages.
FORMULAS = LAYOUT | TOKENS | {MATH}


def assert_harmless(page: Any) -> None:
    """No element that the pages do not use, no handler, no address of another kind or place."""
    for element in page.iter():
        if not isinstance(element.tag, str):
            continue
        assert element.tag in TAGS | FORMULAS | {"script"}, element.tag
        if element.tag == "script":
            assert element.get("src", "").startswith("/static/"), element.get("src")
            assert not element.text
        for name, value in element.attrib.items():
            assert not name.startswith("on"), name
            assert name != "style"
            if name in ("href", "src", "action"):
                parts = urlsplit(value)
                assert (parts.scheme, parts.netloc) == ("", ""), value


@pytest.mark.parametrize("document", HOSTILE)
@pytest.mark.parametrize("page", ["/read", "/why"])
def test_documents_do_not_become_markup(hostile: TestClient, page: str, document: str) -> None:
    response = hostile.get(
        page, params={"document": document, "q": "whale", **({"place": 0} if page == "/why" else {})}
    )

    assert response.status_code == 200
    assert_harmless(page_of(response))


def test_titles_and_ids_in_answers_do_not_become_markup(hostile: TestClient) -> None:
    page = page_of(hostile.get("/", params={"q": "whale"}))

    assert_harmless(page)
    assert "<script>alert(1)</script> whale" in page.text_content()
    assert "{{ 7*7 }}" in page.text_content()


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize(
    "name", ["q", "kind", "tag", "named", "index", "document", "syntax", "path", "next", "min_words"]
)
def test_parameters_do_not_become_markup(hostile: TestClient, name: str, evil: str) -> None:
    for page in ("/", "/read", "/why", "/sign-in"):
        response = hostile.get(
            page, params={"q": "whale", "document": "plain", name: evil}, headers={"Accept": "text/html"}
        )
        assert response.status_code in (200, 404, 422)
        assert_harmless(page_of(response))


def test_every_response_has_the_headers(web: TestClient) -> None:
    for path in ("/", "/api/search?q=fog", "/nothing", "/static/foxir.css", "/api/search?bad=1", "/read"):
        headers = web.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers


def test_no_page_asks_for_anything_elsewhere(web: TestClient) -> None:
    for path in ("/", "/?q=fog", "/read?document=jats/fx-006&q=fog", "/status", "/sign-in"):
        assert_harmless(page_of(web.get(path)))


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8080", 200),
        ("localhost", 200),
        ("[::1]:8080", 200),
        ("192.168.1.9", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8080", 421),
        ("evil.example#@127.0.0.1", 421),
        ("evil@localhost", 421),
        ("localhost/evil", 421),
        ("localhost?evil", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_a_name_that_was_pointed_here_is_refused(web: TestClient, host: str, status: int) -> None:
    assert web.get("/healthz", headers={"Host": host}).status_code == status


def test_names_can_be_allowed(hostile_folder: Path) -> None:
    with client(hostile_folder, hosts=("search.example.org",)) as web:
        assert web.get("/", headers={"Host": "Search.example.org:443"}).status_code == 200
        assert web.get("/", headers={"Host": "other.example.org"}).status_code == 421


def test_sizes_are_bounded(hostile_folder: Path) -> None:
    with client(hostile_folder, max_query=100, max_body=1000) as web:
        assert web.get("/api/search", params={"q": "x" * 101}).status_code == 413
        assert web.post("/sign-in", content=b"x" * 2000).status_code == 413
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert web.post("/sign-in", content=(b"x" * 300 for _ in range(10)), headers=form).status_code == 413
        assert web.post("/sign-in", headers={"Content-Length": "-1"}).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2fetc/passwd",
        "/static/..%2foptions.py",
        "/static/%2e%2e/app.py",
        "//etc/passwd",
        "/static/base.html",
        "/static/../options.py",
    ],
)
def test_no_path_leads_to_files(web: TestClient, path: str) -> None:
    response = web.get(path)

    assert response.status_code == 404
    assert "root:" not in response.text


@pytest.fixture(scope="module")
def token_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text(f"# who\nana {TOKEN}\nbob {TOKEN[::-1]}\n", "utf-8")
    return file


def test_a_token_is_needed_everywhere(hostile_folder: Path, token_file: Path) -> None:
    with client(hostile_folder, token_file=token_file) as web:
        for path in ("/api/search?q=whale", "/api/status", "/metrics", "/openapi.json", "/api/nothing"):
            refused = web.get(path)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="foxir"')
            wrong = web.get(path, headers={"Authorization": "Bearer wrong-horse-battery"})
            assert (wrong.status_code, "this token is not known" in wrong.text) == (401, True)
        assert web.get("/?q=a%26b").headers["location"] == "/sign-in?next=%2F%3Fq%3Da%2526b"
        assert web.get("/healthz").status_code == 200
        right = web.get("/api/search?q=whale", headers={"Authorization": f"Bearer {TOKEN}"})
        assert right.status_code == 200


def test_signing_in_sets_a_cookie_that_scripts_cannot_read(hostile_folder: Path, token_file: Path) -> None:
    with client(hostile_folder, token_file=token_file) as web:
        assert web.post("/sign-in", data={"token": "wrong", "next": "/"}).status_code == 403
        done = web.post("/sign-in", data={"token": TOKEN, "next": "/?q=whale"})
        assert (done.status_code, done.headers["location"]) == (303, "/?q=whale")
        assert all(word in done.headers["set-cookie"] for word in ("HttpOnly", "SameSite=strict"))
        assert page_of(web.get("/?q=whale")).xpath("string(//span[@class='who'])") == "ana"

        assert "Secure" not in done.headers["set-cookie"]
        by_proxy = web.post("/sign-in", data={"token": TOKEN}, headers={"X-Forwarded-Proto": "https"})
        assert "Secure" in by_proxy.headers["set-cookie"]
        value = done.cookies[COOKIE]
        web.cookies.clear()
        for changed in (
            value[:-1] + ("0" if value[-1] != "0" else "1"),
            "x" + value,
            value.partition(".")[0] + ".",
            "%00",
            value[:-1] + "\u00e9",
        ):
            assert (
                web.get("/api/status", headers={"Cookie": f"{COOKIE}={changed}".encode("latin-1")}).status_code == 401
            )


@pytest.mark.parametrize(
    "next_page", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/\t/e"]
)
def test_signing_in_leads_nowhere_else(hostile_folder: Path, token_file: Path, next_page: str) -> None:
    with client(hostile_folder, token_file=token_file) as web:
        done = web.post("/sign-in", data={"token": TOKEN, "next": next_page})

        assert done.headers["location"] == "/"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}, 303),
    ],
)
def test_pages_of_other_origins_cannot_post(
    hostile_folder: Path, token_file: Path, headers: dict[str, str], status: int
) -> None:
    with client(hostile_folder, token_file=token_file) as web:
        assert web.post("/sign-in", data={"token": TOKEN}, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ana\n", "found 1 words"),
        ("ana short\n", "has 5 characters"),
        (f"ana {TOKEN}\nbob {TOKEN}\n", ":2: this name or token is in an earlier line"),
        ("# nothing\n", "no token found"),
    ],
)
def test_wrong_token_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(content, "utf-8")

    with pytest.raises(ArgumentError, match=message):
        read_tokens(file)
    with pytest.raises(ArgumentError, match="cannot be read"):
        read_tokens(tmp_path / "none")


def test_an_open_port_needs_tokens(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "192.168.1.9", "example.org", "::"):
        with pytest.raises(ArgumentError, match="--token-file"):
            ServiceOptions((tmp_path / "a.foxir",), host=host).check()
    for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"):
        ServiceOptions((tmp_path / "a.foxir",), host=host).check()
    with pytest.raises(ArgumentError, match="two indexes are named 'a'"):
        ServiceOptions((tmp_path / "a.foxir", tmp_path / "b/a")).check()


def test_logs_have_no_queries_by_default(hostile_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "foxir.service.json.requests"), client(hostile_folder) as web:
        web.get("/api/search?q=secret&kind=a%0ab")
    assert "secret" not in caplog.text
    assert "GET /api/search 200" in caplog.text
    with caplog.at_level("INFO", "foxir.service.json.requests"), client(hostile_folder, log_queries=True) as web:
        web.get("/api/search?q=secret%0aline")
    assert "q=secret%0aline" in caplog.text


def test_a_page_of_numbers_that_do_not_fit_together_says_so(tmp_path: Path) -> None:
    index_of(tmp_path, {"d": document(1)}, profile="jats").close()
    replace_column(tmp_path / "index", "elements/field_value.npy", np.full(2, 9, np.uint8))

    with client(tmp_path / "index") as web:
        response = web.get("/read", params={"document": "d"})
    assert response.status_code == 500
    assert "the numbers of the index do not fit together" in response.text
