"""The first title of a document is its title, unless it names one of several like parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.index.elements.headings import LONGEST_TITLE
from engine.presentation.breadcrumbs import breadcrumbs, document_titles
from tests.engine.small_index import answers_to, index_of

ITEM = "<item><title>{}</title><p>The members present agreed on the tender of the roof.</p></item>"
ITEMS = ITEM.format("Accounts") + ITEM.format("Roof")
OWN = "<title>Minutes of May</title>"
TITLED = ["Minutes of May", "Roof"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (ITEMS, ["Roof"]),
        (OWN + ITEMS, TITLED),
        (f"<top>{OWN}</top>{ITEMS}", TITLED),
        (f"<top><group>{OWN}</group><group><title>Protokoll</title></group></top>{ITEMS}", TITLED),
        (f"<head><p>Minutes</p><p>of May</p></head>{ITEMS}", TITLED),
        (f"<items>{ITEMS}</items>", ["Roof"]),
        (f"<day>{ITEMS}</day><day>{ITEM.format('Boats')}</day>", ["Roof"]),
        # the only one of its tag with a title, among others
        (f"<part>{ITEM.format('Accounts')}</part><item><p>The end of it.</p></item>", ["Accounts"]),
        (f"<item><p>The beginning.</p></item>{ITEM.format('Roof')}", ["Roof"]),
        (f"<intro><title>Before</title><p>We met in the loft.</p></intro>{ITEM.format('Roof')}", ["Before", "Roof"]),
    ],
)
def test_titles_above_the_last_item(tmp_path: Path, markup: str, expected: list[str]) -> None:
    with index_of(tmp_path, {"d": f"<minutes>{markup}</minutes>"}, profile="auto") as reader:
        tag = reader.elements.tag_numbers["item"]
        row = reader.elements.with_tags([tag], np.array([0]))[:2][-1]
        found = breadcrumbs(reader, np.array([0]), np.array([row]))[0]
    assert found == expected


def test_documents_with_and_without_a_title_are_told_apart_at_once(tmp_path: Path) -> None:
    documents = {"a": "<minutes><p>none</p></minutes>", "b": f"<minutes>{OWN}{ITEMS}</minutes>"}
    documents |= {"c": f"<minutes>{ITEMS}</minutes>", "d": f"<minutes><items>{OWN}{ITEMS}</items></minutes>"}
    with index_of(tmp_path, documents, profile="auto") as reader:
        numbers = np.array([reader.number(name) for name in documents])
        found = breadcrumbs(reader, numbers, reader.elements.root(numbers))
    assert found == [[], ["Minutes of May"], [], ["Minutes of May"]]


@pytest.mark.parametrize("n_words", [LONGEST_TITLE, LONGEST_TITLE + 1])
def test_a_part_that_is_called_a_title_is_none(tmp_path: Path, n_words: int) -> None:
    words = " ".join(f"word{number}" for number in range(n_words - 4))
    title = f"<title><p>The lamp.</p><p>Lens {words} end.</p></title>"
    act = f"<act><part>{title}<p>{'The keeper winds it. ' * 150}</p></part></act>"
    with index_of(tmp_path, {"d": act}, profile="auto") as reader:
        row = reader.elements.with_tags([reader.elements.tag_numbers["p"]], np.array([0]))[-1]
        above = breadcrumbs(reader, np.array([0]), np.array([row]))[0]
        found = {answer.path for answer in answers_to(reader, "lens", min_words="0")}
        scores = {
            weight: [answer.score for answer in answers_to(reader, "keeper lens", heading_weight=weight, focus=1)]
            for weight in (0, 1)
        }

    is_title = n_words <= LONGEST_TITLE
    assert [len(title.split()) for title in above] == ([n_words] if is_title else [])
    assert any("title" in path for path in found) == (not is_title)
    assert (scores[0] == scores[1]) == (not is_title)


def test_a_document_is_named_by_its_title_a_short_name_above_it_or_its_id(tmp_path: Path) -> None:
    documents = {
        "a": "<doc><name>Trial 4</name><p>The lamp.</p></doc>",
        "b": "<doc><name>Trial 5</name><body><sec><title>Overview</title><p>a</p></sec></body></doc>",
        "c": f"<doc><name>{'long ' * 21}</name><p>The lamp.</p></doc>",
    }
    with index_of(tmp_path, documents, profile="jats") as reader:
        numbers = np.array([reader.number(name) for name in documents])
        assert document_titles(reader, numbers) == ["Trial 4", "Trial 5", "c"]
