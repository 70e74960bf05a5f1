from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings

import foxir
from engine.errors import ArgumentError, AssessmentError
from engine.notices import Notice, about
from eval.judgements.collection_check import check_against_collection
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, Assessments
from tests.notice_codes import codes
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import topics
from tests.shared_data import INEX_2009, TRIALS, TRIALS_ASSESSMENTS, shared
from tests.trust.soak import effort

GRADED_2004 = """<assessments topic='192'>
 <file file='cg/1998/g1016'>
  <path path='/article[1]' exhaustiveness='3' specificity='1'/>
  <path path='/article[1]/bdy[1]' E='2' S='3'/>
 </file>
</assessments>
"""
COVERAGE_2002 = """<assessments topic="31">
 <file file="cg/1998/g1016">
  <path path="/article[1]" relevance="3" coverage="L"/>
  <path path="/article[1]/p[1]" relevance="2" coverage="E"/>
  <path path="/article[1]/p[2]" relevance="1" coverage="S"/>
  <path path="/article[1]/p[3]" relevance="0" coverage="N"/>
 </file>
</assessments>
"""
EARLY_2005 = """<assessments pool="7" topic="203" version="2">
 <file collection="ieee" name="co/2000/r7108">
  <element path="/article[1]" exhaustivity="2" specificity="0.47"/>
 </file>
</assessments>
"""
OCTOBER_2005 = """<assessments pool="7" topic="203" version="2">
 <file collection="ieee" name="co/2000/r7108">
  <element path="/article[1]" E="1" size="13,556" rsize="5,494"/>
  <element path="/article[1]/bdy[1]/sec[2]/st[1]" exhaustivity="?" size="30" rsize="30"/>
 </file>
 <file collection="ieee" name="co/2000/r7109"/>
</assessments>
"""
LATER_2006 = """<assessments pool="7" topic="289" version="2">
 <file collection="wikien" name="1234">
  <best-entry-point path="/article[1]/body[1]/p[2]"/>
  <passage start="/article[1]/body[1]/p[2]/text()[1].12" end="/article[1]/body[1]/p[3]" size="345"/>
  <element path="/article[1]" exhaustivity="2" size="4000" rsize="345"/>
 </file>
</assessments>
"""
FOL = """1001 Q0 10 300 1000 100 100:200 500:100
1001 Q0 12 0 800

1002 Q0 20 29 500 10 10:29
"""


