"""Text that people paste: as an argument that begins with hyphens, and in files for export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.foxir.commands.command import foxir


@pytest.mark.parametrize("text", ["-- a comment on the fog signal", "--force the fog signal", "---- fog signal"])
@pytest.mark.parametrize("arguments", [("{index}", "{text}", "--top", "1"), ("--top", "1", "{index}", "{text}")])
def test_a_text_that_begins_with_hyphens_is_a_query(text: str, arguments: tuple[str, ...], sample: Path) -> None:
    found = foxir("search", *(each.format(index=sample, text=text) for each in arguments), "--json")

    assert found.status == 0
    assert found.json["query"] == text
    assert found.json["answers"]


def test_a_text_beside_words_after_hyphens_comes_first(sample: Path) -> None:
    assert foxir("search", sample, "--fog signal", "--json", "--", "-20").json["query"] == "--fog signal -20"
    refused = foxir("search", sample, "fog", "--forced", "--json")
    assert refused.status == 2
    assert "No such option '--forced'" in refused.err


def test_export_tells_how_queries_were_read(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text('1\t/etc/hosts\n2\tfog signal\n3\t//TODO[fix] fog\n4\tthe "fog\n', "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--top", "1", "--out", tmp_path / "a.jsonl")

    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    told = [(row["query_id"], len(row["answers"]), row.get("notices", [""])[0].partition(" ")[0]) for row in rows]
    assert told == [("1", 0, "the"), ("2", 1, ""), ("3", 1, "the"), ("4", 1, "query,")]
    assert made.status == 0
    assert "topic '1': the query begins with / but is read as words: no document has an element 'etc'" in made.err
    assert "topic '4': query, position 5: this \" is not closed" in made.err
    assert not foxir("export", sample, tmp_path / "q.txt", "-q", "--out", tmp_path / "a.jsonl").err


def test_export_says_why_a_query_has_no_answer(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1\tnosuchword\n2\t//nosuch\n", "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--out", tmp_path / "a.jsonl")

    assert made.err.splitlines() == [
        "topic '1': no answer: 'nosuchword' is in none of the 34 documents.",
        "topic '2': the query begins with / but is read as words: no document has an element 'nosuch'; a path query is "
        "such as //sec[about(., words)].",
        "topic '2': no answer: 'nosuch' is in none of the 34 documents.",
    ]


def test_export_says_once_that_nothing_fits_a_budget(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1\tfog signal\n", "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--word-budget", "1", "--out", tmp_path / "a.jsonl")

    (notice,) = json.loads((tmp_path / "a.jsonl").read_text("utf-8"))["notices"]
    assert notice.startswith("no answer fits word_budget = 1: ")
    assert made.err == f"topic '1': {notice}\n"


def test_export_prints_some_notices_and_counts_the_others(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{number}\t//fog signal\n" for number in range(12)), "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--top", "1", "--out", tmp_path / "a.jsonl")

    assert made.err.count("is read as words") == 10
    assert made.err.endswith("2 more notices about queries are in the lines of JSON.\n")


def test_an_index_named_without_its_ending_is_named(sample: Path) -> None:
    refused = foxir("search", sample.with_suffix(""), "fog")

    assert refused.status == 2
    assert f"there is no such folder, but '{sample}'. Did you mean {sample}?" in refused.err
