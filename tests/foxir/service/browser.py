"""A real browser for tests: Debian's Chromium, driven by Playwright; tests are skipped where one of them is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# `make test-web` sets it: the long versions, and pictures of every page in build/pages.
IS_LONG = bool(os.environ.get("FOXIR_WEB"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    if CHROMIUM is None:
        pytest.skip("the browser tests need Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


def axe_problems(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page, which must be in a context that bypasses its policy."""
    script = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    page.add_script_tag(content=script)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{page.url}: {violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


# Where characters start to end of the text are on the screen: centres of the first and the last character.
_PLACES = """([start, end]) => {
  const walker = document.createTreeWalker(document.getElementById('text'), NodeFilter.SHOW_TEXT);
  let unit = 0, first, last;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!first && start < unit + node.length) first = [node, start - unit];
    if (end <= unit + node.length) { last = [node, end - unit]; break; }
    unit += node.length;
  }
  first[0].parentElement.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = (node, a, b) => {
    const range = document.createRange();
    range.setStart(node, a);
    range.setEnd(node, b);
    return range.getClientRects()[0];
  };
  const size = (text, unit) => (text.codePointAt(unit) > 0xffff ? 2 : 1);
  const a = box(first[0], first[1], first[1] + size(first[0].data, first[1]));
  const before = last[1] - ((last[0].data.charCodeAt(last[1] - 1) & 0xfc00) === 0xdc00 ? 2 : 1);
  const b = box(last[0], before, last[1]);
  const leftwards = (node) => /[\\u0590-\\u07ff]/.test(node.data);
  const [x1, x2] = [leftwards(first[0]) ? a.right - 1 : a.left + 1, leftwards(last[0]) ? b.left + 1 : b.right - 1];
  return [x1, a.top + a.height / 2, x2, b.top + b.height / 2];
}"""


def drag(page: Page, start: int, end: int, *, exact: bool = True) -> None:
    """Mark characters (UTF-16 units of the text on the page) with the mouse, and wait until they are saved.

    exact: with the Alt key, without which whole words are marked.
    """
    places: Any = page.evaluate(_PLACES, [start, end])
    with page.expect_response("**/api/judgements") as saved:
        if exact:
            page.keyboard.down("Alt")
        page.mouse.move(places[0], places[1])
        page.mouse.down()
        page.mouse.move(places[2], places[3], steps=4)
        page.mouse.up()
        if exact:
            page.keyboard.up("Alt")
    assert saved.value.status == 200
    page.wait_for_selector("#feedback:has-text('Saved.')")


def follow(page: Page, selector: str) -> None:
    """Click what leads to another page, and wait until that is there; a click alone returns on the page before."""
    with page.expect_navigation():
        page.click(selector)


def slow_down(page: Page, *, latency: float, rate: float) -> None:
    """Make the network of a page slow: milliseconds until an answer begins, bytes a second."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": latency, "downloadThroughput": rate, "uploadThroughput": rate},
    )


# Where the focus is: the element, whether it is on the screen and marked, and whether it is behind the last one.
_FOCUS = """() => {
  const element = document.activeElement, last = window.lastFocused;
  window.lastFocused = element;
  if (element === document.body) return null;
  const box = element.getBoundingClientRect(), style = getComputedStyle(element);
  return {
    name: element.outerHTML.slice(0, 100),
    seen: box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight,
    marked: element.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    behind: !last || !last.isConnected || Boolean(last.compareDocumentPosition(element) & 4),
  };
}"""


def tab_to(page: Page, selector: str, most: int = 150) -> None:
    """Go on with the Tab key to an element; on the way the focus is seen, and goes from top to bottom."""
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(_FOCUS)
        assert found is not None, f"{page.url}: {selector} is not reached"
        assert found["seen"], f"{page.url}: not on the screen: {found['name']}"
        assert found["marked"], f"{page.url}: the focus is not marked: {found['name']}"
        assert found["behind"], f"{page.url}: out of order: {found['name']}"
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{page.url}: {selector} is not reached in {most} steps")


def text_of(page: Page) -> str:
    """Return the text on a page, as the script counts it."""
    return str(page.evaluate("() => document.getElementById('text').textContent"))


def press(page: Page, *keys: str) -> None:
    """Press keys in the text; the last one saves something."""
    page.focus("#text")
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_response("**/api/judgements") as saved:
        page.keyboard.press(keys[-1])
    assert saved.value.status == 200
    page.wait_for_selector("#feedback:has-text('Saved.')")
