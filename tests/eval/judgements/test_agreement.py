from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from engine.errors import AssessmentError
from engine.notices import Notice
from eval import read_assessments
from eval.judgements.agreement import GradeConfirmation, SetOverlap, agreement, topic_agreement
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import topics
from tests.trust.soak import effort

GRADED = """<assessments topic='1'><file file='d'>
 <path path='/a[1]' exhaustiveness='3' specificity='{}'/>
</file></assessments>"""
DOCUMENTS = FlatDocuments({"d": "<article>ab<sec><p>cdef</p><p>ghij</p></sec></article>"})


def judged(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text)
    return read_assessments(file)


def xml(*elements, topic="1", document="d"):
    inside = "".join(f'<element path="{path}" exhaustivity="{e}" size="100" rsize="{r}"/>' for path, e, r in elements)
    return f'<assessments topic="{topic}"><file name="{document}">{inside}</file></assessments>'


@pytest.fixture
def two(tmp_path):
    first = xml(("/a[1]", 2, 50), ("/a[1]/s[1]", 1, 100), ("/a[1]/s[2]", "?", 20), ("/a[1]/s[3]", 1, 100))
    second = xml(("/a[1]", 1, 60), ("/a[1]/s[1]", 1, 90), ("/a[1]/s[2]", 1, 30), ("/a[1]/s[4]", 0, 100))
    return judged(tmp_path, "a.xml", first), judged(tmp_path, "b.xml", second)


def test_agreement_is_what_both_call_relevant_of_what_either_does(two):
    topic = agreement(*two).topics[0]

    # a, s1, s2, s3 and a, s1, s2 (s4 is E0)
    assert topic.elements["relevant"] == SetOverlap(union=4, common=3)
    assert topic.elements["relevant"].share == 0.75
    # E1: s1 s3 and a s1 s2; S3: s1 s3 and s1; S1: s2 and s2; E?: s2 and none
    assert topic.elements["E1"] == SetOverlap(4, 1)
    assert topic.elements["S3"] == SetOverlap(2, 1)
    assert topic.elements["S1"] == SetOverlap(1, 1)
    assert topic.elements["E?"] == SetOverlap(1, 0)


def test_a_document_has_the_grade_of_its_root(two):
    topic = agreement(*two).topics[0]

    assert topic.documents["relevant"] == SetOverlap(1, 1)
    assert topic.documents["E2"] == topic.documents["E1"] == SetOverlap(1, 0)
    assert topic.documents["S2"] == SetOverlap(1, 1)
    assert topic.documents["S1"].share is None


def test_mutually_agreed_elements_are_confirmed_in_their_grade(two):
    topic = agreement(*two).topics[0]

    # mutually agreed: a, s1, s2; the first says E2, E1, E? and S2, S3, S1
    assert topic.mutual == {
        "E?": GradeConfirmation(1, 0),
        "E1": GradeConfirmation(1, 1),
        "E2": GradeConfirmation(1, 0),
        "S1": GradeConfirmation(1, 1),
        "S2": GradeConfirmation(1, 1),
        "S3": GradeConfirmation(1, 1),
    }


def test_the_tables_are_those_of_the_thesis(two):
    found = agreement(*two)

    documents, elements, mutual = found.tables()
    assert [column.name for column in documents.columns] == [
        *("topic", "∪", "∩", "∩/∪", "E?", "E1", "E2", "S1", "S2", "S3"),
    ]
    assert elements.texts()[0] == ["1", "4", "3", "0.75", "0.00", "0.25", "0.00", "1.00", "1.00", "0.50"]
    assert elements.texts()[-1][0] == "mean"
    assert mutual.texts()[0][:5] == ["1", "1", "0.00", "1", "1.00"]
    assert json.loads(found.json())["topics"][0]["elements"]["relevant"] == {"union": 4, "common": 3, "share": 0.75}


def test_graded_judgements_agree_in_their_grades(tmp_path):
    found = agreement(judged(tmp_path, "a", GRADED.format(1)), judged(tmp_path, "b", GRADED.format(3))).topics[0]

    assert (found.elements["E3"], found.elements["S1"], found.elements["S3"]) == (
        SetOverlap(1, 1),
        SetOverlap(1, 0),
        SetOverlap(1, 0),
    )


def test_passages_agree_in_characters_and_with_an_index_in_elements(tmp_path):
    first, second = judged(tmp_path, "a", "1 Q0 d 4 10 2 2:4\n"), judged(tmp_path, "b", "1 Q0 d 4 10 4 4:4\n")

    without = agreement(first, second)
    assert without.topics[0].characters == SetOverlap(6, 2)  # 2 to 6 and 4 to 8
    assert without.topics[0].documents == {"relevant": SetOverlap(1, 1)}
    assert without.topics[0].elements == {}
    assert without.notices == (Notice("no_agreement_on_elements"),)
    found = agreement(first, second, locator=DOCUMENTS).topics[0]
    # article, sec, p[1] and the same with p[2]; S3 is p[1] (4 of 4) and no element (8 characters in sec: 0.5)
    assert found.elements["relevant"] == SetOverlap(4, 3)
    assert found.elements["S3"] == SetOverlap(1, 0)
    assert "E1" not in found.elements  # nobody has judged exhaustivity


def test_grades_of_different_scales_are_not_compared(tmp_path):
    found = agreement(judged(tmp_path, "a", GRADED.format(3)), judged(tmp_path, "b", xml(("/a[1]", 2, 100))))

    assert set(found.topics[0].elements) == {"relevant"}
    assert found.notices[0].code == "grades_not_compared"


def test_topics_of_one_assessor_alone_are_counted(tmp_path):
    folder = tmp_path / "more"
    folder.mkdir()
    for topic in "123":
        (folder / f"{topic}.xml").write_text(xml(("/a[1]", 1, 5), topic=topic))
    found = agreement(read_assessments(folder), judged(tmp_path, "b", xml(("/a[1]", 1, 5), topic="2")))

    assert [topic.topic for topic in found.topics] == ["2"]
    assert found.notices == (Notice("topics_judged_once", {"first": 2, "second": 0}, "exclusion"),)


def test_no_topic_in_common_is_an_error_that_names_both(tmp_path):
    with pytest.raises(AssessmentError, match=r"no topic is judged in both: .*a has '7', .*b has '8'"):
        agreement(judged(tmp_path, "a", xml(topic="7")), judged(tmp_path, "b", xml(topic="8")))


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(topics(), topics())
def test_agreement_does_not_depend_on_who_comes_first_and_is_whole_with_oneself(one, other):
    a, b = one.judgements(), other.judgements()
    left, right = topic_agreement(a, b), topic_agreement(b, a)

    assert (left.documents, left.elements, left.characters) == (right.documents, right.elements, right.characters)
    own = topic_agreement(a, a)
    assert all(overlap.union == overlap.common for overlap in [*own.documents.values(), *own.elements.values()])
    if own.characters is not None:
        assert own.characters == SetOverlap(len(one.relevant), len(one.relevant))
