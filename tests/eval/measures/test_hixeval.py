from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judged_elements import with_elements
from eval.judgements.judgements import TOO_SMALL, UNKNOWN
from eval.measures.hixeval import hixeval, hixeval_group
from eval.text.highlighted_text import highlighted_characters
from tests.reference.hixeval import expected
from tests.reference.random_topics import Topic, doubled, topics
from tests.trust.soak import effort

GOLDEN = Path(__file__).parents[2] / "golden"
RUNS = json.loads((GOLDEN / "hixeval_runs.json").read_text())
DOCUMENTS = RUNS["collection"]["documents"]
CASES = [(run, case) for run, cases in RUNS["expected"].items() for case in cases]


class GoldenDocuments:
    """The sizes of the golden collection, of elements that are not judged too."""

    def length(self, document):
        return DOCUMENTS[document]["elements"]["/article[1]"]["end"]

    def spans(self, document, paths):
        elements = DOCUMENTS[document]["elements"]
        return np.array([(elements[path]["start"], elements[path]["end"]) for path in paths], dtype=np.int64)


def golden_judgements(*, passages=True, elements=True):
    builder = JudgementsBuilder("1", "2005", "golden")
    for name, document in DOCUMENTS.items():
        builder.document(name, name)
        for start, end in document["highlights"] if passages else ():
            builder.passage(start, end - start)
        for path, element in document["elements"].items():
            if elements and element["rsize"]:
                grade = TOO_SMALL if element["E"] == "?" else element["E"]
                builder.element(path, grade, element["rsize"] / element["size"], element["size"], element["rsize"])
    return builder.build()


def golden_ranking(run, *, offsets=False):
    results = RUNS["collection"]["runs"][run]
    names = [name for name, _ in results]
    if not offsets:
        return Ranking.ranked("1", names, [path for _, path in results])
    spans = [DOCUMENTS[name]["elements"][path] for name, path in results]
    return Ranking.ranked("1", names, starts=[s["start"] for s in spans], lengths=[s["size"] for s in spans])


def check_golden(ranking, judgements, case, precision):
    suffix = "" if precision == "elements" else "_eq51"
    scores = hixeval(
        ranking,
        judgements,
        GoldenDocuments(),
        alpha=case["alpha"],
        precision=precision,
        seen=case["mode"],
        at=tuple(int(rank) for rank in case["at"]),
    )
    for rank, values in case["at"].items():
        assert scores[f"P@{rank}"] == pytest.approx(values["P" + suffix], abs=1e-12)
        assert scores[f"R@{rank}"] == pytest.approx(values["R"], abs=1e-12)
        assert scores[f"F@{rank}"] == pytest.approx(values["F" + suffix], abs=1e-12)
    assert scores["AP"] == pytest.approx(case["AP" + suffix], abs=1e-12)
    assert scores["RP"] == pytest.approx(case["RP" + suffix], abs=1e-12)
    if precision == "elements":
        assert scores["iAP"] == pytest.approx(case["iAP11"], abs=1e-12)


@pytest.mark.parametrize("precision", ["elements", "text"])
@pytest.mark.parametrize(("run", "name"), CASES)
def test_golden_runs_by_path(run, name, precision):
    case = RUNS["expected"][run][name]

    check_golden(golden_ranking(run), golden_judgements(), case, precision)
    check_golden(golden_ranking(run), golden_judgements(passages=False), case, precision)


@pytest.mark.parametrize("precision", ["elements", "text"])
@pytest.mark.parametrize(("run", "name"), [case for case in CASES if "union" in case[1]])
def test_golden_runs_by_offset(run, name, precision):
    check_golden(golden_ranking(run, offsets=True), golden_judgements(), RUNS["expected"][run][name], precision)


def one_document(elements):
    builder = JudgementsBuilder("203", "2005", "fig. 2.1")
    builder.document("co/2000/r7108", "fig. 2.1")
    for path, size, rsize in elements:
        builder.element(path, 1, rsize / size, size, rsize)
    return builder.build()


