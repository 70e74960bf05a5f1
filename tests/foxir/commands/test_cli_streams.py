"""Queries from stdin and files to stdout, colours.

The environment decides whether output is styled.
"""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from foxir.terminal.commands import color_setting
from tests.foxir.commands.command import START, TOPICS, foxir, foxir_process, on_terminal, refused


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
