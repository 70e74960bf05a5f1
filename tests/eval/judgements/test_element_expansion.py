from __future__ import annotations

import tarfile
from dataclasses import replace

import pytest
from hypothesis import given, settings

from engine.errors import AssessmentError, MeasureError
from eval.judgements.element_expansion import expand, write_fol, write_xml
from eval.judgements.formats.read import read_assessments
from eval.judgements.judged_elements import expand_topic, with_elements
from eval.judgements.judgements import Assessments
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import topics
from tests.shared_data import TRIALS, TRIALS_ASSESSMENTS, TRIALS_PASSAGES, shared
from tests.trust.soak import effort

ARTICLE = "<article>ab<sec><p>cdef</p><p>ghij</p><e/></sec>kl<sec>mn</sec></article>"
DOCUMENTS = FlatDocuments({"d": ARTICLE, "e": "<article>none</article>"})


def judged(tmp_path, text):
    file = tmp_path / "judged"
    file.write_text(text)
    return read_assessments(file)


def columns(judgements):
    elements = judgements.elements
    return list(zip(elements.paths, elements.sizes.tolist(), elements.rsizes.tolist(), strict=True))


EXPECTED = [
    # text: ab cdef ghij kl mn; highlighted 4 to 8: ef gh
    ("/article[1]", 14, 4),
    ("/article[1]/sec[1]", 8, 4),
    ("/article[1]/sec[1]/p[1]", 4, 2),
    ("/article[1]/sec[1]/p[2]", 4, 2),
]


def test_offsets_become_every_element_that_meets_them(tmp_path):
    expansion = expand(judged(tmp_path, "1 Q0 d 4 14 4 4:4\n1 Q0 e 0 4\n"), DOCUMENTS)

    assert columns(expansion.assessments.topics["1"]) == EXPECTED
    assert expansion.skipped == ()


def test_pointers_become_the_same(tmp_path):
    text = """<assessments topic="1"><file name="d">
      <passage start="/article[1]/sec[1]/p[1]/text()[1].2" end="/article[1]/sec[1]/p[2]/text()[1].2" size="4"/>
      <element path="/article[1]" exhaustivity="2" size="99" rsize="9"/>
    </file></assessments>"""
    topic = expand(judged(tmp_path, text), DOCUMENTS).assessments.topics["1"]

    assert columns(topic) == EXPECTED
    assert topic.elements.exhaustivity.tolist() == [2, 1, 1, 1]  # what was judged stays
    assert topic.passages.starts.tolist() == [4]


def test_pointers_may_be_elements(tmp_path):
    text = """<assessments topic="1"><file name="d">
      <passage start="/article[1]/sec[1]/p[1]" end="/article[1]/sec[1]/p[2]" size="8"/>
    </file></assessments>"""

    assert columns(expand(judged(tmp_path, text), DOCUMENTS).assessments.topics["1"])[1:3] == [
        ("/article[1]/sec[1]", 8, 8),
        ("/article[1]/sec[1]/p[1]", 4, 4),
    ]


def test_written_files_are_read_back(tmp_path):
    expanded = expand(judged(tmp_path, "1 Q0 d 4 14 5 4:4\n1 Q0 e 0 4\n"), DOCUMENTS).assessments

    files = write_xml(expanded, tmp_path / "out", collection="sample")
    again = read_assessments(tmp_path / "out").topics["1"]

    assert [file.name for file in files] == ["1.xml"]
    assert again.documents == ("d", "e")
    assert columns(again) == EXPECTED
    assert again.passages.starts.tolist() == [4]
    assert again.entry_points.tolist() == [5, -1]
    assert '<file collection="sample" name="e"/>' in files[0].read_text()


def test_fol_qrels_are_read_back(tmp_path):
    text = "1 Q0 d 4 14 5 4:2 6:2\n1 Q0 e 0 4\n"

    write_fol(judged(tmp_path, text), tmp_path / "out.fol")

    assert (tmp_path / "out.fol").read_text() == text


