"""The pages in a real browser without a mouse, over a slow or failing network, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.foxir.conftest import Sample
from tests.foxir.service.browser import IS_LONG, follow, slow_down, tab_to
from tests.foxir.service.browser_desk import (
    ANSWER,
    QUERY,
    Desk,
    judge_as,
    open_document,
    opened,
    opened_desk,
    quotes,
    search_with_image,
)

pytestmark = pytest.mark.long

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


@pytest.fixture(scope="module")
def desk(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with opened_desk(sample, tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.mark.skipif(not IS_LONG, reason="make test-web runs it")
def test_everything_is_reached_by_the_keyboard(desk: Desk) -> None:
    page = opened(desk)
    page.goto(desk.home)
    page.keyboard.type(QUERY)  # the box has the focus
    with page.expect_navigation():
        page.keyboard.press("Enter")
    tab_to(page, ".list h2 a")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    tab_to(page, ".text .why")  # begins at the answer
    page.goto(f"{desk.home}/read?{urlencode({'document': ANSWER['document'], 'q': QUERY})}")
    tab_to(page, ".outline .entry")
    tab_to(page, ".text .why")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.inner_text("h1").startswith("Why")
    page.goto(f"{desk.home}/judge")
    page.keyboard.type("kim")  # the name has the focus
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for _ in range(2):
        tab_to(page, "table a")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.wait_for_selector("[data-judging=ready]", state="attached")
    assert page.evaluate("() => document.activeElement.id") == "text"  # at once
    with page.expect_response("**/api/judgements"):
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    page.wait_for_selector("#feedback:has-text('1 highlight')")
    tab_to(page, "#note")
    page.keyboard.type("By keyboard.")
    tab_to(page, "[data-do=done]")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "1 of" in page.inner_text(".back")
    page.context.close()


@pytest.mark.skipif(not IS_LONG, reason="make test-web runs it")
def test_a_slow_network_loses_nothing_and_a_failing_one_says_so(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "liv")
    slow_down(page, latency=300, rate=50_000)
    open_document(page, desk.home, "jats/fx-008")
    page.focus("#text")
    for key in ("ArrowDown", "Enter", "ArrowDown", "Enter", "ArrowDown", "Enter"):  # faster than the answers come
        page.keyboard.press(key)
    assert page.inner_text("#feedback") == "Saving …"
    page.wait_for_selector("#feedback:has-text('3 highlights')")
    assert len(quotes(page, "jats/fx-008")) == 3

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/judgements", hold)
    for fail in (
        lambda route: route.abort(),  # the connection breaks
        lambda route: route.fulfill(status=200, content_type="text/html", body="<p>Sign in to the network</p>"),
    ):
        page.focus("#text")
        for key in ("ArrowDown", "Enter", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        while not held:
            page.wait_for_timeout(10)
        fail(held.pop())
        page.wait_for_selector("#feedback.wrong:has-text('Not saved')")
        page.wait_for_timeout(100)
        assert not held  # the one behind it is not sent
        assert "Not saved" in page.inner_text("#feedback")
    page.unroute("**/api/judgements")
    assert len(quotes(page, "jats/fx-008")) == 3

    page.fill("#note", "Kept.")
    page.route("**/api/judgements", lambda route: route.abort(), times=1)
    address = page.url
    page.focus("[data-do=done]")  # the note is saved when it loses the focus
    page.wait_for_selector("#feedback.wrong:has-text('Not saved')")
    page.click("[data-do=done]")
    page.wait_for_url(lambda url: url != address)
    found = judgements(page, "jats/fx-008")
    assert (found["note"], found["done"]) == ("Kept.", True)
    page.context.close()


def test_a_note_is_neither_lost_nor_saved_against_its_undoing(desk: Desk) -> None:
    """Undone it is not in its field, from which finishing would save it; typed last it is saved although one leaves."""
    page = opened(desk)
    judge_as(page, desk.home, "nora")
    open_document(page, desk.home, "jats/fx-008")
    page.fill("#note", "First.")
    page.focus("#text")
    page.wait_for_selector("[data-do=undo]:not(:disabled)")
    page.click("[data-do=undo]")
    page.wait_for_selector("[data-do=redo]:not(:disabled)")
    assert page.input_value("#note") == ""
    page.click("[data-do=redo]")
    page.wait_for_selector("[data-do=redo]:disabled")
    assert page.input_value("#note") == "First."
    page.click("[data-do=undo]")
    page.wait_for_selector("[data-do=redo]:not(:disabled)")
    address = page.url
    page.click("[data-do=done]")
    page.wait_for_url(lambda url: url != address)
    assert judgements(page, "jats/fx-008")["note"] == ""

    open_document(page, desk.home, "jats/fx-008")
    page.fill("#note", "Second.")
    slow_down(page, latency=300, rate=50_000)
    page.goto(f"{desk.home}/judge")  # at once, with the focus in the note
    for _ in range(50):  # the page does not wait for the answer
        if judgements(page, "jats/fx-008")["note"]:
            break
        page.wait_for_timeout(100)
    assert judgements(page, "jats/fx-008")["note"] == "Second."

    open_document(page, desk.home, "jats/fx-008")
    address = page.url
    page.focus("#text")
    page.keyboard.press("s")
    page.fill("#note", "Third.")  # while the document is being finished
    page.wait_for_url(lambda url: url != address)
    assert judgements(page, "jats/fx-008")["note"] == "Third."
    page.context.close()


def test_what_is_judged_in_an_overload_is_saved_after_it_and_a_changed_text_is_noticed(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "olaf")
    open_document(page, desk.home, "jats/fx-008")
    refused: list[dict[str, Any]] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.post_data_json)
        route.fulfill(status=503, headers={"Retry-After": "1"}, json={"detail": "too much to do"})

    page.route("**/api/judgements", refuse, times=2)
    page.focus("#text")
    for key in ("ArrowDown", "Enter", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("#feedback:has-text('2 highlights')")
    found = judgements(page, "jats/fx-008")
    assert len(found["highlights"]) == 2
    assert [each["checksum"] for each in refused] == [found["checksum"]] * 2  # of the text on the page

    page.route(  # as if the document had changed
        "**/api/judgements", lambda route: route.fulfill(json={**found, "note": "Late.", "checksum": "0" * 64}), times=1
    )
    page.fill("#note", "Late.")
    page.focus("#text")
    page.wait_for_selector("#feedback.wrong:has-text('The document has changed')")
    page.context.close()


def judgements(page: Page, document: str) -> dict[str, Any]:
    """Return what the assessor of a page has judged in a document."""
    query = urlencode({"topic": "1", "document": document})
    found: dict[str, Any] = page.evaluate(
        "(query) => fetch('/api/judgements?' + query).then((answer) => answer.json())", query
    )
    return found


@pytest.mark.skipif(not IS_LONG, reason="make test-web runs it")
def test_all_but_judging_works_without_scripts(desk: Desk) -> None:
    page = opened(desk, java_script_enabled=False)
    page.goto(desk.home)
    page.fill("#q", QUERY)
    follow(page, ".search button")
    follow(page, ".list h2 a >> nth=0")
    assert page.locator(".text .focus").first.is_visible()
    page.click(".outline .cell >> nth=0")
    follow(page, ".text .why >> nth=0")
    assert page.locator(".trees").is_visible()
    page.goto(desk.home)
    search_with_image(page)
    page.goto(f"{desk.home}/?q=fog&offset=10")
    follow(page, "[rel=prev]")
    follow(page, ".facets a >> nth=0")
    assert page.locator(".facets .chosen").is_visible()
    judge_as(page, desk.home, "eli")
    follow(page, "table a >> nth=0")
    follow(page, "table a >> nth=0")
    assert page.locator("noscript").is_visible()
    assert not page.locator("#desk").is_visible()
    page.context.close()