def write(folder: Path, text: str, name: str = "judged.xml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_graded_files_keep_both_dimensions(tmp_path):
    judged = read_assessments(write(tmp_path, GRADED_2004))
    elements = judged.topics["192"].elements

    assert judged.scale == "2003"
    assert elements.paths == ("/article[1]", "/article[1]/bdy[1]")
    assert elements.exhaustivity.tolist() == [3, 2]
    assert elements.specificity.tolist() == [1, 3]
    assert elements.sizes.tolist() == [-1, -1]


def test_coverage_of_2002_becomes_specificity_and_too_small_is_not_assessed(tmp_path):
    judged = read_assessments(write(tmp_path, COVERAGE_2002))
    elements = judged.topics["31"].elements

    assert judged.scale == "2002"
    assert elements.paths == ("/article[1]", "/article[1]/p[1]", "/article[1]/p[3]")
    assert elements.exhaustivity.tolist() == [3, 2, 0]
    assert elements.specificity.tolist() == [1, 3, 0]
    assert elements.relevant.tolist() == [True, True, False]
    assert judged.notices == (about(judged.source, Notice("too_small_elements", {"elements": 1})),)


def test_early_2005_gives_the_share_and_no_sizes(tmp_path):
    elements = read_assessments(write(tmp_path, EARLY_2005)).topics["203"].elements

    assert elements.specificity.tolist() == [0.47]
    assert elements.rsizes.tolist() == [-1]


def test_thousands_commas_question_marks_and_documents_without_relevance(tmp_path):
    topic = read_assessments(write(tmp_path, OCTOBER_2005)).topics["203"]

    assert topic.documents == ("co/2000/r7108", "co/2000/r7109")
    assert topic.elements.sizes.tolist() == [13556, 30]
    assert topic.elements.rsizes.tolist() == [5494, 30]
    assert topic.elements.exhaustivity.tolist() == [1, TOO_SMALL]
    assert topic.elements.specificity.tolist() == [5494 / 13556, 1.0]


def test_passages_and_best_entry_point_of_2006(tmp_path):
    topic = read_assessments(write(tmp_path, LATER_2006)).topics["289"]

    assert topic.entry_paths == ("/article[1]/body[1]/p[2]",)
    assert topic.passages.lengths.tolist() == [345]
    assert topic.passages.starts.tolist() == [-1]
    assert topic.passages.pointers == (("/article[1]/body[1]/p[2]/text()[1].12", "/article[1]/body[1]/p[3]"),)


@pytest.mark.parametrize("packed", [False, True])
def test_fol_qrels(tmp_path, packed):
    file = tmp_path / "qrels"
    file.write_bytes(gzip.compress(FOL.encode()) if packed else FOL.encode())
    judged = read_assessments(file)
    topic = judged.topics["1001"]

    assert judged.scale == "fol"
    assert list(judged.topics) == ["1001", "1002"]
    assert topic.documents == ("10", "12")
    assert topic.lengths.tolist() == [1000, 800]
    assert topic.highlighted.tolist() == [300, 0]
    assert topic.entry_points.tolist() == [100, -1]
    assert topic.passages.starts.tolist() == [100, 500]
    assert topic.passages.lengths.tolist() == [200, 100]
    assert topic.passage_bounds.tolist() == [0, 2, 2]


def test_the_topic_may_stand_in_another_attribute(tmp_path):
    judged = read_assessments(write(tmp_path, GRADED_2004.replace("topic='192'", "project='inex' query='192'")))

    assert list(judged.topics) == ["192"]


def test_a_folder_joins_topics_and_lists_what_it_leaves_out(tmp_path):
    write(tmp_path, OCTOBER_2005, "b.xml")
    write(tmp_path, LATER_2006, "a.xml")
    write(tmp_path, "<inex_topic topic_id='1'/>", "topics.xml")

    judged = read_assessments(tmp_path)

    assert list(judged.topics) == ["289", "203"]
    assert judged.notices[0].fields["subject"].endswith("topics.xml")
    assert codes(judged.notices)[0] == "no_assessments"


def test_exhaustivity_may_be_absent(tmp_path):
    text = OCTOBER_2005.replace(' E="1"', "")

    assert read_assessments(write(tmp_path, text)).topics["203"].elements.exhaustivity.tolist() == [
        NOT_JUDGED,
        TOO_SMALL,
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GRADED_2004.replace("'3'", "'4'", 1), 3, "'4' is not a grade from 0 to 3"),
        (GRADED_2004.replace("specificity='1'", ""), 3, "needs 'exhaustiveness' and 'specificity'"),
        (COVERAGE_2002.replace('"L"', '"X"'), 3, "coverage 'X' is not known"),
        (OCTOBER_2005.replace('"13,556"', '"many"'), 3, "size 'many' is not a number of characters"),
        (OCTOBER_2005.replace('size="30" rsize="30"', ""), 4, "needs 'size' and 'rsize', or 'specificity'"),
        (OCTOBER_2005.replace("r7109", "r7108"), 6, "is judged again"),
        (EARLY_2005.replace("0.47", "47"), 3, "specificity '47' is not a share from 0 to 1"),
        (
            OCTOBER_2005.replace(' topic="203"', "").replace('pool="7"', "").replace('version="2"', ""),
            1,
            "names no topic",
        ),
        (OCTOBER_2005.replace("</file>", ""), 7, "not well-formed"),
        ("<run/>", 1, "found <run>"),
        (FOL.replace("100:200", "100-200"), 1, "passage '100-200' is not 'offset:length'"),
        (FOL.replace("0 800", "0"), 2, "found 4 fields"),
        (FOL.replace("1002 Q0 20", "1001 Q0 10"), 4, "is judged again"),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, line, message):
    file = write(tmp_path, text)

    with pytest.raises(AssessmentError) as error:
        read_assessments(file)

    assert str(error.value).startswith(f"{file}:{line}:")
    assert message in str(error.value)


def test_an_external_entity_is_not_read(tmp_path):
    secret = write(tmp_path, "secret", "secret.txt")
    declared = f'<!DOCTYPE assessments [<!ENTITY x SYSTEM "{secret}">]>' + OCTOBER_2005.replace("1<", "&x;<")

    assert read_assessments(write(tmp_path, declared)).topics["203"].elements.sizes.tolist() == [13556, 30]