def test_documents_that_the_index_lacks_are_left_out_and_listed(tmp_path):
    expansion = expand(judged(tmp_path, "1 Q0 x 2 9 0 0:2\n1 Q0 d 4 14 4 4:4\n"), DOCUMENTS)

    assert expansion.skipped == (("1", "x"),)
    assert expansion.assessments.topics["1"].documents == ("d",)
    assert columns(expansion.assessments.topics["1"]) == EXPECTED


def test_a_pointer_at_nothing_is_an_error(tmp_path):
    text = '<assessments topic="1"><file name="d"><passage start="/article[1]/x[1]" end="/x[1]"/></file></assessments>'

    with pytest.raises(MeasureError, match="there is no passage"):
        expand(judged(tmp_path, text), DOCUMENTS)


def test_nothing_to_expand_is_an_error(tmp_path):
    text = '<assessments topic="1"><file name="d"><element path="/a[1]" size="2" rsize="1"/></file></assessments>'

    with pytest.raises(AssessmentError, match="no passages to expand"):
        expand(judged(tmp_path, text), DOCUMENTS)


def test_all_judged_documents_that_are_missing_are_named(tmp_path):
    topic = judged(tmp_path, "1 Q0 x 4 14 4 4:4\n1 Q0 d 4 14 4 4:4\n1 Q0 y 4 14 4 4:4\n").topics["1"]

    with pytest.raises(MeasureError, match="topic '1' that are not in the index: 'x', 'y'; is it the"):
        with_elements(topic, DOCUMENTS)
    assert list(with_elements(topic, DOCUMENTS, skips_missing=True).documents) == ["d"]


def test_fol_without_offsets_is_an_error(tmp_path):
    text = '<assessments topic="1"><file name="d"><passage start="/a[1]" end="/a[1]"/></file></assessments>'

    with pytest.raises(AssessmentError, match="index="):
        write_fol(judged(tmp_path, text), tmp_path / "out")


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics())
def test_expanded_sizes_are_those_of_character_sets(topic):
    expanded, missing = expand_topic(topic.judgements(elements=False), topic.documents)

    assert missing == ()
    assert columns(expanded) == columns(topic.judgements())


@pytest.mark.shared_data(TRIALS, TRIALS_ASSESSMENTS, TRIALS_PASSAGES)
@pytest.mark.long
def test_real_judgements_expand_to_the_published_elements():
    published = read_assessments(shared(TRIALS_ASSESSMENTS))
    offsets = read_assessments(shared(TRIALS_PASSAGES))
    wanted = list(offsets.topics)[: effort(4, 12, thorough=12)]
    names = {document for topic in wanted for document in offsets.topics[topic].documents}
    with tarfile.open(shared(TRIALS)) as archive:
        sources = {}
        for member in archive:
            name = member.name.removeprefix("trials/").removesuffix(".xml")
            if name in names:
                sources[name] = archive.extractfile(member).read()
            if len(sources) == len(names):
                break
    documents = FlatDocuments(sources)

    for topic in wanted:
        for source in (offsets, published):
            one = Assessments(source.source, source.scale, {topic: source.topics[topic]})
            expanded = expand(one, documents).assessments.topics[topic]
            assert columns(expanded) == columns(published.topics[topic])
            assert expanded.passages.starts.tolist() == offsets.topics[topic].passages.starts.tolist()


@pytest.mark.parametrize("topic", ["a\0b", "\x1b[31m", "a/b", ".a", "a\x7f", "a\u202e"])
def test_a_topic_that_cannot_name_a_file_is_refused(topic, tmp_path):
    expanded = expand(judged(tmp_path, "1 Q0 d 4 14 5 4:4\n"), DOCUMENTS).assessments

    with pytest.raises(AssessmentError, match="cannot name a file"):
        write_xml(replace(expanded, topics={topic: expanded.topics["1"]}), tmp_path / "out")
