"""Golden values through the command line: files in, `--json` out."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.foxir.commands.command import ROOT, foxir

GOLDEN = ROOT / "tests/golden"
ARTICLES = ROOT / "tests/fixtures/golden_articles"


def read(name: str) -> dict:
    return json.loads((GOLDEN / name).read_text("utf-8"))


GENERALISED = {Fraction(1): (3, 3), Fraction(3, 4): (2, 3), Fraction(1, 2): (2, 2), Fraction(1, 4): (1, 1)}
GENERALISED[Fraction(0)] = (0, 0)


@pytest.fixture(scope="module")
def articles(tmp_path_factory) -> Path:
    """One index of each of the golden articles."""
    folder = tmp_path_factory.mktemp("articles")
    for source in sorted(ARTICLES.iterdir()):
        assert foxir("index", folder / source.name, source, "--profile", "none", "--stem", "none").status == 0
    return folder


def searched(index: Path, query: str, *options: str) -> list[tuple[str, str]]:
    by_structure = ("--rank-by", "structure", "--similarity", "pcosine", "--overlap", "keep", "--reading", "CO")
    asked = foxir("search", index, query, "--top", "1500", *by_structure, *options, "--json").json
    assert [answer["rank"] for answer in asked["answers"]] == list(range(1, len(asked["answers"]) + 1))
    return [(answer["document"], answer["path"]) for answer in asked["answers"]]


@pytest.mark.parametrize(
    ("topic", "query", "table", "heuristic"),
    [
        ("topic99", "perl features", "table32", "MpE"),
        ("topic99", "perl features", "table33", "PME"),
        ("topic203", "code signing verification", "TPF", "TPF"),
        ("topic203", "code signing verification", "PTF", "PTF"),
    ],
)
def test_tables_of_chapters_3_and_6(topic, query, table, heuristic, articles):
    golden = read("cre.json")[topic]
    rows = [row["path"] if isinstance(row, dict) else row for row in golden[table]]

    found = searched(articles / topic, query, "--answers", "nCRE", "--heuristic", heuristic)
    explained = [
        foxir("explain", articles / topic, query, *place, "--answers", "nCRE", "--heuristic", heuristic, "--json").json
        for place in found
    ]

    assert found == [(golden["document"], path) for path in rows]
    assert [each["element"]["place_in_article"] for each in explained] == list(range(1, len(rows) + 1))
    for row, each in zip(golden[table], explained, strict=True):
        if isinstance(row, dict) and "M" in row:
            assert (each["element"]["M"], each["element"]["P"]) == (row["M"], row["p"])
            assert "-".join(map(str, each["element"]["B"])) == row["E"]
