"""An index that lacks what was judged or returned is refused, or its gaps are named."""

from __future__ import annotations

import pytest

from engine.errors import MeasureError
from engine.notices import Notice, about
from engine.runs import Ranking, Run
from eval import Assessments, read_assessments
from eval.measures import FAMILIES
from eval.scoring.request import DOCUMENT_FAMILIES, ScoringRequest
from eval.tuning.scorer import MeasureScorer
from tests.eval.score_in_one_call import score
from tests.notice_codes import code
from tests.reference.flat_documents import FlatDocuments

TEXT = "<a><p>0123456789</p><p>0123456789</p></a>"
# Documents a, b and c are relevant, n is judged and not relevant.
FOL = "7 Q0 a 4 20 2 2:4\n7 Q0 b 4 20 2 2:4\n7 Q0 n 0 20\n8 Q0 c 5 20 0 0:5\n"
XML = """<assessments topic="7"><file name="a"><element path="/a[1]" exhaustivity="2" size="20" rsize="10"/></file>
<file name="n"/></assessments>"""
WRONG = "none of its relevant documents is in the index: it judges 'a'{}; is it the index of the judged collection[?]"


@pytest.fixture
def judged(tmp_path) -> Assessments:
    file = tmp_path / "qrels.fol"
    file.write_text(FOL)
    return read_assessments(file)


def index_of(*documents: str) -> FlatDocuments:
    return FlatDocuments(dict.fromkeys(documents, TEXT))


def run(*documents: str, topic: str = "7", run_id: str = "r") -> Run:
    paths, n = ["/a[1]"] * len(documents), len(documents)
    return Run(run_id, {topic: Ranking.ranked(topic, documents, paths, starts=[0] * n, lengths=[20] * n)})


@pytest.mark.parametrize("family", sorted(FAMILIES.keys() - set(DOCUMENT_FAMILIES)))
@pytest.mark.parametrize("documents", [(), ("n", "x/a", "x/b", "x/c")])
def test_every_measure_of_text_refuses_an_index_without_relevant_documents(family, documents, judged):
    with pytest.raises(MeasureError, match=f"qrels.fol: {WRONG.format(' and 2 more')}"):
        score(judged, [run("a")], [family], locator=index_of(*documents))


def test_judged_elements_are_looked_for_as_passages_are(tmp_path):
    file = tmp_path / "judged.xml"
    file.write_text(XML)

    with pytest.raises(MeasureError, match=WRONG.format("")):
        score(file, [run("a")], locator=index_of("n"))
    assert not score(file, [run("a")], locator=index_of("a")).notices


def test_only_requested_topics_are_looked_for(judged):
    with pytest.raises(MeasureError, match="it judges 'c';"):
        score(judged, [run("a"), run("c", topic="8")], topics=["8"], locator=index_of("a", "b"))


@pytest.mark.parametrize("family", DOCUMENT_FAMILIES)
def test_whole_documents_are_scored_under_any_index(family, judged):
    ranked = run("a", "n")

    assert (
        score(judged, [ranked], [family], locator=index_of()).to_dict() == score(judged, [ranked], [family]).to_dict()
    )


def of_documents(table):
    """Return the notices of documents that are not in the index."""
    return [notice for notice in table.notices if code(notice).endswith("not_in_index")]


def missing(judged, *documents):
    return about(judged.source, Notice("relevant_not_in_index", {"missing": documents, "relevant": 3}, "doubt"))


def test_relevant_documents_missing_from_the_index_are_named_once(judged):
    table = score(judged, [run("a"), run("a", run_id="s")], ["hixeval", "thorough"], locator=index_of("a"))

    assert of_documents(table) == [missing(judged, "b", "c")]


@pytest.mark.parametrize("family", ["hixeval", "inex_eval", "xcg", "thorough"])
def test_some_missing_documents_are_named_by_every_measure_of_text(family, judged):
    options = {"quant": "gen"} if family in ("inex_eval", "xcg") else None
    table = score(judged, [run("a")], [family], options, locator=index_of("a"))

    assert missing(judged, "b", "c") in table.notices
    assert any(row.topics["7"] for row in table.rows)


def test_tuning_refuses_the_index_of_other_documents_and_names_missing_ones(judged):
    def scorer(locator):
        return MeasureScorer(ScoringRequest.of(judged, ["hixeval:AP"], locator=locator))

    with pytest.raises(MeasureError, match=WRONG.format(" and 2 more")):
        scorer(index_of("n"))
    assert scorer(index_of("a", "b", "c")).index_notices() == []
    assert scorer(index_of("a", "b")).index_notices() == [missing(judged, "c")]


def test_results_in_documents_missing_from_the_index_are_counted_for_each_run(judged):
    runs = [run("a", "u", "u", "n", "v"), run("a", "b", run_id="s")]
    table = score(judged, runs, locator=index_of("a", "b", "c"))

    fields = {"count": 4, "results": 5, "missing": ("u", "n", "v")}
    assert of_documents(table) == [about("r", Notice("returned_not_in_index", fields, "doubt"))]


def test_an_index_with_all_documents_is_not_mentioned(judged):
    table = score(judged, [run("a", "n", "u"), run("c", topic="8")], locator=index_of("a", "b", "c", "u", "n"))

    assert of_documents(table) == []
