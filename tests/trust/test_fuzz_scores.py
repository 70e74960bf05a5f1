"""Results that lie anywhere in 64 bits: every measure scores them as what ends where all texts have ended."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking, Run
from eval import read_assessments
from eval.judgements.judgements import Assessments
from eval.text.highlighted_text import DOCUMENT_STRIDE
from tests.eval.score_in_one_call import score
from tests.trust.soak import effort

FAMILIES = ["hixeval", "hixeval-group", "focused", "thorough", "ric", "bic", "span", "trec", "overlap"]
FOL = """7 Q0 a 14 60 2 2:4 20:10
7 Q0 b 0 30
8 Q0 c 5 549755813888 0 0:5
"""
OFFSETS = st.one_of(st.integers(0, 40), st.integers(2**38, 2**63 - 1))
RESULTS = st.lists(st.tuples(st.sampled_from("abcz"), OFFSETS, OFFSETS | st.just(-1)), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Assessments:
    file: Path = tmp_path_factory.mktemp("far") / "qrels"
    file.write_text(FOL)
    return read_assessments(file)


def scores(judged: Assessments, results: list[tuple[str, int, int]], family: str, overlapping: str) -> Any:
    """Return every score by topic, or the start of the refusal."""
    documents, starts, lengths = zip(*results, strict=True)
    rankings = {topic: Ranking.ranked(topic, documents, starts=starts, lengths=lengths) for topic in ("7", "8")}
    options = {"overlapping": overlapping} if family in ("focused", "ric") else {}
    try:
        table = score(judged, [Run("r", rankings)], [family], options)
    except MeasureError as error:
        return str(error).partition(",")[0]
    return [(row.measure, row.value, row.topics) for row in table.rows]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=effort(2, 2000, thorough=20), deadline=None)
@given(results=RESULTS, overlapping=st.sampled_from(["refuse", "union"]))
def test_no_place_is_too_far_to_be_scored(judged: Assessments, results: Any, family: str, overlapping: str) -> None:
    near = [(name, min(start, DOCUMENT_STRIDE), min(length, DOCUMENT_STRIDE)) for name, start, length in results]
    found = scores(judged, results, family, overlapping)

    assert found == scores(judged, near, family, overlapping)
    assert isinstance(found, str) or all(value is None or (isfinite(value) and value >= 0) for _, value, _ in found)


def test_a_result_that_never_ends_holds_all_that_comes_after_its_start(judged: Assessments) -> None:
    [*_, recall] = (
        topics["7"]
        for measure, _, topics in scores(judged, [("a", 3, 2**63 - 1)], "hixeval", "refuse")
        if measure == "R@1"
    )

    assert recall == 13 / 14  # of 4 + 10 characters all but the one at 2
