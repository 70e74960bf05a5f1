from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from engine.errors import MeasureError
from engine.runs import read_run, write_run
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import Assessments
from eval.simulation import NAMES, Simulation, simulated_run
from tests.eval.score_in_one_call import score
from tests.reference.flat_documents import FlatDocuments
from tests.reference.hixeval import characters
from tests.reference.random_topics import topics
from tests.trust.soak import effort

TABLE = json.loads((Path(__file__).parents[2] / "golden" / "hixeval_table52.json").read_text())

# INEX 2005 topic 203, document co/2000/r7108: the thesis, figure 2.1 and table 5.2
ELEMENTS = {
    "/article[1]": (13556, 5494),
    "/article[1]/bdy[1]": (9797, 4594),
    "/article[1]/bdy[1]/sec[1]": (1301, 409),
    "/article[1]/bdy[1]/sec[1]/p[1]": (531, 408),
    "/article[1]/bdy[1]/sec[2]": (2064, 2064),
    "/article[1]/bdy[1]/sec[2]/st[1]": (30, 30),
    "/article[1]/bdy[1]/sec[2]/p[2]": (738, 738),
    "/article[1]/bm[1]": (3267, 900),
    "/article[1]/bm[1]/app[1]": (2085, 900),
    "/article[1]/bm[1]/app[1]/p[3]": (438, 438),
}


def judged(*, passages=True):
    builder = JudgementsBuilder("203", "2005", "figure 2.1")
    builder.document("co/2000/r7108", "figure 2.1")
    for name, length in (("a", 408), ("b", 2064), ("c", 1945), ("d", 177), ("e", 900)) if passages else ():
        builder.passage(-1, length, (f"/article[1]/{name}[1]", f"/article[1]/{name}[1]"))
    for path, (size, rsize) in ELEMENTS.items():
        builder.element(path, 1, rsize / size, size, rsize)
    return Assessments("figure 2.1", "2005", {"203": builder.build()})


def paths(kind):
    return [path.removeprefix("/article[1]") for path in simulated_run(judged(), kind).rankings["203"].paths]


def test_the_runs_are_those_of_table_5_2():
    assert paths("bep") == ["/bdy[1]", "/bm[1]/app[1]"]
    assert paths("fullrb") == [
        *("/bdy[1]", "", "/bdy[1]/sec[2]", "/bm[1]/app[1]", "/bdy[1]/sec[2]/p[2]", "/bm[1]", "/bm[1]/app[1]/p[3]"),
        *("/bdy[1]/sec[1]/p[1]", "/bdy[1]/sec[1]", "/bdy[1]/sec[2]/st[1]"),
    ]
    assert paths("ea") == ["/bdy[1]/sec[2]", "/bm[1]/app[1]/p[3]", "/bdy[1]/sec[1]/p[1]"]
    assert paths("pa") == ["/bdy[1]", "", "/bm[1]/app[1]"]
    assert paths("ba") == ["/bm[1]", "/bdy[1]/sec[1]"]
    assert paths("na") == ["/bdy[1]/sec[2]/p[2]", "/bdy[1]/sec[2]/st[1]"]


def test_passages_by_pointer_stand_by_their_length():
    ranking = simulated_run(judged(), "passage").rankings["203"]

    assert [ranking.pointers[i][0][-4] for i in range(5)] == list("bcead")
    assert ranking.starts.tolist() == [-1] * 5
    assert [row["size"] for row in TABLE["passages"]] == [2064, 1945, 900, 408, 177]


def test_rsv_falls_strictly_up_to_max_answers():
    ranking = simulated_run(judged(), "fullrb", max_answers=4).rankings["203"]

    assert ranking.rsv.tolist() == [1.0, 0.75, 0.5, 0.25]


