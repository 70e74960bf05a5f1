"""A file of topics, judgements or runs given in place of another is recognised, and the message names both."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.errors import ArgumentError, AssessmentError
from eval.judgements.formats.read import read_assessments


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
