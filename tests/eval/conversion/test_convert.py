from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from engine.errors import AssessmentError, FoxirError, MeasureError, RunFormatError
from engine.notices import Notice
from engine.runs import Ranking, Run, read_run, write_run
from eval import read_assessments
from eval.conversion import convert
from tests.reference.flat_documents import FlatDocuments

# text: ab cdef ghij kl
DOCUMENTS = FlatDocuments(
    {"d": "<article>ab<sec><p>cdef</p></sec><p>ghij</p>kl</article>", "e": "<article>none</article>"}
)
JUDGED = """<assessments topic="1"><file name="d">
  <best-entry-point path="/article[1]/p[1]"/>
  <passage start="/article[1]/sec[1]/p[1]/text()[1].2" end="/article[1]/p[1]/text()[1].2" size="4"/>
 </file><file name="e"/></assessments>"""


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        if isinstance(content, Run):
            write_run(content, path, "inex" if name.endswith("xml") else "fol")
        else:
            path.write_text(content)
        return path

    return write


def places(run, topic="1"):
    ranking = run.rankings[topic]
    return list(zip(ranking.documents, ranking.paths, ranking.starts.tolist(), ranking.lengths.tolist(), strict=True))


PATHS = Run(
    "r",
    {
        "1": Ranking.ranked(
            "1", ["d", "e", "d", "d"], ["/article[1]/sec[1]", "/article[1]", "/article[1]/p[1]", "/x[1]"]
        )
    },
)


def test_paths_become_offsets_and_results_the_index_lacks_are_skipped(file, tmp_path):
    found = convert(file("run.xml", PATHS), format="fol", out=tmp_path / "run.fol", locator=DOCUMENTS)

    run = read_run(tmp_path / "run.fol")
    assert places(run) == [("d", None, 2, 4), ("e", None, 0, 4), ("d", None, 6, 4)]
    assert run.rankings["1"].ranks.tolist() == [1, 2, 3]
    assert (found.n_items, found.n_skipped) == (3, 1)
    assert found.notices == (Notice("skipped_results", {"count": 1, "results": 4}, "exclusion"),)


def test_offsets_become_the_outermost_element_of_that_span(file, tmp_path):
    offsets = Run("r", {"1": Ranking.ranked("1", ["d", "d", "e"], starts=[2, 3, 0], lengths=[4, 4, 4])})
    found = convert(file("run.fol", offsets), format="inex", out=tmp_path / "run.xml", locator=DOCUMENTS)

    assert places(read_run(tmp_path / "run.xml")) == [
        ("d", "/article[1]/sec[1]", -1, -1),  # and not its p[1]
        ("d", None, 3, 4),
        ("e", "/article[1]", -1, -1),
    ]
    assert found.notices == (Notice("results_no_elements", {"count": 1, "results": 3}),)


def test_ranges_of_elements_become_an_element_where_they_are_one(file, tmp_path):
    text = "1 Q0 d 1 2.0 r /article[1]/p[1] /article[1]/p[1]\n1 Q0 d 2 1.0 r /article[1]/sec[1] /article[1]/p[1]\n"
    convert(file("run.txt", text), format="inex", out=tmp_path / "run.xml", locator=DOCUMENTS)

    run = read_run(tmp_path / "run.xml")
    assert run.rankings["1"].paths == ["/article[1]/p[1]", None]
    assert run.rankings["1"].pointers == {1: ("/article[1]/sec[1]", "/article[1]/p[1]")}


def test_without_an_index_runs_keep_what_they_have(file, tmp_path):
    convert(file("run.xml", PATHS), format="fol", out=tmp_path / "run.fol")

    assert read_run(tmp_path / "run.fol").rankings["1"].paths == PATHS.rankings["1"].paths


def test_trec_runs_keep_the_first_result_of_a_document(file, tmp_path):
    found = convert(file("run.xml", PATHS), format="trec", out=tmp_path / "run.trec")

    assert read_run(tmp_path / "run.trec").rankings["1"].documents == ["d", "e"]
    assert (found.n_items, found.notices) == (2, (Notice("documents_listed", {"results": 2}),))


