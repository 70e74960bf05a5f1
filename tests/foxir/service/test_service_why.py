"""The page that explains an element: in a sentence, as a bar, and as trees; also where it is a whole among passages."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, got, page_of


def test_a_passage_that_is_a_whole_element_is_explained(web: TestClient, sample: Sample) -> None:
    whole = next(each for each in sample.index.search(QUERY, passages=True) if each.sentences is None)
    why = web.get("/why", params={"q": QUERY, "document": whole.document, "path": whole.path, "passages": "1"})

    assert "the whole element: returned at rank" in page_of(why).xpath("string(//div[@class='trees'])")


def parts_of(explained: dict[str, Any]) -> list[float]:
    """Return the values of the parts of a score, as `explain` has them."""
    whole = explained["element"]
    if explained["passages"]:
        whole = next(each["score"] for each in explained["passages"] if each["outcome"]["rank"] is not None)
    return [part["value"] for part in whole["details"] if part["value"] is not None]


@pytest.mark.parametrize("settings", [{}, {"passages": "1"}, {"article_weight": "0"}, {"similarity": "bm25"}])
def test_the_parts_of_the_bar_are_those_of_the_explanation_to_the_last_digit(
    web: TestClient, sample: Sample, settings: dict[str, str]
) -> None:
    for answer in got(web, "/api/search", q=QUERY, limit=3, **settings)["answers"]:
        asked = {"q": QUERY, "document": answer["document"], "path": answer["path"], **settings}
        explained = got(web, "/api/explain", **asked)
        page = page_of(web.get("/why", params=asked))
        shown = [float(value) for value in page.xpath("//ul[@class='parts']/li/details/summary/data/@value")]
        (score,) = page.xpath("//p[@class='total']/data/@value")
        total = 0.0
        for value in shown:
            total += value
        widths = [float(value) for value in page.xpath("//svg[@class='bar']/rect/@width")]

        assert shown == parts_of(explained)
        assert total == float(score) == explained["score"]
        assert widths == pytest.approx([100 * value / total for value in shown], abs=0.001)


def test_why_says_in_a_sentence_which_words_count_and_which_are_lacking(web: TestClient, sample: Sample) -> None:
    query = f"{QUERY} qwertz"
    answer = sample.index.search(query)[0]
    asked = {"q": query, "document": answer.document, "path": answer.path}
    said = page_of(web.get("/why", params=asked)).xpath("string(//p[@class='outcome'])")
    explained = sample.index.explain(query, answer.document, answer.path)
    assert explained.element is not None
    counts = {part.facts["term"].split("|")[0]: part.facts["tf"] for part in explained.element.find("term")}

    assert said.startswith("This passage is number 1. It says ")
    assert all(
        f"{word} {counts[stem]}×" in said for word, stem in (("fog", "fog"), ("range", "rang")) if counts.get(stem)
    )
    assert "No document has qwertz." in said
    assert f"Its article ranks {explained.article.facts['rank']}" in said
    assert f"of {len(sample.index)}" in said


def test_why_says_in_a_sentence_why_an_element_is_no_answer(web: TestClient, sample: Sample) -> None:
    answer = sample.index.search(QUERY)[0]
    asked = {"q": QUERY, "document": answer.document, "path": answer.path.rpartition("/")[0]}
    said = page_of(web.get("/why", params=asked)).xpath("string(//p[@class='outcome'])")

    assert said.startswith("This passage is not returned: ")
    structure = {"q": f"//sec[about(., {QUERY})]", "rank_by": "structure", "syntax": "path"}
    assert web.get("/why", params={**asked, **structure}).status_code == 200
