"""Benchmarks with published figures: ranges keep their characters, units are counted, a checkout is measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from bench.published import __main__ as command
from bench.published import chroma, clscisumm, locomo, obliqa, qmsum
from bench.published.conversion import Questions
from bench.published.units import all_at, any_at, average_precision_at, recall_at, units_found
from foxir import Ranking

WIKI = " = Harbours = \n A harbour has walls . \n = = Lights = = \n A lamp burns at night & no wind stops it . \n"
TALK = "\n\n".join(["So it begins.", "The tower was built in 1841.", "It fell in a storm."])


def texts(questions: Questions) -> list[list[str]]:
    """Return the marked text of each question."""
    found = {each.name: "".join(ElementTree.fromstring(each.xml.encode()).itertext()) for each in questions.documents}
    return [[found[name][begin:end] for name, begin, end in places] for _, places in questions.asked]


def chroma_checkout(folder: Path) -> Path:
    data = folder / chroma.DATA
    (data / "corpora").mkdir(parents=True)
    (data / "corpora/wikitexts.md").write_text(WIKI, "utf-8")
    (data / "corpora/state_of_the_union.md").write_text(TALK, "utf-8")
    rows = [
        ("When does the lamp burn?", "burns at night & no wind", WIKI, "wikitexts"),
        ("When was the tower built?", "built in 1841", TALK, "state_of_the_union"),
    ]
    lines = ["question,references,corpus_id"]
    for question, content, text, corpus in rows:
        begin = text.index(content)
        references = json.dumps([{"content": content, "start_index": begin, "end_index": begin + len(content)}])
        lines.append(f'{question},"{references.replace(chr(34), 2 * chr(34))}",{corpus}')
    (data / "questions_df.csv").write_text("\n".join(lines), "utf-8")
    return folder


def test_chroma(tmp_path: Path) -> None:
    (found,) = chroma.questions(chroma_checkout(tmp_path))
    assert texts(found) == [["burns at night & no wind"], ["built in 1841"]]
    wiki = next(each for each in found.documents if each.name == "wikitexts-000")
    assert [each.tag for each in ElementTree.fromstring(wiki.xml.encode()).iter()] == [
        *("article", "title", "p", "sec", "title", "p")
    ]


def test_locomo(tmp_path: Path) -> None:
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "I saw the light."}, {"speaker": "Bo", "dia_id": "D1:2"}]
    talk = {"speaker_a": "Ann", "speaker_b": "Bo", "session_1": turns, "session_1_date_time": "May"}
    asked = [
        {"question": "Who saw it?", "evidence": ["D1:1"], "category": 1},
        {"question": "Who was it?", "evidence": ["D1:1"], "category": 5},
    ]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/locomo10.json").write_text(json.dumps([{"conversation": talk, "qa": asked}]), "utf-8")
    (found,) = locomo.questions(tmp_path)
    assert texts(found) == [["Ann: I saw the light."]]


def test_obliqa(tmp_path: Path) -> None:
    passages = [
        ("1", "Duties"),
        ("1.1", "A keeper shall light the lamp."),
        ("1.1.(a)", "At dusk, every day, he goes up."),
    ]
    (tmp_path / "StructuredRegulatoryDocuments").mkdir()
    (tmp_path / "StructuredRegulatoryDocuments/7.json").write_text(
        json.dumps([{"PassageID": number, "Passage": text} for number, text in passages]), "utf-8"
    )
    asked = [{"Question": "When?", "Passages": [{"DocumentID": 7, "PassageID": "1.1.(a)"}]}]
    (tmp_path / "ObliQA_test.json").write_text(json.dumps(asked), "utf-8")
    (found,) = obliqa.questions(tmp_path)
    assert texts(found) == [["At dusk, every day, he goes up."]]


def test_qmsum(tmp_path: Path) -> None:
    folder = tmp_path / "data/ALL/test"
    folder.mkdir(parents=True)
    turns = [{"speaker": "Ann", "content": "First."}, {"speaker": "Bo", "content": "Second."}]
    asked = [{"query": "What was said?", "relevant_text_span": [["0", "1"]]}]
    (folder / "m.json").write_text(json.dumps({"meeting_transcripts": turns, "specific_query_list": asked}), "utf-8")
    (found,) = qmsum.questions(tmp_path)
    assert texts(found) == [["Ann\nFirst.\nBo\nSecond."]]


def test_units_are_found_once_by_the_first_result_that_contains_them() -> None:
    units = [("d", 0, 5), ("d", 10, 15), ("e", 0, 5)]
    starts, lengths = np.array([3, 0, 0, 0]), np.array([9, 20, 5, 4])
    ranking = Ranking.ranked("1", ["d", "d", "d", "e"], starts=starts, lengths=lengths)
    found = units_found(ranking, units)
    assert found == ([0, 2, 0, 0], 3)
    assert (any_at(1)(found), any_at(2)(found), all_at(4)(found), recall_at(4)(found)) == (
        0,
        1,
        0,
        pytest.approx(2 / 3),
    )
    assert average_precision_at(10)(([1, 0, 1], 2)) == pytest.approx((1 + 2 / 3) / 2)
    assert units_found(None, units) == ([], 3)


@pytest.mark.long
def test_a_checkout_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("bm25s")
    monkeypatch.setattr(sys, "argv", ["published", "chroma", str(chroma_checkout(tmp_path))])
    assert command.main() == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["| 2 questions", "R@5", "P@5", "IoU@5", "R[4000] |"]
    assert rows[2][:2] == ["| foxir", "100.0"]


def annotations(file: Path, rows: list[tuple[str, str, str, str]]) -> None:
    """Write citations: the citing paper, its text, the numbers of sentences, and these, which decide if they count."""
    file.parent.mkdir(parents=True, exist_ok=True)
    names = "Reference Article,Citing Article,Citation Text,Citation Text Clean,Reference Offset,Reference Text"
    lines = [f'A00.xml,{citing},{text},,"{numbers}",{sentence}' for citing, text, numbers, sentence in rows]
    file.write_text("\n".join([names, *lines, "a row that is cut"]), "utf-8")


def clscisumm_checkout(folder: Path) -> Path:
    paper, sentence = folder / clscisumm.PAPERS / "A00", "<S sid='1'>x</S>"
    (paper / "Reference_XML").mkdir(parents=True)
    (paper / "Reference_XML/A00.xml").write_text(
        "<PAPER><S sid='0'>Lamps</S><SECTION title='Fuel'><S sid='1'>Whale oil burns well.</S>"
        "<S sid='2'>Gas is cheaper than oil.</S><S sid='3'>Ships passed.</S></SECTION></PAPER>"
    )
    annotations(
        paper / "annotation/A00.csv", [("B1", "Whale oil was burnt", "", ""), ("B2.xml", "cheaper gas", "", "")]
    )
    gold = folder / clscisumm.GOLD
    annotations(gold / "A00_ann.csv", [("B1", "", "['1', '2']", sentence), ("B1", "", "'1'", sentence)])
    annotations(gold / "A00_bo.csv", [("B1", "", "'1'", sentence), ("B2", "", "2", sentence), ("B3", "", "0", "NA")])
    for run, numbers in (("worse", "'3'"), ("better", "'1','3'")):
        annotations(folder / clscisumm.TEAMS / "7-team" / run / "A00.csv", [("B1", "", numbers, sentence)])
    return folder


def test_sentences_of_citations_are_counted_over_all_annotators(tmp_path: Path) -> None:
    folder = clscisumm_checkout(tmp_path)
    ann, bo = (clscisumm.cited_in(folder / clscisumm.GOLD / f"A00_{name}.csv") for name in ("ann", "bo"))
    assert (ann, bo) == ({("A00", "B1"): ["1"]}, {("A00", "B1"): ["1"], ("A00", "B2"): ["2"]})
    found = {"A00": {("A00", "B1"): ["1", "3"]}}  # 2 of the 3 sentences of both, 2 of 4 returned
    assert clscisumm.figures([("A00", ann), ("A00", bo), ("C1", bo)], found) == (0.5, 2 / 3, 4 / 7)


@pytest.mark.long
def test_citations_are_measured_beside_the_best_run_of_each_team(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    rows = clscisumm.Task1A().report(clscisumm_checkout(tmp_path), lambda _: None).splitlines()
    assert rows[2].startswith("| foxir | ")
    assert rows[-1] == "| *7-team* | 50.0 | 66.7 | 57.1 |"


def test_a_folder_without_the_data_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in command.BENCHMARKS:
        monkeypatch.setattr(sys, "argv", ["published", name, str(tmp_path)])
        assert command.main() == 2
        assert "expected a checkout of" in capsys.readouterr().err