def test_every_row_of_table_52():
    table = json.loads((GOLDEN / "hixeval_table52.json").read_text())
    judgements = one_document([(row["path"], row["size"], row["rsize"]) for row in table["rows"]])

    assert highlighted_characters(judgements).tolist() == [table["total"]]
    for row in table["rows"]:
        scores = hixeval(Ranking.ranked("203", ["co/2000/r7108"], [row["path"]]), judgements, at=(1,))
        assert scores["P@1"] == pytest.approx(row["P"], abs=1e-12)
        assert scores["R@1"] == pytest.approx(row["R"], abs=1e-12)
        assert scores["F@1"] == pytest.approx(row["seed_prints"][2], abs=0.015)  # printed from rounded P and R
        assert round(scores["P@1"], 2) == row["seed_prints"][0]
        assert round(scores["R@1"], 2) == row["seed_prints"][1]


SECTION = [("/article[1]/bdy[1]/sec[1]", 99, 99)]
PARAGRAPHS = [(f"/article[1]/bdy[1]/sec[1]/p[{n}]", 33, 33) for n in (1, 2, 3)]
SECOND = [("/article[1]/bdy[1]/sec[2]", 99, 99)]


@pytest.mark.parametrize(
    ("scenario", "system", "judged", "results"),
    [
        ("1", "A", SECTION + PARAGRAPHS, ["sec[1]", "sec[3]", "sec[4]"]),
        ("1", "B", SECTION + PARAGRAPHS, ["sec[1]/p[1]", "sec[1]/p[2]", "sec[1]/p[3]"]),
        ("2", "A", SECTION + PARAGRAPHS + SECOND, ["sec[1]", "sec[2]", "sec[4]"]),
        ("2", "B", SECTION + PARAGRAPHS + SECOND, ["sec[1]/p[1]", "sec[1]/p[2]", "sec[1]/p[3]"]),
    ],
)
def test_table_55(scenario, system, judged, results):
    table = json.loads((GOLDEN / "hixeval_table55.json").read_text())["scenarios"][scenario][system]
    ranking = Ranking.ranked("203", ["co/2000/r7108"] * 3, [f"/article[1]/bdy[1]/{path}" for path in results])

    scores = hixeval(ranking, one_document(judged), alpha=1, at=(3,))

    assert [scores["P@3"], scores["R@3"], scores["F@3"]] == pytest.approx([table["P"], table["R"], table["F"]])


