from __future__ import annotations

import json
import statistics

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.notices import Notice
from eval import read_assessments
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, Assessments
from eval.judgements.relevance_tables.distribution import summary
from eval.judgements.relevance_tables.relevance import relevance
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import topics
from tests.trust.soak import effort


def judged(*topics):
    """Return judgements: a topic is a list of (path, exhaustivity, size, rsize)."""
    built = {}
    for number, elements in enumerate(topics, 1):
        builder = JudgementsBuilder(str(number), "2005", "made")
        builder.document("d", "made")
        for path, e, size, rsize in elements:
            builder.element(path, e, rsize / size, size, rsize)
        built[str(number)] = builder.build()
    return Assessments("made", "2005", built)


ONE = [
    ("/a[1]", 2, 1000, 500),  # PA
    ("/a[1]/s[1]", 2, 200, 200),  # EA
    ("/a[1]/s[1]/p[1]", TOO_SMALL, 50, 50),  # NA
    ("/a[1]/s[1]/p[2]", 1, 150, 150),  # NA
    ("/a[1]/s[2]", 1, 600, 60),  # BA
    ("/a[1]/s[3]", 0, 100, 100),  # judged not relevant
]
TWO = [("/a[1]", 1, 300, 300), ("/a[1]/p[1]", TOO_SMALL, 100, 100)]  # EA, NA
NOTHING = [("/a[1]", 0, 300, 0)]


def groups(distribution):
    return {group.name: group for group in distribution.groups}


def test_the_relevance_scale_is_shared_out_as_table_4_15():
    base, scale = relevance(judged(ONE, TWO, NOTHING), by="grade").groups["grade"]

    found = groups(scale)
    assert {name: group.total for name, group in found.items()} == {"EA": 2, "PA": 1, "BA": 1, "NA": 3}
    assert scale.n_topics == 2
    assert found["NA"].portion == 3 / 7
    # NA: 2 and 1 elements; 100 and 100 characters on average
    assert (found["NA"].counts.mean, found["NA"].counts.stdev) == (1.5, pytest.approx(statistics.stdev([2, 1])))
    assert (found["EA"].sizes.minimum, found["EA"].sizes.maximum, found["EA"].sizes.median) == (200, 300, 250)
    # a topic without PA counts 0 elements and has no size
    assert (found["PA"].counts.minimum, found["PA"].sizes.n, found["PA"].shares.mean) == (0, 1, 0.5)
    assert groups(base)["FullRB"].total == 7


