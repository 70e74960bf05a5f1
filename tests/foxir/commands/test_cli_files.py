"""Every file that a command takes: what is there in its place ends in one line that names it and says what to do.

A name whose ending stands for another format than the one that is written has a notice.
"""

from __future__ import annotations

import importlib
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby

import click
import pytest

from foxir.terminal.commands import COMMANDS, color_setting
from tests.foxir.commands.command import COLLECTIONS, START, TOPICS, foxir, foxir_process, on_terminal, refused
from tests.trust.soak import THOROUGH

# What is given in place of a file that is read -> how a message says what was found, where that is the same for all.
INPUTS = {
    "missing": "no such ",
    "simila": "but '{folder}/similar'",
    "broken": "a link to 'nowhere', which is not there",
    "similar/file": "",
    "folder.svg": "",
    "empty": "",
    "binary": "",
    "gzip": "",
}
# The same for one that is written.
OUTPUTS = {"folder.svg": "", "similar/file.svg": "'{folder}/similar' is a file, not a folder"}
WRITTEN = {"out", "csv_file", "page", "journal", "judgements", "picture"}
WRITTEN_FOLDERS = {
    ("demo", "folder"),
    ("judgements to-elements", "out"),
    ("judgements from-quotes", "out"),
    ("index", "into"),
}
# Options whose values may be names, too.
NAMES_OR_FILES = {"stop", "profile", "image", "images"}
MAY_BE_EMPTY = {"settings_file", "entities", "catalogs", "stop", "profile", "folders"}
ADVICE = re.compile(r"[Ee]xpected|[Mm]ake one|write lines|Choose|[Nn]ame |An index is|use ")
RAW = re.compile(r"Errno|codec|No such file|Is a directory|Not a directory|File exists")

# Values of parameters by name, those of files with places to fill in.
VALUES = {
    "index": ["{index}"],
    "indexes": ["{index}"],
    "folders": ["{tmp}/new.foxir", str(COLLECTIONS / "tei")],
    "topics": [str(TOPICS / "co")],
    "topic_file": [str(TOPICS / "co")],
    "assessments": ["{judged}"],
    "first": ["{judged}"],
    "second": ["{judged}"],
    "run": ["{run}"],
    "runs": ["{run}", "{run}"],
    "grid_file": ["{tmp}/grid.toml"],
    "out": ["{tmp}/out"],
    "judgements": ["{tmp}/store"],
    "query": ["fog"],
    "quotes": ["{tmp}/quotes.csv"],
    "document": ["ieee/na/1998/n1012"],
    "words": ["fog", "ieee/na/1998/n1012", "/article[1]"],
    "measure": ["hixeval:AP"],
    "measures": ["AP,iAP"],
    "depth": ["10"],
    "format_": ["trec"],
    "kind": ["passage"],
    "port": ["0"],
}
# What is given, too, though it is not required.
GIVEN = {
    "index": {"folders"},
    "search": {"query"},
    "export": {"topics"},
    "serve": {"judgements", "topic_file", "port"},
    "tune": {"grid_file"},
}
# Commands and parameters of optional parts -> the package that they need.
NEEDED = {"serve": "starlette", "mcp": "mcp", "image": "PIL", "images": "PIL"}


def parameters() -> Iterator[tuple[tuple[str, str], tuple[click.Command, click.Parameter]]]:
    """Yield the names of every command and parameter that takes a file, and both."""
    for name, entry in COMMANDS.items():
        module, attribute = entry.place.split(":")
        command = getattr(importlib.import_module(module), attribute)
        for each in command.params:
            if isinstance(each.type, click.Path) or (each.name in NAMES_OR_FILES and each.type is click.STRING):
                yield (name, str(each.name)), (command, each)


PARAMETERS = dict(parameters())


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield commands, parameters and what is wrong: every way once for a parameter's name, one for each command."""
    seen = set()
    for name, parameter in PARAMETERS:
        wrong = OUTPUTS if parameter in WRITTEN else INPUTS
        if (name, parameter) in WRITTEN_FOLDERS:
            wrong = {"similar/file.svg": "", "broken": ""}
        if parameter in seen:
            wrong = dict([next(iter(wrong.items()))])
        for kind in wrong:
            if kind != "empty" or parameter not in MAY_BE_EMPTY:
                yield name, parameter, kind
        seen.add(parameter)


