"""Numbers are found however their digits are grouped."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir

TEXTS = ("It paid 50,000 francs.", "It paid 50000 francs.", "It paid 50\u00a0000 francs.", "It paid 500 francs.")
MORE = ("In 1914 the war began.", "The 1,914 ships were lost.")


@pytest.mark.parametrize(
    ("query", "paragraphs"),
    [
        ("50000", {1, 2, 3}),
        ("50,000", {1, 2, 3}),
        ("£50.000?", {1, 2, 3}),
        ("+50000", {1, 2, 3}),
        ("//p[about(., 50000)]", {1, 2, 3}),
        ("1914", {5}),
        ("1,914", {5, 6}),
        ("500", {4}),
    ],
)
def test_numbers_are_found_with_and_without_groups(tmp_path: Path, query: str, paragraphs: set[int]) -> None:
    (tmp_path / "a.xml").write_text(f"<d>{''.join(f'<p>{each}</p>' for each in (*TEXTS, *MORE))}</d>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    found = foxir.open_index(tmp_path / "x.foxir").search(query, min_words="0", min_leaf_words="0")

    assert {answer.path for answer in found} == {f"/d[1]/p[{number}]" for number in paragraphs}
