"""Queries of function words find the text that has them in a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.small_index import answers_to, index_of

FILLER = " ".join(
    f"<l>The sail of the boat is in the wind, and it was not to be that number {n}.</l>" for n in range(9)
)
PLAY = "<play><l>To be, or not to be, that is the matter:</l><l>All the world is a stage.</l></play>"
OTHER = "<play><l>He was in the matter of the rope, the matter being his own.</l><l>The world has a stage.</l></play>"


@pytest.mark.parametrize(
    ("query", "line"),
    [("to be or not to be that is the matter", 1), ("to be or not to be", 1), ("all the world is a stage", 2)],
)
def test_the_words_in_their_order_come_first(tmp_path: Path, query: str, line: int) -> None:
    documents = {"other": OTHER, "play": PLAY, "rest": f"<play>{FILLER}</play>"}
    with index_of(tmp_path, documents) as index:
        answers = answers_to(index, query, min_words=1)
        assert (answers.document_ids[0], answers.paths[0]) == ("play", f"/play[1]/l[{line}]")


@pytest.mark.parametrize("query", ["the matter of the rope", "+to be or not to be", "boat wind sail"])
def test_other_queries_have_no_such_phrase(tmp_path: Path, query: str) -> None:
    with index_of(tmp_path, {"play": PLAY, "rest": f"<play>{FILLER}</play>"}) as index:
        assert not any(term.is_phrase for term in answers_to(index, query).plan.query.terms)