def in_turn() -> Iterator[tuple[str, str, str]]:
    """Yield one case of every parameter, with what is wrong in turn."""
    for number, (_, group) in enumerate(groupby(cases(), lambda case: case[:2])):
        all_of_one = list(group)
        yield all_of_one[number % len(all_of_one)]


def call(command: click.Command, name: str, wrong: click.Parameter, value: str) -> list[str]:
    """Return a call of a command in which all is right but one value."""
    arguments, options = name.split(), []
    given = GIVEN.get(name, set()) - ({"topics"} if wrong.name == "queries" else set())
    for each in command.params:
        if each is not wrong and not each.required and each.name not in given:
            continue
        values = VALUES.get(str(each.name), [""])
        if wrong.name == "into" and each.name == "folders":
            values = values[1:]
        if each is wrong:
            values = [*values[:-1], value]
        for text in values if each.nargs == -1 else values[-1:]:
            if isinstance(each, click.Argument):
                arguments.append(text)
            else:
                options += [each.opts[-1], text]
    return [*arguments, *options]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "parameter", "kind"), list(cases() if THOROUGH else in_turn()))
def test_the_error_of_a_file_is_one_line(name, parameter, kind, sample, judged, sample_run, tmp_path):
    if needed := NEEDED.get(name) or NEEDED.get(parameter):
        pytest.importorskip(needed)
    folder = tmp_path / "given"
    (folder / "folder.svg").mkdir(parents=True)
    (folder / "similar").write_text("x")
    (folder / "broken").symlink_to("nowhere")
    (folder / "empty").write_text("")
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "gzip").write_bytes(b"\x1f\x8b\x08 not whole")
    (tmp_path / "quotes.csv").write_text("question,document,quote\nfog,ieee/na/1998/n1012,fog\n")
    (tmp_path / "grid.toml").write_text("k1 = [0.9, 1.2]\n")
    places = {"index": sample, "judged": judged, "run": sample_run, "tmp": tmp_path, "folder": folder}
    command, wrong = PARAMETERS[name, parameter]

    outcome = foxir(*(text.format(**places) for text in call(command, name, wrong, str(folder / kind))))

    if parameter == "folders" and kind in ("folder.svg", "binary", "gzip"):  # other sources are indexed all the same
        assert (outcome.status, str(folder / kind) in outcome.err) == (1, True)
        return
    found = {**INPUTS, **OUTPUTS}.get(kind, "").format(**places)
    refused(outcome, str(folder / kind.removesuffix("/file.svg")), found)
    assert ADVICE.search(outcome.err), outcome.err
    assert not RAW.search(outcome.err), outcome.err
    assert f"{folder / kind}:1: " not in outcome.err or kind in ("binary", "gzip"), outcome.err


@pytest.mark.parametrize("name", ["d.run", "x.json", "s.txt", "S.CSV", "s.txt.gz"])
def test_a_run_in_a_file_of_another_format_has_a_notice(sample, tmp_path, name):
    call = ("run", sample, TOPICS / "co", "--topics", "1", "--out", tmp_path / name)
    ending = f".{name.lower().split('.')[1]}"

    made = foxir(*call)
    assert made.status == 0
    assert made.err.startswith(f"{tmp_path}/{name}: has INEX XML, which {ending} does not stand for: --format chooses")
    for quiet in (("-q",), ("--format", "fol"), ("--format", "inex")):
        assert foxir(*call, *quiet).err == ""


@pytest.mark.parametrize("name", ["d.xml", "d.fol", "d.trec", "d.xml.gz", "v1.3", "d", "-"])
def test_other_names_of_runs_have_none(sample, tmp_path, name):
    out = name if name == "-" else tmp_path / name
    assert foxir("run", sample, TOPICS / "co", "--topics", "1", "--out", out).err == ""


@pytest.mark.parametrize(
    ("name", "options", "notice"),
    [
        ("a.csv", (), "has lines of JSON, which .csv does not stand for: name it .jsonl"),
        (
            "a.json",
            (),
            "has lines of JSON, which .json does not stand for: name it .jsonl, or write .json with --json.",
        ),
        ("a.jsonl.gz", (), "has lines of JSON, which .gz does not stand for"),
        ("a.jsonl", ("--json",), "has an array of JSON, which .jsonl does not stand for"),
        ("a.jsonl", (), ""),
        ("a.json", ("--json",), ""),
        ("answers", (), ""),
    ],
)
def test_exported_answers_in_a_file_of_another_format_have_a_notice(sample, tmp_path, name, options, notice):
    made = foxir("export", sample, TOPICS / "co", "--topics", "1", "--out", tmp_path / name, *options)

    assert made.status == 0
    assert made.err.startswith(f"{tmp_path}/{name}: {notice}" if notice else "")
    assert bool(made.err) == bool(notice)


