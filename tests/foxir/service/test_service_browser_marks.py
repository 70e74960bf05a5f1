"""Marking by the keyboard, by the pens, and in two windows, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foxir.service.options import ServiceOptions
from tests.foxir.service.browser import chromium, drag, press, text_of
from tests.foxir.service.browser_desk import Desk, judge_as, open_document, opened, quotes
from tests.foxir.service.desk import judged_index
from tests.foxir.service.living import running

pytestmark = pytest.mark.long

DOCUMENTS = {
    "blocks": "<article><front/><body><sec><title>A title</title><p>First block.</p>\n <p>Second block.</p></sec>"
    "<sec><p>Third block.</p></sec></body></article>",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("marks")
    index = judged_index(folder, DOCUMENTS)
    options = ServiceOptions(
        (index,), judgements=folder / "judged.db", topic_file=folder / "topics.xml", max_waiting=50, quiet=True
    )
    with chromium() as browser, running(options) as port:
        yield Desk(browser, f"http://127.0.0.1:{port}", folder, index)


@pytest.mark.parametrize(
    ("keys", "marked"),
    [
        ("Right Right", "title"),
        ("Right Right Right", "First"),  # there is no white space between the blocks
        ("Right Right Right Left", "title"),
        ("Down Down Shift+Right Shift+Left", "First block."),
        ("Right Shift+Right Shift+Right Shift+Left", "A title"),
        ("Down Down Down Down Up", "Second block."),
        ("Down Down Shift+Down Shift+Down Shift+Up", "First block.\n Second block."),
        ("Down Down Shift+Down Shift+Up Shift+Up", "First block."),
    ],
)
def test_keys_frame_blocks_and_words(keys: str, marked: str, desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, keys)
    open_document(page, desk.home, "blocks")
    pressed = [key.replace("Right", "ArrowRight").replace("Left", "ArrowLeft") for key in keys.split()]
    pressed = [key.replace("Down", "ArrowDown").replace("Up", "ArrowUp") for key in pressed]
    press(page, *pressed, "Enter")
    assert quotes(page, "blocks") == [marked]
    page.context.close()


def test_the_pen_that_erases(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "erasing")
    open_document(page, desk.home, "blocks")
    start = text_of(page).index("First")
    drag(page, start, start + len("First block."))
    page.check("[name=pen][value=erase]")
    drag(page, start + len("First "), start + len("First block"))
    assert quotes(page, "blocks") == ["First ", "."]
    page.context.close()


def test_a_drag_that_ends_inside_words_marks_whole_ones_with_alt_exact_characters(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "whole words")
    open_document(page, desk.home, "blocks")
    start = text_of(page).index("First")
    drag(page, start + 2, start + 8, exact=False)
    start = text_of(page).index("Second")
    drag(page, start + 1, start + 4)  # with Alt
    assert quotes(page, "blocks") == ["First block", "eco"]
    page.context.close()


def test_a_second_window_does_not_overwrite_the_first(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "twice")
    open_document(page, desk.home, "blocks")
    other = page.context.new_page()
    open_document(other, desk.home, "blocks")
    press(page, "ArrowDown", "Enter")
    other.focus("#text")
    other.keyboard.press("ArrowDown")
    with other.expect_response("**/api/judgements") as answer:
        other.keyboard.press("Delete")

    assert answer.value.status == 409
    assert quotes(page, "blocks") == ["A title"]
    page.context.close()


def test_a_note_that_is_not_saved_is_not_lost_silently(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "leaving")
    open_document(page, desk.home, "blocks")
    page.route("**/api/judgements", lambda route: route.abort())
    page.focus("#note")
    page.keyboard.type("Begins well.")
    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.accept()


def test_browsers_without_highlights_show_marks_as_boxes_over_the_text(desk: Desk) -> None:
    page = opened(desk)
    page.add_init_script("Object.defineProperty(CSS, 'highlights', {value: undefined}); delete globalThis.Highlight")
    judge_as(page, desk.home, "old")
    open_document(page, desk.home, "blocks")
    press(page, "ArrowDown", "ArrowDown", "Enter")
    page.wait_for_selector("#feedback:has-text('1 highlight. Saved.')")
    assert quotes(page, "blocks") == ["First block."]
    shade = "document.querySelector('.shade.judged').getBoundingClientRect()"
    assert (
        page.evaluate(
            f"() => {{ const {{x, y, height}} = {shade}; "
            "const range = document.caretRangeFromPoint(x + 2, y + height / 2); return range.startContainer.data; }"
        )
        == "First block."
    )
    press(page, "z")
    page.wait_for_selector("#feedback:has-text('0 highlights. Saved.')")
    assert not page.query_selector(".shade.judged")
