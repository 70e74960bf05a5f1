from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.inex_eval_ng import grades, inex_eval_ng, interpolated, new_characters, relevant_sum
from eval.text.offsets import with_result_offsets
from tests.reference import inex_eval_ng as reference
from tests.reference.random_topics import doubled, topics
from tests.trust.soak import effort

NG = json.loads((Path(__file__).parents[2] / "golden/ng.json").read_text())
COLLECTION = NG["collection"]
CASES = [(run, quant) for run, values in NG["expected"].items() for quant in values]
REL = {"leaves": "Rel_leaves", "antichain": "Rel_max_antichain", "all": "N_sum_fE"}
RECALL = {"leaves": "recall_leaf", "antichain": "recall_antichain", "all": "recall_all"}


class GoldenDocuments:
    def spans(self, document, paths):
        elements = COLLECTION[document]["elements"]
        return np.array([(elements[path]["start"], elements[path]["end"]) for path in paths], dtype=np.int64)


def judged(rows):
    """Return judgements on the scale of 2003 from (document, path, E, S)."""
    builder = JudgementsBuilder("1", "2003", "test")
    for document in dict.fromkeys(row[0] for row in rows):
        builder.document(document, document)
        for name, path, exhaustivity, specificity in rows:
            if name == document:
                builder.element(path, exhaustivity, float(specificity), -1, -1)
    return builder.build()


GOLDEN = judged([(row["doc"], row["path"], row["E"], row["S"]) for row in NG["assessments"]])


def ranked(results):
    return Ranking.ranked("1", [name for name, _ in results], [path for _, path in results])


@pytest.mark.parametrize("rel", REL)
@pytest.mark.parametrize(("run", "quant"), CASES)
def test_golden_curves(run, quant, rel):
    expected, ranking = NG["expected"][run][quant], ranked(NG["runs"][run])
    exhaustive, _ = grades(GOLDEN, quant)
    assert relevant_sum(GOLDEN, exhaustive, rel) == pytest.approx(expected[REL[rel]], abs=1e-9)
    _, new = new_characters(with_result_offsets(ranking, GoldenDocuments()))
    assert new.tolist() == [rank["new_chars"] for rank in expected["ranks_o"]]

    scores = inex_eval_ng(ranking, GOLDEN, GoldenDocuments(), quant=quant, rel=rel)

    for variant, ranks, recall in (("s", expected["ranks_s"], "recall"), ("o", expected["ranks_o"], RECALL[rel])):
        curve = interpolated(
            np.array([rank[recall] for rank in ranks]), np.array([rank["precision"] for rank in ranks])
        ).tolist()
        assert [scores[f"P({variant})[{x / 100:.2f}]"] for x in range(1, 101)] == pytest.approx(curve, abs=1e-9)
        assert scores[f"AP({variant})"] == pytest.approx(sum(curve) / 100, abs=1e-9)


@st.composite
def graded_topics(draw):
    topic = draw(topics())
    spans = {(name, path): span for name, places in topic.documents.places.items() for path, span in places.items()}
    found = {place: draw(st.sampled_from([(0, 0), (1, 1), (1, 3), (2, 2), (3, 1), (3, 3)])) for place in spans}
    return topic, spans, found, judged([(*place, *grade) for place, grade in found.items()])


@settings(max_examples=effort(6, 1500, thorough=150), deadline=None)
@given(graded_topics(), st.sampled_from(["strict", "gen"]), st.sampled_from(list(REL)))
def test_averages_equal_those_of_character_sets(graded, quant, rel):
    topic, spans, found, judgements = graded
    assume(len(found) <= 12)
    values = {p: Fraction(e == 3) if quant == "strict" else Fraction(e, 3) for p, (e, _) in found.items()}
    assume(any(values.values()))
    total, most = sum(values.values(), Fraction(0)), reference.relevant_sum(values, rel)
    ranks = reference.curves(topic.results, spans, found, quant == "strict")

    scores = inex_eval_ng(topic.ranking(), judgements, topic.documents, quant=quant, rel=rel)

    assert scores["AP(s)"] == pytest.approx(
        float(reference.average([r[0] / total for r in ranks], [r[1] for r in ranks]))
    )
    assert scores["AP(o)"] == pytest.approx(
        float(reference.average([r[2] / most for r in ranks], [r[3] for r in ranks]))
    )


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(graded_topics(), st.data())
def test_a_duplicate_never_changes_the_measure_that_penalises_overlap(graded, data):
    topic, _, found, judgements = graded
    assume(any(e for e, _ in found.values()))
    twice = doubled(topic, data)

    before, after = (
        inex_eval_ng(ranked(results), judgements, topic.documents, quant="gen") for results in (topic.results, twice)
    )

    assert after["AP(o)"] == before["AP(o)"]


def test_the_best_elements_without_overlap_score_one():
    judgements = judged([("A", "/article[1]/bdy[1]/sec[1]/p[2]", 3, 3), ("A", "/article[1]/bdy[1]/sec[1]/p[1]", 3, 3)])
    results = [("A", "/article[1]/bdy[1]/sec[1]/p[1]"), ("A", "/article[1]/bdy[1]/sec[1]/p[2]")]

    scores = inex_eval_ng(ranked(results), judgements, GoldenDocuments())

    assert (scores["AP(s)"], scores["AP(o)"]) == (1.0, 1.0)


def test_sizes_come_from_an_index():
    with pytest.raises(MeasureError, match="their offsets are not known: needs index="):
        inex_eval_ng(ranked(NG["runs"]["duplicate"]), GOLDEN)


def test_judgements_that_are_highlighted_text_are_refused():
    builder = JudgementsBuilder("1", "2005", "judged.xml")
    builder.document("A", "A")
    builder.element("/article[1]", 2, 1.0, 10, 10)

    with pytest.raises(MeasureError, match=r"judged\.xml: inex_eval_ng needs exhaustivity and specificity graded"):
        inex_eval_ng(ranked([("A", "/article[1]")]), builder.build(), GoldenDocuments())


def test_nothing_relevant_has_no_value_and_nothing_returned_scores_zero():
    empty = Ranking.ranked("1", [])

    assert set(inex_eval_ng(empty, judged([("A", "/article[1]", 2, 2)]), quant="strict").values()) == {None}
    assert set(inex_eval_ng(empty, GOLDEN, quant="strict").values()) == {0.0}
