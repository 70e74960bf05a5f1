"""The page that explains an element: also where it is a whole among passages."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, page_of


def test_a_passage_that_is_a_whole_element_is_explained(web: TestClient, sample: Sample) -> None:
    whole = next(each for each in sample.index.search(QUERY, passages=True) if each.sentences is None)
    why = web.get("/why", params={"q": QUERY, "document": whole.document, "path": whole.path, "passages": "1"})

    assert "the whole element: returned at rank" in page_of(why).xpath("string(//div[@class='trees'])")
