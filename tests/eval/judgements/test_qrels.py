"""TREC qrels: read for measures of whole documents, refused where text is needed.

Lines of FOL qrels that contradict themselves.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.errors import AssessmentError, MeasureError
from engine.notices import Message, Notice
from engine.runs import Ranking, Run
from eval.judgements.formats.qrels import PART
from eval.judgements.formats.read import read_assessments
from tests.eval.score_in_one_call import score

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 Q0 d 1\n2 Q0 e -1\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    file = tmp_path / "qrels.txt"
    file.write_text(QRELS)
    return file


def run(**documents: list[str]) -> Run:
    rankings = {topic[1:]: Ranking.ranked(topic[1:], found) for topic, found in documents.items()}
    return Run(run_id="r", rankings=rankings)


def test_whole_documents_are_scored(qrels: Path) -> None:
    table = score(qrels, [run(t1=["b", "a", "c"], t2=["e", "d"])])

    # topic 1: relevant at ranks 2 and 3, (1/2 + 2/3) / 2; topic 2: relevant at rank 2
    assert table.value("AP", family="trec") == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)
    assert table.value("RR") == pytest.approx(1 / 2)


def test_the_relevance_is_the_gain_of_ndcg(qrels: Path) -> None:
    best, other = (score(qrels, [run(t1=found)], ["nDCG@10"], topics=["1"]) for found in (["c", "a"], ["a", "c"]))

    assert best.value("nDCG@10") == pytest.approx(1)
    assert other.value("nDCG@10") < 1


@pytest.mark.parametrize("measures", [["hixeval"], ["hixeval:AP"], ["trec", "inex_eval"]])
def test_measures_of_text_are_refused(qrels: Path, measures: list[str]) -> None:
    with pytest.raises(MeasureError, match=r"TREC qrels judge whole documents, .* use trec, trec_eval or overlap"):
        score(qrels, [run(t1=["a"])], measures)


def test_what_needs_text_refuses_them(qrels: Path) -> None:
    with pytest.raises(AssessmentError, match="TREC qrels judge whole documents, here text or elements are needed"):
        read_assessments(qrels)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1", "qrels.txt:6: found 1 field, expected"),
        ("1 0 x", "qrels.txt:6: found 3 fields, expected 'topic iteration document relevance'"),
        ("1 0 x yes", "qrels.txt:6: relevance 'yes': expected a whole number"),
        ("1 0 a 0", "qrels.txt:6: document 'a' is judged again for topic '1'"),
    ],
)
def test_a_wrong_line_is_named(qrels: Path, line: str, message: str) -> None:
    qrels.write_text(f"{QRELS}{line}\n")

    with pytest.raises(AssessmentError, match=message):
        read_assessments(qrels, may_judge_documents=True)


@pytest.mark.parametrize("line", ["{topic} Q0 {document} 1\n", "{topic} Q0 {document} 4 100 4 4:4\n"])
def test_a_long_file_is_read_in_parts_and_lines_are_numbered_throughout(tmp_path: Path, line: str) -> None:
    documents = [f"{number}{'d' * (PART // 10)}" for number in range(25)]
    lines = [line.format(topic=1 + number // 20, document=document) for number, document in enumerate(documents)]
    (file := tmp_path / "qrels.txt").write_text("\n".join(lines))  # a blank line between two
    found = read_assessments(file, may_judge_documents=True).topics

    assert [document for topic in ("1", "2") for document in found[topic].documents] == documents
    file.write_text("\n".join([*lines, "1 Q0 one\n"]))
    with pytest.raises(AssessmentError, match=r"qrels\.txt:51: found 3 fields"):
        read_assessments(file, may_judge_documents=True)


@pytest.mark.parametrize("beginning", ["1 0 a 1\n", "1 Q0 a 4 100 4 4:4\n", ""])
def test_a_line_that_takes_long_to_look_at_is_refused(tmp_path: Path, beginning: str) -> None:
    """Nobody else got a turn meanwhile: in the service, others waited for seconds."""
    (file := tmp_path / "qrels.txt").write_text(f"{beginning}{'[' * (PART + 1)}")
    with pytest.raises(AssessmentError, match=r"qrels\.txt:\d: a line of more than 1,048,576 characters, expected"):
        read_assessments(file, may_judge_documents=True)


OFFICIAL = Path(__file__).parents[2] / "golden/inex_eval_3.1"


def notices(folder: Path, text: str) -> tuple[str, ...]:
    (folder / "qrels.txt").write_text(text)
    return tuple(str(notice).removeprefix(f"{folder}/qrels.txt:") for notice in judged(folder / "qrels.txt"))


def judged(file: Path) -> tuple[Message, ...]:
    found = read_assessments(file).notices
    assert all(isinstance(notice, Notice) and notice.kind == "doubt" for notice in found)
    return tuple(found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 Q0 a 120 1000 0 0:1200", "2: passages end after the document's size (at 1200 of 1000): "),
        ("1 Q0 a 120 1000 0 900:100 990:20", "2: passages end after the document's size (at 1010 of 1000): "),
        ("1 Q0 a 500 1000 0 0:120", "2: rsize is not the number of characters in passages (500, passages have 120): "),
        ("1 Q0 a 7 1000", "2: rsize is not the number of characters in passages (7, passages have 0): "),
        ("1 Q0 a 240 1000 0 50:120 0:120", "2: passages overlap (characters 0-120 and 50-170): "),
        ("1 Q0 a 9 90 0 0:9\n1 Q0 b 8 9 0 0:9\n1 Q0 c 8 9 0 0:9", "3: rsize is not the number of characters in"),
    ],
)
def test_a_line_that_contradicts_itself_has_a_notice(tmp_path: Path, line: str, expected: str) -> None:
    (notice,) = notices(tmp_path, f"1 Q0 z 0 10\n{line}\n")

    assert notice.startswith(expected)
    assert ("so in 2 lines" in notice) == (line.count("\n") == 2)


def test_lines_that_agree_with_themselves_have_none(tmp_path: Path) -> None:
    text = "1 Q0 a 20 30 0 10:20 0:0 15:0\n1 Q0 b 30 30 0 0:10 10:20\n1 Q0 c 0 30\n"

    assert notices(tmp_path, text) == ()


@pytest.mark.long
def test_the_official_judgements_have_none(tmp_path: Path) -> None:
    packed = (OFFICIAL / "inex2009/qrels.fol.gz").read_bytes()
    (tmp_path / "qrels.fol").write_bytes(gzip.decompress(packed))

    assert judged(tmp_path / "qrels.fol") == judged(OFFICIAL / "small/qrels.fol") == ()