def test_passages_by_pointer_become_fol_qrels_and_come_back_as_elements(file, tmp_path):
    judged = file("judged.xml", JUDGED)
    convert(judged, format="fol", out=tmp_path / "qrels.fol", locator=DOCUMENTS)
    assert (tmp_path / "qrels.fol").read_text() == "1 Q0 d 4 12 6 4:4\n1 Q0 e 0 4\n"

    found = convert(tmp_path / "qrels.fol", format="inex", out=tmp_path / "xml", locator=DOCUMENTS)
    elements = read_assessments(tmp_path / "xml").topics["1"].elements
    assert found.written == (tmp_path / "xml" / "1.xml",)
    assert dict(zip(elements.paths, elements.rsizes.tolist(), strict=True)) == {
        "/article[1]": 4,
        "/article[1]/sec[1]": 2,
        "/article[1]/sec[1]/p[1]": 2,
        "/article[1]/p[1]": 2,
    }


def test_a_missing_entry_point_is_the_first_passage_and_reported(file, tmp_path):
    passage = '<passage offset="4" length="4" size="4"/>'
    judged = file("judged.xml", f'<assessments topic="1"><file name="d">{passage}</file></assessments>')
    found = convert(judged, format="fol", out=tmp_path / "qrels.fol", locator=DOCUMENTS)

    assert (tmp_path / "qrels.fol").read_text() == "1 Q0 d 4 12 4 4:4\n"
    assert found.notices == (Notice("no_entry_points", {"documents": 1}),)


def test_documents_alone_for_trec(file, tmp_path):
    convert(file("judged.xml", JUDGED), format="trec", out=tmp_path / "qrels.txt")

    assert (tmp_path / "qrels.txt").read_text() == "1 0 d 1\n1 0 e 0\n"


def test_graded_judgements_go_to_documents_only(file, tmp_path):
    text = "<assessments topic='1'>{}</assessments>".format(
        "".join(
            f"<file file='{d}'><path path='/a[1]' exhaustiveness='{e}' specificity='{e}'/></file>"
            for d, e in [("d", 2), ("e", 0)]
        )
    )
    judged = file("judged.xml", text)
    convert(judged, format="trec", out=tmp_path / "qrels.txt")

    assert (tmp_path / "qrels.txt").read_text() == "1 0 d 1\n1 0 e 0\n"
    with pytest.raises(AssessmentError, match="grade elements and highlight no text"):
        convert(judged, format="fol", out=tmp_path / "qrels.fol")


def test_what_lacks_an_index_says_so(file, tmp_path):
    with pytest.raises(MeasureError, match="needs index="):
        convert(file("judged.xml", JUDGED), format="fol", out=tmp_path / "qrels.fol")
    assert not (tmp_path / "qrels.fol").exists()


def test_compressed_files_are_recognised_by_content(tmp_path):
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(b"1 Q0 d 4 12 4 4:4\n"))

    assert convert(tmp_path / "qrels.gz", format="trec", out=tmp_path / "q").kind == "assessments"


def test_mistakes_are_named(file, tmp_path):
    run = file("run.xml", PATHS)
    with pytest.raises(MeasureError, match="no format 'csv' to convert to; choose one of: inex, fol, trec"):
        convert(run, format="csv", out=tmp_path / "x")
    with pytest.raises(FoxirError, match="absent: cannot be read"):
        convert(tmp_path / "absent", format="trec", out=tmp_path / "x")
    with pytest.raises(RunFormatError, match="cannot be written"):
        convert(file("q", "1 Q0 d 4 12 4 4:4\n"), format="trec", out=tmp_path / "none" / "x")


def test_the_report_of_a_conversion(file, tmp_path):
    found = convert(file("run.xml", PATHS), format="fol", out=tmp_path / "run.fol", locator=DOCUMENTS)

    assert json.loads(found.json()) == {
        "kind": "run",
        "format": "fol",
        "written": [str(tmp_path / "run.fol")],
        "topics": 1,
        "items": 3,
        "skipped": 1,
        "notices": ["1 of 4 results are not in the index and were skipped"],
    }
    assert found.tables()[0].texts() == [["run", "fol", "1", "1", "3", "1"]]


def test_scores_stay_when_results_are_skipped(file, tmp_path):
    convert(file("run.xml", PATHS), format="fol", out=tmp_path / "run.fol", locator=DOCUMENTS)

    assert np.array_equal(read_run(tmp_path / "run.fol").rankings["1"].rsv, [4.0, 3.0, 2.0])