def test_scales_do_not_mix(tmp_path):
    write(tmp_path, GRADED_2004, "a.xml")
    write(tmp_path, OCTOBER_2005, "b.xml")

    with pytest.raises(AssessmentError, match="different scales"):
        read_assessments(tmp_path)


def test_qrels_of_a_folder_without_xml_are_read(tmp_path):
    (tmp_path / "topics.csv").write_text("topic,title\n1,fog\n")
    (tmp_path / "qrels.txt").write_text("1 Q0 a 5 20 3 3:5\n")

    assert list(read_assessments(tmp_path).topics) == ["1"]


def test_missing_files_are_reported(tmp_path):
    with pytest.raises(AssessmentError, match="there is no such file"):
        read_assessments(tmp_path / "nowhere")
    with pytest.raises(AssessmentError, match=r"no \.xml or \.xml\.gz file"):
        read_assessments(tmp_path)


@pytest.mark.shared_data(f"{INEX_2009}/qrels.fol")
@pytest.mark.long
def test_real_qrels_of_2009_and_2010():
    judged = read_assessments(shared(f"{INEX_2009}/qrels.fol"))

    assert len(judged.topics) == 120
    for topic in judged.topics.values():
        sums = [
            topic.passages.lengths[a:b].sum()
            for a, b in zip(topic.passage_bounds, topic.passage_bounds[1:], strict=False)
        ]
        assert sums == topic.highlighted.tolist()


# A file of topics, judgements or runs given in place of another is recognised, and the message names both.


@pytest.mark.parametrize("line", ["1 pump delivers no water", "1\tpump delivers no water at all"])
def test_topics_are_recognised(tmp_path: Path, line: str) -> None:
    file = tmp_path / "topics.txt"
    file.write_text(f"{line}\n")
    with pytest.raises(AssessmentError, match=r"this looks like topics, not judgements.*'foxir run' answers"):
        foxir.read_assessments(file)


def test_judgements_between_commas_are_no_topics(tmp_path: Path) -> None:
    file = tmp_path / "qrels.csv"
    file.write_text("1,Q0,a,10,100\n")
    with pytest.raises(AssessmentError, match="separated by blanks or tabs") as refusal:
        foxir.read_assessments(file)
    assert "file of topics" not in str(refusal.value)