alphas = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def score(topic: Topic, results=None, **options):
    if results is not None:
        topic = replace(topic, results=results)
    return hixeval(topic.ranking(), topic.judgements(), topic.documents, **options)


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics(), alphas, st.sampled_from(["elements", "text"]))
def test_paths_and_offsets_give_what_character_sets_give(topic, alpha, precision):
    assume(topic.relevant)
    judgements = topic.judgements()
    trel = len(topic.relevant) if alpha == 1 else int(judgements.elements.rsizes.sum())
    truth = expected(topic.places, topic.relevant, trel, Fraction(alpha), precision)
    n = len(topic.results)

    by_path = hixeval(
        topic.ranking(), judgements, topic.documents, alpha=alpha, precision=precision, at=(n or 1, n + 2)
    )
    by_offset = hixeval(
        topic.ranking(offsets=True), judgements, topic.documents, alpha=alpha, precision=precision, at=(n or 1, n + 2)
    )

    assert by_offset == pytest.approx(by_path)
    assert by_path["AP"] == pytest.approx(float(truth.ap))
    assert by_path["iAP"] == pytest.approx(float(truth.iap))
    assert by_path["RP"] == pytest.approx(float(truth.rp))
    if n:
        assert by_path[f"P@{n}"] == pytest.approx(float(truth.precision[-1]))
        assert by_path[f"R@{n}"] == pytest.approx(float(truth.recall[-1]))
        assert by_path[f"R@{n + 2}"] == by_path[f"R@{n}"]


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics(), alphas)
def test_passages_with_an_index_score_as_judged_elements_do(topic, alpha):
    assume(topic.relevant)
    passages = with_elements(topic.judgements(elements=False), topic.documents)

    assert hixeval(topic.ranking(), passages, topic.documents, alpha=alpha) == pytest.approx(score(topic, alpha=alpha))


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics())
def test_paths_are_looked_up_where_only_passages_are_judged(topic):
    assume(topic.relevant)

    found = hixeval(topic.ranking(), topic.judgements(elements=False), topic.documents, alpha=1.0)

    assert found == pytest.approx(score(topic, alpha=1.0))


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics(), st.data())
def test_a_duplicate_never_raises_recall_where_overlap_is_penalised(topic, data):
    assume(topic.relevant)
    twice = doubled(topic, data)
    ranks = tuple(range(1, len(twice) + 1))

    before, after = score(topic, alpha=1.0, at=ranks), score(topic, twice, alpha=1.0, at=ranks)

    assert all(after[f"R@{rank}"] <= before[f"R@{rank}"] + 1e-12 for rank in ranks)


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics())
def test_returning_the_passages_themselves_scores_one(topic):
    assume(topic.relevant)
    spans = [(name, start, end) for name, marks in topic.highlights.items() for start, end in marks]
    starts, lengths = [start for _, start, _ in spans], [end - start for _, start, end in spans]
    ranking = Ranking.ranked("1", [name for name, _, _ in spans], starts=starts, lengths=lengths)

    scores = hixeval(ranking, topic.judgements(), alpha=1.0, at=(len(spans),))

    assert set(scores.values()) == {1.0}


@settings(max_examples=effort(6, 1250, thorough=50))
@given(topics(), st.randoms())
def test_the_order_of_judged_documents_changes_nothing(topic, random):
    names = list(topic.documents.places)
    random.shuffle(names)
    shuffled = replace(topic)
    shuffled.documents.places = {name: topic.documents.places[name] for name in names}

    assert score(shuffled) == score(topic)


def test_nothing_highlighted_has_no_value():
    assert set(hixeval(Ranking.ranked("1", []), one_document([])).values()) == {None}


def test_an_empty_ranking_scores_zero():
    assert set(hixeval(Ranking.ranked("203", []), one_document(SECTION)).values()) == {0.0}


def test_a_whole_document_is_its_root_element():
    judgements = one_document([("/article[1]", 200, 50)])

    assert hixeval(Ranking.ranked("203", ["co/2000/r7108"]), judgements, at=(1,))["P@1"] == 0.25


def test_rsize_beyond_the_passages_is_kept_and_never_counted_twice():
    # sec[1] has one more character than its paragraph (a touching passage); 409 - 408 = 1 is left
    judgements = one_document([("/article[1]/sec[1]", 1301, 409), ("/article[1]/sec[1]/p[1]", 531, 408)])
    ranking = Ranking.ranked("203", ["co/2000/r7108"] * 2, ["/article[1]/sec[1]/p[1]", "/article[1]/sec[1]"])

    assert hixeval(ranking, judgements, alpha=1, at=(2,))["P@2"] == pytest.approx((408 / 531 + 1 / 1301) / 2)


def test_parents_smaller_than_their_children_never_lose_more_than_they_have():
    judgements = one_document([("/article[1]", 100, 10), ("/article[1]/p[1]", 20, 12)])
    ranking = Ranking.ranked("203", ["co/2000/r7108"] * 2, ["/article[1]/p[1]", "/article[1]"])

    assert hixeval(ranking, judgements, alpha=1, at=(2,))["P@2"] == pytest.approx((12 / 20 + 0) / 2)


def test_literal_needs_elements():
    with pytest.raises(MeasureError, match="seen=literal"):
        hixeval(golden_ranking("siblings", offsets=True), golden_judgements(), seen="literal")


