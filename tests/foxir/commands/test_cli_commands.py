"""The commands as a user types them, one after the other."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from engine.runs import read_run
from foxir.sample_data import sample_folder
from foxir.terminal.commands import COMMANDS
from tests.foxir.commands.command import TOPICS, foxir

CO = TOPICS / "co"


def test_every_command_has_help_and_is_listed():
    for command in COMMANDS:
        *group, name = command.split()
        assert f"\n  {name} " in foxir(*group, "--help").out
        shown = foxir(*group, name, "-h")
        assert (shown.status, shown.err) == (0, "")
        assert shown.out.startswith(f"Usage: foxir {command} ")


def test_the_version():
    assert re.fullmatch(r"foxir, version \S+\n", foxir("--version").out)


def test_quiet_leaves_the_reasons_of_exit_status_1(sample, tmp_path):
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\tfog\n" + "".join(f"x{number}\t//sec[about(\n" for number in range(12)))

    for command, out in (("run", "run.xml"), ("export", "answers.jsonl")):
        made = foxir(command, sample, topics, "--out", tmp_path / out, "-q")
        assert made.status == 1
        assert made.err.count("about() begins with a path") == 10
        assert made.err.endswith("\nand 2 more\n")
        assert foxir(command, sample, topics, "--out", tmp_path / out).err.count("about() begins with a path") == 12


def test_files_that_cannot_be_read_are_listed_with_line_and_reason(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "good.xml").write_text("<a>sea</a>")
    for number in range(12):
        (source / f"bad{number:02}.xml").write_text("<a>\n<b></a>")

    made = foxir("index", tmp_path / "i", source)

    assert made.status == 1
    lines = made.err.splitlines()
    assert len(lines) == 11
    assert lines[0].startswith(f"skipped: {source}/bad00.xml:2: ")
    assert lines[-1] == f"skipped: 2 more, see {tmp_path}/i/ingest.json"
    line = f"  skipped    12 documents in the last build, see {tmp_path}/i/ingest.json\n"
    assert line in foxir("info", tmp_path / "i").out
    assert len(foxir("index", tmp_path / "i", "--json").json["skipped"]) == 12
    assert foxir("index", tmp_path / "i", "-q").err == made.err
    assert foxir("index", tmp_path / "i", "-q", "--json").err == ""

    stopped = foxir("index", tmp_path / "j", source, "--on-error", "stop")
    assert (stopped.status, stopped.out) == (2, "")
    assert not (tmp_path / "j" / "manifest.json").exists()


def used(tmp_path: Path, index: Path, *options: str) -> dict[str, object]:
    made = foxir("run", index, CO, "--topics", "1", "--out", tmp_path / "r.xml", "--json", *options)
    assert made.status == 0, made
    return made.json["settings"]


def test_settings_from_the_weakest_to_the_strongest(sample, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('heuristic = "PME"\noverlap = "keep"\nmax_articles = 7\noperator = "and"\n')
    given: list[str] = []

    seen = [used(tmp_path, sample)]
    for more in (
        ["--settings", str(file)],
        ["--task", "CO.Focussed"],
        ["--named", "nCRE-CO-TPF"],
        ["--heuristic", "PTF", "--max-articles", "9"],
    ):
        given += more
        seen.append(used(tmp_path, sample, *given))

    assert [each["heuristic"] for each in seen] == ["MpE", "PME", "PME", "TPF", "PTF"]
    assert [each["overlap"] for each in seen] == ["remove", "keep", "remove", "keep", "keep"]
    assert [each["max_articles"] for each in seen] == [500, 7, 7, 500, 9]
    assert [each["operator"] for each in seen] == ["or", "and", "and", "or", "or"]


def test_a_run_says_how_it_was_made(sample, tmp_path):
    settings = used(
        tmp_path, sample, "--named", "H-oCRE-MpE", "--max-answers", "20", "--task", "CO.Thorough", "--run-id", "me"
    )

    written = (tmp_path / "r.xml").read_text()

    for name, value in settings.items():
        assert f"\n{name} = {str(value).lower() if isinstance(value, bool) else value}" in written
    assert 'task="CO.Thorough"' in written
    assert 'run-id="me"' in written


def test_only_the_selected_topics(sample, tmp_path):
    made = foxir("run", sample, CO, "--topics", "3, 17-19", "--out", tmp_path / "a.b.xml", "--json").json

    assert (made["topics"], made["run"]) == (4, "a.b")
    assert re.findall('topic-id="(\\d+)"', (tmp_path / "a.b.xml").read_text()) == ["3", "17", "18", "19"]


@pytest.mark.parametrize("approach", ["fulltext", "hybrid"])
@pytest.mark.long
def test_every_format_scores_the_same(approach, sample, judged, tmp_path):
    values = {}
    for form in ("inex", "fol", "trec") if approach == "fulltext" else ("inex", "fol"):
        file = tmp_path / f"run.{form}"
        assert foxir("run", sample, CO, "--out", file, "--format", form, "--approach", approach).status == 0
        options = ["--index", sample, "--measures", "hixeval,thorough", "--topics", "1-19", "--json"]
        scored = foxir("eval", judged, file, *options)
        assert scored.status == 0, scored.err
        values[form] = {row["measure"]: row["topics"] for row in scored.json["runs"]}
        assert any(value for topics in values[form].values() for value in topics.values())
    for form, scores in values.items():
        for measure, topics in scores.items():
            assert topics == pytest.approx(values["inex"][measure], abs=1e-9), (form, measure)


@pytest.mark.long
def test_passages_and_what_they_expand_to_score_the_same(sample, sample_run, judged):
    options = [sample_run, "--index", sample, "--measures", "hixeval", "--topics", "1-19", "--json"]

    expanded, passages = (foxir("eval", given, *options).json for given in (judged, TOPICS / "qrels.txt"))

    assert expanded == passages


def test_documents_that_are_not_in_the_index_are_skipped_and_listed(sample, tmp_path):
    qrels = tmp_path / "qrels.txt"
    known = (TOPICS / "qrels.txt").read_text().splitlines()[0]
    qrels.write_text("\n".join([known, *(f"1 Q0 other/d{number:02} 5 10 0 0:5" for number in range(12))]) + "\n")

    made = foxir("judgements", "to-elements", qrels, "--index", sample, "--out", tmp_path / "out")

    assert made.status == 1
    lines = made.err.splitlines()
    assert lines[0] == f"skipped: topic '1': document 'other/d00' is not in {sample}"
    assert (len(lines), lines[-1]) == (11, "skipped: 2 more, --json lists them all")
    listed = foxir("judgements", "to-elements", qrels, "--index", sample, "--out", tmp_path / "out", "--json", "-q")
    assert len(listed.json["skipped"]) == 12
    assert listed.err == ""


def test_demo_does_the_whole_job_and_shows_each_command(demonstration):
    shown = demonstration.outcome

    assert shown.status == 0, shown.err
    steps = re.findall(r"^\$ foxir (\w+)(?: to-elements)?", shown.out, re.MULTILINE)
    assert steps == ["index", "search", *["run"] * 6, "judgements", "eval", "eval"]
    for run in ("scored", "fulltext", "native-oCRE-TPF", "hybrid-oCRE-MpE", "hybrid-nCRE-TPF"):
        assert re.search(rf"^{run} +0\.\d+", shown.out, re.MULTILINE), run
    for family in ("hixeval", "inex_eval"):
        assert f"\n{family} " in shown.out
    assert "What to look at next" in shown.out
    assert demonstration.names == ["collections", "demo.foxir", "runs", "topics"]


@pytest.fixture(scope="module")
def used_folder(sample, tmp_path_factory):
    """What a quiet demo printed in a folder that had a link to an index, and topics of the user, and the folder."""
    folder = tmp_path_factory.mktemp("used")
    (folder / "topics").mkdir()
    (folder / "topics/mine.txt").write_text("1\tfog\n")
    shutil.copytree(sample, folder / "elsewhere.foxir")
    (folder / "demo.foxir").symlink_to("elsewhere.foxir")
    (folder / "demo.foxir" / "old").touch()
    with contextlib.chdir(folder):
        shown = foxir("demo", "-q")
    assert (shown.status, shown.err) == (0, "")
    return folder, shown.out


@pytest.mark.long
def test_demo_leaves_topics_of_another_kind_alone(used_folder):
    folder, shown = used_folder

    assert [file.name for file in (folder / "topics").iterdir()] == ["mine.txt"]
    original = shlex.quote(str(sample_folder() / "topics/co"))
    assert f"foxir run elsewhere.foxir {original} --out" in shown


@pytest.mark.long
def test_demo_replaces_its_index(used_folder):
    folder, _ = used_folder

    assert (folder / "demo.foxir" / "manifest.json").exists()
    assert not (folder / "demo.foxir" / "old").exists()


def test_demo_replaces_nothing_but_its_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "demo.foxir" / "letter.txt"
    other.parent.mkdir()
    other.write_text("mine")

    refused = foxir("demo", "-q")

    assert refused.status == 2
    assert "contains other files" in refused.err
    assert other.read_text() == "mine"


def test_demo_keeps_an_index_of_other_sources(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.xml").write_text("<p>a letter</p>", "utf-8")
    assert foxir("index", "letter.xml", "--into", "demo.foxir", "-q").status == 0

    refused = foxir("demo", "-q")

    assert refused.status == 2
    assert "demo.foxir: is an index of other sources than the sample" in refused.err
    assert foxir("search", "demo.foxir", "letter", "-q").status == 0


@pytest.mark.parametrize("form", ["inex", "fol", "trec"])
def test_a_run_reports_as_many_results_as_its_file_has(form, sample, tmp_path):
    made = foxir("run", sample, TOPICS / "co", "--topics", "1-3", "--format", form, "--out", tmp_path / "r")
    in_json = foxir(
        "run", sample, TOPICS / "co", "--topics", "1-3", "--format", form, "--out", tmp_path / "r", "--json"
    )
    text = (tmp_path / "r").read_text("utf-8")
    n_written = text.count("<result>") if form == "inex" else len(text.splitlines())

    assert in_json.json["results"] == n_written
    of_many = r" documents, of \d+ results," if form == "trec" else " results"
    assert re.search(rf": {n_written}{of_many} for 3 topics\n", made.out)


def test_a_run_has_the_format_of_its_name(sample, tmp_path):
    made = foxir("run", sample, TOPICS / "co", "--topics", "1-3", "--out", tmp_path / "r.trec", "--json")

    assert made.json["format"] == read_run(tmp_path / "r.trec").format == "trec"


@pytest.mark.parametrize(
    ("name", "run_id"),
    [("v1.3.xml", "v1.3"), ("mm-0.3", "mm-0.3"), ("a.b.FOL.gz", "a.b"), ("x.trec", "x"), ("y.json", "y.json")],
)
def test_the_run_is_named_after_its_file_without_the_ending_of_a_format(tmp_path, sample, name, run_id):
    assert foxir("run", sample, TOPICS / "co", "--topics", "1", "--out", tmp_path / name, "-q").status == 0

    assert read_run(tmp_path / name).run_id == run_id


def test_a_demo_that_cannot_copy_its_sample_names_the_option_for_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "collections").symlink_to("nowhere")

    refused = foxir("demo", "-q")

    assert refused.status == 2
    assert refused.err.startswith("foxir: collections: cannot be written: ")
    assert refused.err.endswith(" --folder names another folder.\n")
    assert refused.err.count("\n") == 1
