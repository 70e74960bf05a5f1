"""Every command that a message advises can be copied: its options exist, and what it requires is named."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import foxir as api
from foxir.messages import command_line
from foxir.terminal.commands import COMMANDS
from tests.foxir.commands.command import TOPICS, foxir, refused
from tests.foxir.messages.examples import EXAMPLES

ROOT = Path(__file__).parents[3]
NAMES = "|".join(sorted(COMMANDS, key=len, reverse=True))
CALL = re.compile(rf"\bfoxir (?P<name>{NAMES})(?P<words>(?: +(?:'[^']*'|[^\s'\";:()]+))*)")
# An argument, not prose: a name in capitals, a path, a quotation, a value of the program (VALUE), `...` for more.
ARGUMENT = re.compile(r"'.*'|[A-Z_]{3,}|\S*[./]\S+|VALUE\S*")


class Advice(NamedTuple):
    """A command with its words in a text of a program, and where that is."""

    place: str
    name: str
    words: tuple[str, ...]


def advised() -> Iterator[Advice]:
    """Yield every command with arguments in texts of the packages that are not docstrings, and in sentences."""
    for example in EXAMPLES:
        yield from advised_in(command_line.sentence(example), example.code)
    for package in ("engine", "eval", "foxir"):
        for file in sorted((ROOT / package).rglob("*.py")):
            if file.name in ("reference_page.py",):  # a page of the documentation
                continue
            text = file.read_text("utf-8")
            if "foxir " not in text:
                continue
            nodes = list(ast.walk(ast.parse(text)))
            docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
            for node in nodes:
                if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docstrings | parts:
                    yield from advised_in(text_of(node), f"{file.relative_to(ROOT)}:{node.lineno}")


def advised_in(text: str, place: str) -> Iterator[Advice]:
    for found in CALL.finditer(text):
        if words := words_of(found["name"], re.findall(r"'[^']*'|\S+", found["words"])):
            yield Advice(place, found["name"], words)


def text_of(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "VALUE" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def words_of(name: str, words: list[str]) -> tuple[str, ...]:
    """Return the first words that are of the command and not of the sentence around it."""
    options = {option: each for each in command_of(name).params for option in (*each.opts, *each.secondary_opts)}
    found: list[str] = []
    takes_value = False
    for word in words:
        option = options.get(word.rstrip(".,"))
        if not (takes_value or word.startswith("-") or ARGUMENT.fullmatch(word)):
            break
        found.append(word.strip("'").rstrip(".,"))
        takes_value = not takes_value and isinstance(option, click.Option) and not option.is_flag
        if word.endswith((".", ",")):
            break
    return tuple(found)


def command_of(name: str) -> click.Command:
    module, attribute = COMMANDS[name].place.split(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    return command


def refusal(advice: Advice) -> str | None:
    """Return what the command says of the words that are advised, None where it takes them."""
    try:
        command_of(advice.name).make_context(advice.name, [word for word in advice.words if word != "..."])
    except click.UsageError as error:
        return f"{advice.place}: foxir {advice.name} {' '.join(advice.words)}: {error.format_message()}"
    return None


@pytest.mark.long
def test_advised_commands_can_be_copied() -> None:
    found = list(dict.fromkeys(advised()))

    assert len(found) > 20
    assert {"index", "info", "eval", "judgements check", "runs convert"} <= {advice.name for advice in found}
    assert [refused for advice in found if (refused := refusal(advice))] == []


# What people try first is answered with the way that works.


QRELS = TOPICS / "qrels.txt"


def test_qrels_that_foxir_writes_are_read(sample: Path, sample_run: Path, tmp_path: Path) -> None:
    trec = tmp_path / "trec.txt"
    assert foxir("judgements", "convert", QRELS, "--format", "trec", "--out", trec).status == 0
    means = foxir("eval", QRELS, sample_run, "--measures", "trec", "--json").json["runs"]

    assert foxir("eval", trec, sample_run, "--json").json["runs"] == means
    refused(
        foxir("eval", trec, sample_run, "--measures", "hixeval"), "whole documents", "use trec, trec_eval or overlap"
    )
    refused(foxir("judgements", "stats", trec), "whole documents", "foxir eval JUDGEMENTS RUN --measures trec")


def test_a_measure_that_needs_an_index_says_so(sample_run: Path) -> None:
    refused(foxir("eval", QRELS, sample_run), "hixeval: ", "needs --index", "--measures trec scores whole documents")


@pytest.mark.parametrize("options", [[], ["--measures", "hixeval", "--alpha", "0"]])
def test_what_needs_no_index_is_named(tmp_path: Path, options: list[str]) -> None:
    qrels, run, elements = tmp_path / "qrels.txt", tmp_path / "mine.txt", tmp_path / "elements.txt"
    qrels.write_text("1 Q0 a 30 100 0 0:30\n")
    run.write_text("1 Q0 a 1 9.0 mine 0 50\n")
    elements.write_text("1 Q0 a 1 9.0 mine /a[1] /a[1]\n")
    advice = "--measures hixeval with --alpha 1 scores passages"

    refused(foxir("eval", qrels, run, *options), "needs --index", advice, "--measures trec scores whole documents")
    assert advice not in foxir("eval", qrels, elements, *options).err
    assert foxir("eval", qrels, run, "--measures", "hixeval", "--alpha", "1").status == 0


def test_an_option_out_of_range_is_refused_before_anything_is_scored(sample_run: Path) -> None:
    refused(foxir("eval", QRELS, sample_run, "--alpha", "3"), "alpha=3: expected a number from 0 to 1")


@pytest.mark.parametrize(("name", "meant"), [("NDCG", "'nDCG@10'"), ("p_20", "'P@20'"), ("mrr", "'RR'")])
def test_names_of_other_programs_are_understood(sample_run: Path, name: str, meant: str) -> None:
    refused(foxir("eval", QRELS, sample_run, "--measures", name), f"did you mean {meant}?")


@pytest.mark.parametrize(("name", "meant"), [("BM25Okapi", "bm25"), ("TF-IDF", "pcosine"), ("lm", "dirichlet")])
def test_similarities_of_other_programs_are_understood(sample: Path, name: str, meant: str) -> None:
    refused(foxir("search", sample, "fog", "--similarity", name), f"did you mean '{meant}'?")


def test_lengths_that_exclude_one_another_are_refused(sample: Path) -> None:
    asked = foxir("search", sample, "fog", "--min-words", "50", "--max-words", "20")

    refused(asked, "min_words = 50 is more than max_words = 20")


def test_a_run_in_place_of_judgements_is_recognised(sample_run: Path) -> None:
    refused(foxir("eval", sample_run, QRELS), "Is this a run? Judgements come first")


def test_a_grid_that_is_no_file_says_what_to_name(sample: Path) -> None:
    asked = foxir("tune", sample, TOPICS / "co", QRELS, "--measure", "trec:AP", "--grid", "k1=0.5,1")

    refused(asked, "k1=0.5,1: not a grid (there is no such file)", "name a file with lines like")


def test_a_measure_is_defined_in_plain_text() -> None:
    shown = foxir("measures", "hixeval").out

    assert shown.startswith("hixeval\n")
    assert "`" not in shown


@pytest.mark.parametrize("name", ["top", "top_k", "num_results"])
def test_settings_of_other_programs_are_understood(name: str) -> None:
    with pytest.raises(api.SettingsError, match=f"setting '{name}' is unknown: use max_answers, or a slice"):
        api.make_settings(**{name: 3})  # type: ignore[misc]