def test_alpha_outside_its_range_is_an_error():
    with pytest.raises(MeasureError, match=r"alpha=1\.5: expected a number from 0"):
        hixeval(golden_ranking("siblings"), golden_judgements(), alpha=1.5)


def test_offsets_against_judgements_without_passages_are_an_error():
    with pytest.raises(MeasureError, match="judged elements but no passages"):
        hixeval(golden_ranking("siblings", offsets=True), golden_judgements(passages=False))


def test_paths_against_passages_need_an_index():
    with pytest.raises(MeasureError, match="index="):
        hixeval(golden_ranking("siblings"), golden_judgements(elements=False))


def test_passages_without_offsets_count_by_their_length():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("d", "test:1")
    builder.passage(UNKNOWN, 30, ("/a[1]/p[1]/text()[1].0", "/a[1]/p[2]"))
    builder.passage(UNKNOWN, 12, ("/a[1]/p[3]", "/a[1]/p[3]"))

    assert highlighted_characters(builder.build()).tolist() == [42]


def test_the_topmost_elements_count_where_the_root_is_not_judged():
    judgements = one_document([("/a[1]/s[1]", 50, 20), ("/a[1]/s[1]/p[1]", 30, 20), ("/a[1]/s[11]", 9, 5)])

    assert highlighted_characters(judgements).tolist() == [25]


def two_articles():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("a", "test:1")
    builder.element("/x[1]", 1, 0.4, 100, 40)
    builder.element("/x[1]/s[1]", 1, 0.5, 60, 30)
    builder.element("/x[1]/s[2]", 1, 1.0, 10, 10)
    builder.document("b", "test:2")
    builder.element("/x[1]", 1, 0.5, 40, 20)
    builder.document("c", "test:3")
    return builder.build()


def test_hand_computed_levels():
    ranking = Ranking.ranked("1", ["a", "c", "a"], ["/x[1]/s[2]", "/x[1]", "/x[1]/s[1]"])

    scores = hixeval_group(ranking, two_articles())

    # article a: P@2 = (10/10 + 30/60)/2, R@2 = 40/40, AP = mean(1, 0.75) * 1; article b was not returned: 0
    assert scores["Prec(element)"] == pytest.approx(0.75 / 2)
    assert scores["Rec(element)"] == pytest.approx(1 / 2)
    assert scores["AP(element)"] == pytest.approx(0.875 / 2)
    # articles a and c: rval/size = 40/100 and 0; 40 of 60 relevant characters; AP = 0.4 at rank 1, times 40/60
    assert scores["Prec(article)"] == pytest.approx(0.4 / 1500)
    assert scores["Rec(article)"] == pytest.approx(40 / 60)
    assert scores["AP(article)"] == pytest.approx(0.4 * 40 / 60)


def test_recall_within_an_article_is_over_its_elements_where_overlap_is_allowed():
    ranking = Ranking.ranked("1", ["a"], ["/x[1]/s[1]"])

    assert hixeval_group(ranking, two_articles(), alpha=0)["Rec(element)"] == pytest.approx(30 / 80 / 2)


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics(), st.sampled_from([0.0, 1.0]))
def test_one_article_alone_scores_as_a_list_does(topic, alpha):
    relevant = [name for name, marks in topic.highlights.items() if marks]
    assume(len(relevant) == 1)
    topic.results = [result for result in topic.results if result[0] == relevant[0]]
    n = max(len(topic.results), 1)

    grouped = hixeval_group(topic.ranking(), topic.judgements(), topic.documents, alpha=alpha)
    listed = hixeval(topic.ranking(), topic.judgements(), topic.documents, alpha=alpha, at=(n,))

    assert grouped["Prec(element)"] == pytest.approx(listed[f"P@{n}"])
    assert grouped["Rec(element)"] == pytest.approx(listed[f"R@{n}"])
    assert grouped["AP(element)"] == pytest.approx(listed["AP"])


def test_groups_without_highlights_have_no_value():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("c", "test:1")

    assert set(hixeval_group(Ranking.ranked("1", ["c"]), builder.build()).values()) == {None}
