"""A name whose ending stands for another format than the one that is written has a notice."""

from __future__ import annotations

import pytest

from tests.foxir.commands.command import TOPICS, foxir


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