def test_the_recall_base_is_that_of_table_5_1(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text("1 Q0 d 6 14 2 2:4 10:2\n")
    documents = FlatDocuments({"d": "<a>ab<s>cdef</s>gh<p>ijkl</p>mn</a>"})
    base = groups(relevance(file, by="grade", locator=documents).groups["grade"][0])

    assert (base["Passage"].total, base["Passage"].sizes.mean, base["Passage"].shares.mean) == (2, 3, 1)
    # F of the document: s 8/10, a 12/20, p 4/10; a overlaps s
    assert (base["BEP"].total, base["BEP"].sizes.mean, base["BEP"].shares.mean) == (2, 4, 0.75)
    assert (base["FullRB"].total, base["FullRB"].sizes.mean) == (3, pytest.approx((14 + 4 + 4) / 3))
    assert base["BEP"].portion is None  # they do not share out the relevant elements


def test_names_stand_by_their_number_as_in_table_4_1():
    found = relevance(judged(ONE, TWO), by="name")

    (table,) = found.groups["name"]
    assert [(g.name, g.total, g.portion) for g in table.groups] == [("p", 3, 3 / 7), ("a", 2, 2 / 7), ("s", 2, 2 / 7)]
    assert found.tables()[0].texts()[0] == ["p", "3", "42.9", "1.5", "100.0", "1.00"]


def test_exhaustivity_and_what_it_is_within_the_scale():
    distribution, composition = relevance(judged(ONE, TWO), by="exhaustivity").groups["exhaustivity"]

    assert {name: group.total for name, group in groups(distribution).items()} == {"E?": 2, "E1": 3, "E2": 2}
    # NA: topic 1 has E? and E1, topic 2 has E?: (1/2 + 1)/2 and (1/2 + 0)/2
    assert composition.kinds["NA"] == (1.5, {"E?": 0.75, "E1": 0.25, "E2": 0.0})
    assert composition.kinds["PA"] == (0.5, {"E?": 0.0, "E1": 0.0, "E2": 1.0})
    assert composition.table().texts()[0] == ["EA", "1.0", "0.50", "0.50", "0.00"]


def test_overlap_among_relevant_and_highly_relevant_elements():
    relevant, highly = relevance(judged(ONE, TWO), by="overlap").groups["overlap"]

    # topic 1: a s1 p1 p2 s2: 5 of 5; contain: a, s1; topic 2: a contains p
    assert (relevant.indicators["O"].mean, relevant.indicators["A"].mean) == (100, pytest.approx((40 + 50) / 2))
    assert relevant.indicators["P"].maximum == 100
    assert (highly.n_topics, highly.indicators["O"].mean) == (1, 0)  # s1 alone is E2 and all highlighted


GRADED = [("/a[1]", 3, 3), ("/a[1]/s[1]", 3, 3), ("/a[1]/s[2]", 3, 1), ("/a[1]/s[3]", 1, 1), ("/a[1]/s[4]", 0, 0)]


@pytest.fixture
def graded(tmp_path):
    paths = "".join(f"<path path='{p}' exhaustiveness='{e}' specificity='{s}'/>" for p, e, s in GRADED)
    (tmp_path / "g.xml").write_text(f"<assessments topic='1'><file file='d'>{paths}</file></assessments>")
    return read_assessments(tmp_path / "g.xml")


def test_grades_of_2004_and_how_they_go_together_as_in_table_4_2(graded):
    points, correlation = relevance(graded, by="grade").groups["grade"]

    assert [(g.name, g.total) for g in points.groups[:3]] == [("E3S3", 2), ("E1S1", 1), ("E3S1", 1)]
    assert len(points.groups) == 9
    assert points.groups[0].sizes.mean is None  # grades say nothing about characters
    assert correlation.given_exhaustivity("E3", "S3") == 2 / 3
    assert correlation.given_specificity("E3", "S1") == 1 / 2
    assert correlation.given_exhaustivity("E2", "S1") is None
    table = correlation.table()
    assert [c.name for c in table.columns] == ["specificity", "S|E3", "E3|S", "S|E2", "E2|S", "S|E1", "E1|S"]
    assert table.texts()[0] == ["S3", "0.67", "1.00", "–", "0.00", "0.00", "0.00"]
    assert [cell.is_best for cell in table.rows[0][1:3]] == [True, True]


def test_a_mapping_puts_grades_on_the_scale(graded):
    scale = relevance(graded, by="grade", mapping="m5").groups["grade"][2]

    assert scale.title == "The relevance scale, M5"
    assert {g.name: g.total for g in scale.groups} == {"EA": 2, "PA": 1, "BA": 1, "NA": 0}


def test_highly_relevant_is_e3s3_on_the_scale_of_2004(graded):
    _, highly = relevance(graded, by="overlap").groups["overlap"]

    assert highly.indicators["O"].mean == 100  # a contains s1


def test_all_tables_by_default_and_missing_parts_are_reported(tmp_path):
    assert list(relevance(judged(ONE)).groups) == ["grade", "name", "exhaustivity", "overlap"]

    file = tmp_path / "qrels.fol"
    file.write_text("1 Q0 d 2 4 0 0:2\n2 Q0 d 0 4\n")
    found = relevance(file, locator=FlatDocuments({"d": "<a>abcd</a>"}))
    assert list(found.groups) == ["grade", "name", "overlap"]
    assert len(found.groups["overlap"]) == 1
    assert found.notices == (Notice("topics_without_elements", {"topics": 1}), Notice("no_exhaustivity"))


def test_the_shapes_for_programs_and_people():
    found = relevance(judged(ONE, TWO))

    document = json.loads(found.json())
    assert document["tables"]["grade"][1]["groups"][3]["count"]["mean"] == 1.5
    assert document["tables"]["exhaustivity"][1]["kinds"][3]["shares"]["E?"] == 0.75
    assert document["tables"]["overlap"][0]["O"]["mean"] == 100.0
    scale = found.tables()[1]
    assert scale.texts()[:2] == [["EA", "Mean", "1.0", "250.0", "1.00"], ["", "Minimum", "1.0", "200.0", "1.00"]]


def test_what_cannot_be_shown_is_refused(graded, tmp_path):
    with pytest.raises(MeasureError, match="no table by 'colour'; choose among: grade, name, exhaustivity, overlap"):
        relevance(judged(ONE), by="colour")
    with pytest.raises(MeasureError, match="exhaustivity was not judged"):
        relevance(judged([("/a[1]", NOT_JUDGED, 10, 5)]), by="exhaustivity")
    with pytest.raises(MeasureError, match=r"a mapping \(here M1\) is for the grades of 2002-2004"):
        relevance(judged(ONE), mapping="M1")
    with pytest.raises(MeasureError, match="no mapping 'M99'"):
        relevance(graded, mapping="M99")
    file = tmp_path / "qrels.fol"
    file.write_text("1 Q0 d 2 4 0 0:2\n")
    with pytest.raises(MeasureError, match="needs index="):
        relevance(file)


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(st.lists(topics(), min_size=1, max_size=3))
def test_kinds_share_out_all_relevant_elements(drawn):
    assessments = Assessments("random", "2005", {str(n): topic.judgements() for n, topic in enumerate(drawn)})
    n_relevant = sum(int(j.elements.relevant.sum()) for j in assessments.topics.values())
    assume(n_relevant)
    found = relevance(assessments)

    for table in (found.groups["grade"][1], found.groups["name"][0], found.groups["exhaustivity"][0]):
        assert sum(group.total for group in table.groups) == n_relevant
        assert all(group.total == round((group.counts.mean or 0) * table.n_topics) for group in table.groups)


@settings(max_examples=effort(6, 1250, thorough=50))
@given(st.lists(st.integers(0, 1000), min_size=2, max_size=20))
def test_a_summary_equals_the_standard_library(values):
    found = summary(values)

    assert (found.mean, found.median) == pytest.approx((statistics.fmean(values), statistics.median(values)))
    assert found.stdev == pytest.approx(statistics.stdev(values), abs=1e-9)