def test_an_ideal_run_has_the_same_notice(sample, judged, tmp_path):
    made = foxir("runs", "ideal", judged, "--kind", "bep", "--out", tmp_path / "bep.csv")
    assert "bep.csv: has INEX XML, which .csv does not stand for" in made.err


# Queries from stdin and files to stdout, colours.


def found(outcome):
    assert outcome.status == 0, outcome.err
    return {name: value for name, value in outcome.json.items() if name != "seconds"}


def test_words_without_quotes_are_one_query(sample):
    quoted = found(foxir("search", sample, "fog signal range", "--json"))

    assert found(foxir("search", sample, "fog", "signal", "--json", "range")) == quoted


def test_a_query_is_read_from_stdin(sample, monkeypatch):
    for text in (b"fog signal range\n", b"\xef\xbb\xbffog signal range"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), "utf-8"))
        assert found(foxir("search", sample, "-", "--json")) == found(
            foxir("search", sample, "fog signal range", "--json")
        )

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), "utf-8"))
    refused(foxir("search", sample, "-"), "stdin is not UTF-8", "byte 3 is 0xe9")


@pytest.mark.long
def test_files_are_written_to_stdout(sample, sample_run, judged, tmp_path):
    calls = {
        "run": ["run", sample, TOPICS / "co", "--topics", "1-3", "--run-id", "x"],
        "ideal": ["runs", "ideal", judged, "--kind", "bep"],
        "convert": ["runs", "convert", sample_run, "--format", "trec"],
        "qrels": ["judgements", "convert", TOPICS / "qrels.txt", "--format", "trec"],
        "pool": ["judgements", "pool", sample_run, "--depth", "2"],
    }
    for name, call in calls.items():
        file = tmp_path / name
        assert foxir(*call, "--out", file).status == 0
        for place in ("-", "/dev/stdout"):
            written = foxir(*call, "--out", place, "-q")
            assert (written.status, written.out) == (0, file.read_text()), name
        refused(foxir(*call, "--out", "-", "--json"), "--json and --out")
    refused(foxir("judgements", "convert", TOPICS / "qrels.txt", "--format", "inex", "--out", "-"), "name a folder")
    assert foxir(*calls["convert"], "--out", "-").err.startswith("stdout\nkind  format")


@pytest.mark.long
def test_scores_are_written_to_stdout(sample, sample_run, judged, tmp_path):
    call = ["eval", judged, sample_run, "--index", sample, "--measures", "hixeval", "-q"]
    assert foxir(*call, "--csv", tmp_path / "a.csv").status == 0

    assert foxir(*call, "--csv", "-").out == (tmp_path / "a.csv").read_text()
    refused(foxir(*call, "--csv", "-", "--report", "-"), "--csv and --report")


@pytest.mark.long
def test_a_file_that_stdout_is_redirected_to_is_not_replaced(sample, tmp_path):
    with (tmp_path / "r.xml").open("wb") as file:
        file.write(b"before\n")
        file.flush()
        call = ["run", str(sample), str(TOPICS / "co"), "--topics", "1", "--out", "/dev/stdout"]
        assert subprocess.run([*START, *call], stdout=file, check=False).returncode == 0

    assert (tmp_path / "r.xml").read_bytes().startswith(b"before\n<?xml")


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_no_escapes(plain, sample):
    assert "\x1b[" in on_terminal("search", sample, "lens", "--top", "1")
    assert "\x1b" not in on_terminal("search", sample, "lens", "--top", "1", **plain)


@pytest.mark.long
def test_tables_in_a_pipe_are_not_broken(sample, sample_run, judged):
    shown = foxir_process("eval", judged, sample_run, "--index", sample, "--measures", "focused", "-q")

    assert shown.stdout.decode().count("\nrun ") == 1


@pytest.mark.parametrize(
    ("environ", "setting"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, None),
        ({"NO_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_no_color_comes_before_force_color_and_that_before_the_terminal(environ, setting):
    assert color_setting(environ) is setting
