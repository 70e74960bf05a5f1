"""A service with topics and its pages in a real browser: what its tests do on several of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

import pytest

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import ROOT, Sample
from tests.foxir.service.browser import WIDE, chromium, follow
from tests.foxir.service.living import QUERY, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANSWER = {"document": "jats/fx-006", "q": QUERY, "path": "/article[1]/body[1]/sec[5]/p[1]"}


class Desk(NamedTuple):
    """A browser, and the address of a service with topics."""

    browser: Browser
    home: str
    folder: Path
    index: Path


@contextmanager
def opened_desk(sample: Sample, folder: Path) -> Iterator[Desk]:
    """Yield a browser and a service over the sample collection, with its topics and two runs."""
    runs = folder / "scored.xml", folder / "thesis.xml"
    for run, file in zip((sample.run, sample.other), runs, strict=True):
        foxir.write_run(run, file)
    options = ServiceOptions(
        (sample.folder / "sample.foxir",),
        judgements=folder / "judged.db",
        topic_file=ROOT / "topics/co",
        pool=runs,
        pool_depth=5,
        max_waiting=50,
        quiet=True,
    )
    with chromium() as browser, running(options) as port:
        yield Desk(browser, f"http://127.0.0.1:{port}", folder, options.indexes[0])


def opened(desk: Desk, **options: object) -> Page:
    """Return a page in a context of its own, as of another person."""
    page = desk.browser.new_context(viewport=WIDE, reduced_motion="reduce", **options).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: pytest.fail(f"{page.url}: {error}"))
    page.on("console", lambda message: pytest.fail(message.text) if "Content Security" in message.text else None)
    return page


def judge_as(page: Page, home: str, name: str) -> None:
    page.goto(f"{home}/judge")
    page.fill("[name=name]", name)
    follow(page, "button")
    page.wait_for_selector("h1:has-text('Topics')")


def open_document(page: Page, home: str, document: str, topic: str = "1") -> None:
    page.goto(f"{home}/judge/document?{urlencode({'topic': topic, 'document': document})}")
    page.wait_for_selector("[data-judging=ready]", state="attached")


def quotes(page: Page, document: str, topic: str = "1") -> list[str]:
    query = urlencode({"topic": topic, "document": document})
    found = page.evaluate("(query) => fetch('/api/judgements?' + query).then((answer) => answer.json())", query)
    return [each["quote"] for each in found["highlights"]]


def search_with_image(page: Page) -> None:
    """Send an image of the collection; it is its own best answer, and the one after that matches in some blocks."""
    page.click("summary:has-text('Search with an image')")
    page.set_input_files("[name=file]", ROOT / "collections/images/lamp-3.png")
    follow(page, "button:has-text('Search with this image')")
    page.wait_for_selector(".example img")
    shown = page.locator(".list .image img")
    assert shown.first.get_attribute("alt") == "images/lamp-3.png"
    assert shown.first.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 16
    covered = [len(each.query_selector_all("rect")) for each in page.query_selector_all(".list .match-overlay")]
    assert covered[0] < covered[1]
    follow(page, ".list h2 a >> nth=1")
    assert page.locator(".text .picture .match-overlay").count() >= 1
    assert page.locator(".outline .of-image").count() >= 1
