"""Answers of a document together on the command line: title first, whole words, at most as wide as the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from foxir import build_index, open_index
from tests.foxir.commands.command import Outcome, foxir

QUERY = ("fog", "signal", "range")


@pytest.mark.parametrize("width", ["30", "80"])
def test_a_document_is_printed_once_under_its_title(sample: Path, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    outcome = foxir("search", sample, *QUERY, "--group", "document", "-n", "4")
    with open_index(sample) as index:
        groups = index.search(" ".join(QUERY)).by_document()
        titles = [group.breadcrumbs[0][0] for group in groups[:4] if group.breadcrumbs[0]]
    printed = re.sub(r"\x1b\[[0-9;]*m", "", outcome.out)
    heads = re.findall(r"^ {0,1}\d+\. ", printed, re.MULTILINE)

    assert len(heads) == 4
    in_line = " ".join(printed.split())
    assert [in_line.count(f"{group[0].document} {group[0].path} ") for group in groups[:4]] == [1] * 4
    assert titles
    assert not [title for title in titles if f"{title} › " in in_line]
    assert all(len(line) <= int(width) or " " not in line.strip() for line in printed.splitlines()[:-1])
    assert f"4 of {len(groups)} documents" in printed
    assert f"also {groups[0].ranks[1]}: " in in_line


def plain_lines(outcome: Outcome) -> list[str]:
    return [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", outcome.out).splitlines()]


def test_of_a_table_its_header_and_best_rows_are_printed(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{town}</td><td>{n}</td></tr>" for n, town in enumerate(("Oslo", "Bergen", "Tromso")))
    table = f"<table><thead><tr><th>Harbour</th><th>Lamps</th></tr></thead><tbody>{rows}</tbody></table>"
    (tmp_path / "a.xml").write_text(f"<article><front/><body><sec>{table}</sec></body></article>")
    build_index(tmp_path / "a.xml", into=tmp_path / "a.foxir")
    asked = ("search", tmp_path / "a.foxir", "lamps", "bergen", "--answers", "//table")
    for kind in ("document", "none"):
        lines = plain_lines(foxir(*asked, "--group", kind))
        header = lines.index("Harbour | Lamps")
        assert lines[header + 1 : header + 3] == ["Oslo | 0", "Bergen | 1"]
    for kind in ("document", "none"):
        lines = plain_lines(foxir(*asked[:4], "oslo", "--max-table-words", "3", "--group", kind))
        found = [line.removeprefix("also 2: ") for line in lines]
        assert [found.count(line) for line in ("Harbour | Lamps", "Bergen | 1", "Oslo | 0")] == [1, 1, 1]
    (answer,) = json.loads(foxir(*asked, "--json").out)["answers"]
    assert answer["snippet"] == "Harbour | [Lamps] · Oslo | 0 · [Bergen] | 1"


def test_answers_are_one_by_one_where_no_person_reads(sample: Path) -> None:
    usual = foxir("search", sample, *QUERY).out
    plain = foxir("search", sample, *QUERY, "--group", "none").out

    assert usual.rpartition(",")[0] == plain.rpartition(",")[0]
    refused = foxir("search", sample, *QUERY, "--group", "document", "--json")
    assert (refused.status, "--json" in refused.err) == (2, True)


@pytest.mark.parametrize("group", ["document", "none"])
def test_the_words_that_an_answer_lacks_are_named_in_both_lists(tmp_path: Path, group: str) -> None:
    for name, words in (("a", "metformin for weight loss"), ("b", "weight loss with diet")):
        (tmp_path / f"{name}.xml").write_text(f"<article><sec><p>A trial of {words}.</p></sec></article>")
    build_index(tmp_path / "a.xml", tmp_path / "b.xml", into=tmp_path / "i.foxir")
    lines = plain_lines(foxir("search", tmp_path / "i.foxir", "weight", "loss", "Metformin", "--group", group))

    assert lines.count("without: Metformin") == 1
