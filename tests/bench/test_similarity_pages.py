"""The descriptions of the framework are those of its tables: the page, the command, the counts of Table A.6."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given

from bench.similarity_pages import PAGES, page, sources_page
from engine.similarity.description import as_dict, composed
from engine.similarity.named_expressions import APPROACHES
from engine.similarity.parameters import TABLE
from engine.similarity.parser import parse_expression
from engine.similarity.registry import COMBINING, FREQUENCY, LENGTH, METHOD, OURS, TABLES, TERM_WEIGHT, legal
from foxir.commands.definitions import similarity_command
from tests.engine.similarity.random_input import expressions

ROOT = Path(__file__).parents[2]


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(similarity_command, list(arguments), standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output


def test_the_page_is_what_the_tables_say():
    written = [(ROOT / name).read_text("utf-8") for name in PAGES]

    assert written == [page(), sources_page()], "python -m bench.similarity_pages"


@pytest.mark.parametrize(
    ("table", "context", "count"),
    [  # Tables A.6 and A.7: number of variants, of documents and of elements
        *((COMBINING, "D", 4), (TERM_WEIGHT, "D", 6), (METHOD, "D", 2), (FREQUENCY, "D", 7), (LENGTH, "D", 4 + 4 + 2)),
        *((COMBINING, "E", 4), (METHOD, "E", 2), (FREQUENCY, "E", 7), (LENGTH, "E", 4 + 4 + 2)),
        *((METHOD, "Q", 2), (FREQUENCY, "Q", 8), (LENGTH, "Q", 6)),
    ],
)
def test_there_are_as_many_letters_as_the_thesis_counts(table, context, count):
    assert sum(each.origin != OURS for each in legal(table, context).values()) == count


def test_every_letter_reads_parameters_that_exist():
    for table in TABLES.values():
        for each in table.values():
            assert {*each.parameters, *each.query_parameters} <= set(TABLE)
            assert each.source
            assert each.line


@pytest.mark.parametrize("name", APPROACHES)
def test_approaches_are_explained(name):
    text = shown(name)

    assert text.startswith(f"{name}  {APPROACHES[name].expression}\nscores ")
    assert max(map(len, text.splitlines())) <= 140
    for parameter in parse_expression(APPROACHES[name].expression).parameters:
        assert f"\n  {parameter}=" in text


@given(expressions)
def test_any_expression_is_explained(expression):
    fields = as_dict(expression)

    assert json.loads(shown(str(expression), "--json")) == json.loads(json.dumps(fields).replace("Infinity", '"inf"'))
    assert fields["expression"] == str(expression)
    assert {each["name"] for each in fields["parameters"]} == expression.parameters
    letters = "".join(each["letter"] for each in fields["letters"])
    assert letters == "".join(re.findall(r"[A-Z](?!\[)", str(expression)))
    assert shown(str(expression)).splitlines()[0].endswith(str(expression))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("D[BB-ABF-BAA]", "(Σ ln(1 + N_D/N_D,t) · (1 + ln f_d,t)) / ((1 - s) + s · f_d/mean f_d)"),
        ("D[DN-AGJ-BAJ]", "f_q · ln(mu/(mu + f_d)) + Σ ln(N_D/N_D,t · f_d,t/mu + 1)"),
        ("T[DO-AGJ-BAJ]", "Σ ln(N_P/N_P,t · f_p,t/mu + 1)"),
        ("D[AA-AAA-BAA]", "1 if d contains any query term (all of them with boolean=and), else 0"),
        ("D[BA-AAA-AAA]", "Σ 1"),
        ("D[BB-BAB-BAB]", "(Σ ln(1 + N_D/N_D,t) · ln(1 + N_D/N_D,t)) / "
         "(√(Σ ln(1 + N_D/N_D,t)²) · √(Σ ln(1 + N_D/N_D,t)²))"),
        ("T[EA-AHA-AAA]", "gpx^(n - 1) · Σ f_p,t/F_t,  n = |T_q,p|"),
    ],
)  # fmt: skip
def test_formulas_are_composed(text, formula):
    assert composed(parse_expression(text)) == formula


def test_the_list_holds_every_approach():
    text = shown()

    for approach in APPROACHES.values():
        assert f"  {approach.name} " in text
        assert f" {approach.expression} " in text
    assert [row["name"] for row in json.loads(shown("--json"))["approaches"]] == list(APPROACHES)
