from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from eval.judgements.collection_check import check_against_collection
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import topics
from tests.shared_data import TRIALS, TRIALS_ASSESSMENTS, shared
from tests.trust.soak import effort

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
