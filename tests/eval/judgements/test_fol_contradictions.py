"""Lines of FOL qrels that contradict themselves."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.notices import Message, Notice
from eval.judgements.formats.read import read_assessments

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
