"""Names of commands and options: help shows examples that parse."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from engine.settings.tasks import NAMED
from foxir.terminal.commands import COMMANDS
from foxir.terminal.commands import foxir as root
from tests.foxir.commands.command import COLLECTIONS, foxir, foxir_process, refused


def command_of(name: str) -> click.Command:
    command: click.Command = root
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None, name
        command = found
    return command


def flags(name: str) -> set[str]:
    return {flag for parameter in command_of(name).params for flag in parameter.opts}


def test_a_missing_value_names_the_help_of_its_command(sample):
    refused(foxir("search", sample, "lens", "--named"), "foxir search: Option '--named'", "Try: foxir search --help")
    refused(foxir("runs", "ideal", "--kind"), "Try: foxir runs ideal --help")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_the_help_parse(name, monkeypatch, sample, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo.foxir").symlink_to(sample)
    shown = foxir(*name.split(), "--help").out
    examples = re.findall(r"^ {4}(?:echo .*\| )?foxir (.*?)(?: +#.*)?$", shown, re.MULTILINE)

    assert any(shlex.split(example)[: len(name.split())] == name.split() for example in examples)
    for example in examples:
        words = shlex.split(example)
        called = " ".join(words[: 2 if words[0] in ("judgements", "runs") else 1])
        arguments = [word for word in words[len(called.split()) :] if word != "-"] + ["lens"] * ("-" in words)
        if "--out" not in words or "-" not in words:
            command_of(called).make_context(called, arguments)


@pytest.mark.parametrize("name", ["", "judgements", "runs"])
def test_help_lists_commands_with_one_line_each(name):
    shown = foxir(*name.split(), "--help").out
    listed = re.findall(r"^  ([a-z][a-z-]*) +(\S.*)$", shown, re.MULTILINE)

    assert {command for command, _ in listed} >= {
        command.removeprefix(name).split()[0] for command in COMMANDS if command.startswith(name)
    }
    assert all(line.endswith(".") for command, line in listed if f"{name} {command}".strip() in COMMANDS)


def test_index_and_source_exchanged_are_noticed(sample, tmp_path):
    refused(
        foxir("index", COLLECTIONS, sample),
        f"{sample}: is an index, not a source",
        "foxir index INDEX SOURCE... or foxir index SOURCE... --into INDEX",
    )
    assert not (COLLECTIONS / "manifest.json").exists()


@pytest.mark.long
def test_with_into_all_arguments_are_sources(tmp_path):
    jats, tei = COLLECTIONS / "jats", COLLECTIONS / "tei"

    into = foxir("index", jats, tei, "--into", tmp_path / "into.foxir", "--json").json
    first = foxir("index", tmp_path / "first.foxir", jats, tei, "--json").json
    foxir("index", "--into", tmp_path / "into.foxir", "--remove", tei)
    left = foxir("info", tmp_path / "into.foxir", "--json").json

    assert into["documents"] == first["documents"] == 22
    assert left["sources"] == [str(jats)]
    assert left["documents"] == 11


def test_with_into_an_index_is_refused_as_a_source(sample, tmp_path):
    refused(foxir("index", sample, "--into", tmp_path / "my.foxir"), f"{sample}: is an index, not a source")


def test_named_runs_are_listed():
    listed, as_json = foxir("named"), foxir("named", "--json").json

    assert [each["run"] for each in as_json["runs"]] == list(NAMED)
    assert re.findall(r"^(\S+)  ", listed.out, re.MULTILINE) == list(NAMED)
    assert as_json["runs"][0]["settings"]["approach"] == "fulltext"


@pytest.mark.parametrize("shell", ["zsh"])
@pytest.mark.long
def test_a_shell_can_complete_commands(shell):
    made = foxir_process(env={"_FOXIR_COMPLETE": f"{shell}_source"})
    words = {"COMP_WORDS": "foxir judgements ", "COMP_CWORD": "2", "_FOXIR_COMPLETE": f"{shell}_complete"}

    assert b"_FOXIR_COMPLETE" in made.stdout
    assert b"to-elements" in foxir_process(env=words).stdout


@pytest.mark.parametrize("name", ["search", "explain", "run", "tune"])
def test_the_help_shows_the_defaults_of_settings(name):
    shown = " ".join(foxir(name, "--help-all").out.split())

    for option, default in {
        "--max-answers": "1500",
        "--min-words": "0.2x up to 10",
        "--unit": "auto",
        "--group-by-article": "no-group-by-article",
    }.items():
        assert re.search(rf" {option} [^[]*(\[[^]]*\|[^]]*\][^[]*)?\[default: {default}\]", shown), option


@pytest.mark.parametrize("command", ["search", "explain", "run", "tune"])
def test_the_scope_has_the_names_of_the_settings_too(command):
    assert {"--in", "--inside", "--not-in", "--outside"} <= flags(command)