def test_equal_f_is_ordered_by_document_id_then_by_file():
    builder = JudgementsBuilder("1", "2005", "made")
    for document in ("z", "b"):
        builder.document(document, "made")
        for path in ("/a[1]/s[1]", "/a[1]/s[2]"):
            builder.element(path, 1, 1.0, 10, 10)
    ranking = simulated_run(Assessments("made", "2005", {"1": builder.build()}), "fullrb").rankings["1"]

    assert list(zip(ranking.documents, ranking.paths, strict=True)) == [
        ("b", "/a[1]/s[1]"),
        ("b", "/a[1]/s[2]"),
        ("z", "/a[1]/s[1]"),
        ("z", "/a[1]/s[2]"),
    ]


def test_passages_of_fol_qrels_become_offsets_and_with_an_index_elements(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text("1 Q0 d 6 14 2 2:4 10:2\n2 Q0 d 0 14\n")
    documents = FlatDocuments({"d": "<a>ab<s>cdef</s>gh<p>ijkl</p>mn</a>"})

    passages = simulated_run(file, "passage")
    assert passages.rankings["1"].starts.tolist() == [2, 10]
    assert len(passages.rankings["2"]) == 0  # a judged topic without any stays in the run
    # s is 4 of 4: F = 8/10; a is 6 of 14: 12/20; p is 2 of 4: 4/10
    assert simulated_run(file, "fullrb", locator=documents).rankings["1"].paths == ["/a[1]/s[1]", "/a[1]", "/a[1]/p[1]"]
    with pytest.raises(MeasureError, match="needs index="):
        simulated_run(file, "fullrb")


def test_a_written_run_comes_back(tmp_path):
    found = Simulation("ea", simulated_run(judged(), "ea"), tmp_path / "ea.xml")
    write_run(found.run, found.file, "inex")
    run = read_run(found.file)

    assert (run.run_id, run.settings) == ("EA", {"simulated": "ea", "max_answers": "1500"})
    assert run.rankings["203"].paths == found.run.rankings["203"].paths
    assert json.loads(found.json()) == {
        "kind": "ea",
        "run": "EA",
        "file": str(tmp_path / "ea.xml"),
        "topics": {"203": 3},
    }
    assert found.tables()[0].texts() == [["203", "3"], ["all", "3"]]


def test_mistakes_are_named(tmp_path):
    with pytest.raises(MeasureError, match="no simulated run 'best'; choose one of: passage, bep"):
        simulated_run(judged(), "best")
    with pytest.raises(MeasureError, match="max_answers=0"):
        simulated_run(judged(), "ea", max_answers=0)
    file = tmp_path / "graded.xml"
    grades = "<path path='/a[1]' exhaustiveness='3' specificity='3'/>"
    file.write_text(f"<assessments topic='1'><file file='d'>{grades}</file></assessments>")
    with pytest.raises(MeasureError, match="highlight no text"):
        simulated_run(file, "ea")


def test_all_kinds_are_scored_and_passages_are_perfect(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text("1 Q0 d 6 14 2 2:4 10:2\n")
    run = simulated_run(file, "passage")

    table = score(file, [run])
    assert table.value("AP") == pytest.approx(1.0)


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(topics())
def test_kinds_share_out_the_relevant_elements_in_the_order_of_f(topic):
    assessments = Assessments("random", "2005", {"1": topic.judgements()})
    runs = {kind: simulated_run(assessments, kind).rankings["1"] for kind in NAMES}
    places = {kind: set(zip(r.documents, r.paths, strict=True)) for kind, r in runs.items()}

    parts = [places[kind] for kind in ("ea", "pa", "ba", "na")]
    assert set.union(*parts) == places["fullrb"]
    assert sum(map(len, parts)) == len(places["fullrb"])
    spans = [set(characters(d, *topic.documents.places[d][p])) for d, p in places["bep"]]
    assert sum(map(len, spans)) == len(set().union(*spans))  # no overlap
    relevant = topic.relevant
    for kind in ("fullrb", "ea", "bep"):
        f = []
        for document, path in zip(runs[kind].documents, runs[kind].paths, strict=True):
            text = set(characters(document, *topic.documents.places[document][path]))
            f.append(2 * len(text & relevant) / (len(text) + len(relevant)))
        assert np.all(np.diff(f) <= 1e-12)