def test_a_wrong_number_in_judgements_is_named(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("1 Q0 a ten 100\n")
    with pytest.raises(AssessmentError, match="rsize 'ten' is not a number of characters"):
        foxir.read_assessments(file)


def test_no_run_is_named(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("1 Q0 a 0 100\n")
    with pytest.raises(ArgumentError, match="no run given"):
        foxir.score(file, [])


def test_judgements_in_another_encoding_are_no_damaged_xml(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 Q0 a 5 10 0 0:5", encoding="utf-16")

    with pytest.raises(AssessmentError, match=r"qrels:1: byte 0xff is not UTF-8: expected <assessments> files"):
        read_assessments(tmp_path / "qrels")


@pytest.mark.parametrize(
    "line",
    [
        *("1 Q0 a 1 1.0 mine", "1 Q0 a 1 1500 mine", "1 Q0 a 1 -2.5 7", "1 Q0 a 1 1.0 mine 5766 274"),
        *("1 Q0 a 1 1.0 mine /article[1]/p[2]", "1 Q0 a 1 1.0 mine X X"),
    ],
)
def test_runs_are_recognised(tmp_path: Path, line: str) -> None:
    file = tmp_path / "run.fol"
    file.write_text(f"\n{line}\n")
    with pytest.raises(AssessmentError, match=r"run\.fol:2: .* Is this a run\? Judgements come first, then runs\.$"):
        foxir.read_assessments(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 a 4 100 ten 82:4", "best entry point 'ten'"),
        ("1 Q0 a 4 100 82 82", "passage '82'"),
        ("1 Q0 a 4 1.5", "document size '1.5'"),
    ],
)
def test_wrong_judgements_are_no_run(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text(f"{line}\n")
    with pytest.raises(AssessmentError, match=message):
        foxir.read_assessments(file)


# text: ab cdef ghij kl, 12 characters
DOCUMENTS = FlatDocuments({"d": "<a>ab<s><p>cdef</p></s><p>ghij</p>kl</a>", "e": "<a>none</a>"})


@pytest.fixture
def found(tmp_path):
    def checked(text):
        (tmp_path / "judged").write_text(text)
        return check_against_collection(tmp_path / "judged", DOCUMENTS)

    return checked


def xml(inside, name="d"):
    return f'<assessments topic="1"><file name="{name}">{inside}</file></assessments>'


def differences(checked):
    return [(f.place, f.difference, f.judged, f.collection) for f in checked.differences]


PASSAGE = '<passage start="/a[1]/s[1]/p[1]/text()[1].2" end="/a[1]/p[1]/text()[1].2" size="{}"/>'


def test_what_agrees_is_counted_and_no_difference(found):
    elements = '<element path="/a[1]" size="12" rsize="4"/><element path="/a[1]/s[1]" size="4" rsize="2"/>'
    checked = found(xml(PASSAGE.format(4) + elements))

    assert (checked.documents, checked.elements, checked.passages, checked.is_equal) == (1, 2, 1, True)
    assert checked.tables()[0].texts() == [["none", "0"]]


def test_sizes_and_highlighted_text_that_differ(found):
    checked = found(xml(PASSAGE.format(5) + '<element path="/a[1]" size="14" rsize="6"/>'))

    assert differences(checked) == [
        ("/a[1]/s[1]/p[1]/text()[1].2 – /a[1]/p[1]/text()[1].2", "passage length", 5, 4),
        ("/a[1]", "size", 14, 12),
        ("/a[1]", "rsize", 6, 4),
    ]


def test_elements_and_pointers_that_are_not_there(found):
    checked = found(
        xml('<passage start="/a[1]/x[1]" end="/a[1]/x[1]" size="3"/><element path="/a[1]/x[1]" size="1" rsize="1"/>')
    )

    assert [(f.place, f.difference) for f in checked.differences] == [
        ("/a[1]/x[1] – /a[1]/x[1]", "passage"),
        ("/a[1]/x[1]", "element"),
    ]


def test_without_passages_highlighted_text_is_not_compared(found):
    assert found(xml('<element path="/a[1]" size="12" rsize="6"/>')).is_equal


def test_documents_of_qrels(found):
    checked = found("1 Q0 d 5 13 0 2:4\n1 Q0 z 0 4\n1 Q0 e 4 4 0 2:4\n2 Q0 e 0 4\n")

    assert [(f.document, f.difference, f.judged, f.collection) for f in checked.differences] == [
        ("d", "length", 13, 12),
        ("d", "highlighted", 5, 4),
        ("z", "document", None, None),
        ("e", "passage", 6, 4),
    ]
    assert json.loads(checked.json())["counts"] == {"document": 1, "length": 1, "passage": 1, "highlighted": 1}


def test_graded_judgements_have_paths_to_compare(found):
    paths = "".join(f"<path path='{path}' exhaustiveness='1' specificity='1'/>" for path in ("/a[1]", "/b[1]"))
    checked = found(f"<assessments topic='1'><file file='d'>{paths}</file></assessments>")

    assert differences(checked) == [("/b[1]", "element", None, None)]


def test_many_differences_are_shown_in_part(found):
    checked = found(xml("".join(f'<element path="/a[1]/x[{n}]" size="1" rsize="1"/>' for n in range(25))))

    counts, first = checked.tables()
    assert counts.texts() == [["element is not in the document", "25"]]
    assert (len(first.rows), first.notes) == (20, ("5 more (JSON lists all)",))


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(topics())
def test_judgements_made_from_a_collection_agree_with_it(topic):
    assert check_against_collection(Assessments("random", "2005", {"1": topic.judgements()}), topic.documents).is_equal


@pytest.mark.shared_data(TRIALS, TRIALS_ASSESSMENTS)
@pytest.mark.long
def test_real_judgements_agree_with_their_collection():
    judged = read_assessments(shared(TRIALS_ASSESSMENTS))
    some = dict(list(judged.topics.items())[:5])
    names = {document for judgements in some.values() for document in judgements.documents}
    with tarfile.open(shared(TRIALS)) as archive:
        sources = {}
        for member in archive:
            name = Path(member.name).stem
            file = archive.extractfile(member) if name in names else None
            if file is not None:
                sources[name] = file.read()
            if len(sources) == len(names):
                break

    checked = check_against_collection(Assessments("trials", judged.scale, some), FlatDocuments(sources))
    assert checked.elements > 30
    assert checked.differences == ()
