"""Every form in which `foxir eval` gives what it computes."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests.foxir.commands.command import foxir, foxir_process, on_terminal
from tests.trust.soak import THOROUGH

# topic 1: 'a' is highlighted from 0 to 30 of 100 characters, 'b' from 5 to 15 of 50; topic 2: 'a' from 40 to 60
QRELS = "1 Q0 a 30 100 0 0:30\n1 Q0 b 10 50 5 5:10\n1 Q0 c 0 70\n2 Q0 a 20 100 40 40:20\n3 Q0 c 7 70 1 1:7\n"
RUNS = {
    "one": "1 Q0 a 1 9.0 one 0 50\n1 Q0 b 2 8.0 one 0 20\n2 Q0 a 1 9.0 one 30 40\n",
    "two": "1 Q0 c 1 9.0 two 0 70\n1 Q0 a 2 8.0 two 0 30\n2 Q0 a 1 9.0 two 0 10\n3 Q0 c 1 9.0 two 1 7\n",
}


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """The judgements and the two runs."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name, content in RUNS.items():
        (tmp_path / f"{name}.fol").write_text(content)
    return [tmp_path / "qrels.txt", *(tmp_path / f"{name}.fol" for name in RUNS)]


def test_the_shape_of_the_json(files):
    document = foxir("eval", *files, "--measures", "ric,trec", "--measure-option", "beta=0.25,1", "--json", "-q").json

    assert list(document) == ["runs"]
    for row in document["runs"]:
        assert list(row) == ["run", "family", "measure", "options", "value", "topics"]
        assert list(row["topics"]) == ["1", "2", "3"]
    entries = [(r["run"], r["family"], r["measure"], r["options"].get("beta")) for r in document["runs"]]
    assert len(set(entries)) == len(entries)
    assert {entry[0] for entry in entries} == {"one", "two"}
    assert {(entry[1], entry[3]) for entry in entries} == {("ric", 0.25), ("ric", 1.0), ("trec", None)}


def test_missing_topics_count_0_or_are_skipped(files):
    zero, skip = (
        foxir("eval", *files, "--measures", "focused", "--missing-topics", how, "--json", "-q").json["runs"]
        for how in ("zero", "skip")
    )

    for first, second in zip(zero, skip, strict=True):
        if first["run"] == "one":
            assert first["topics"] == second["topics"] | {"3": first["topics"]["3"]}
            if first["measure"] == "char_prec":
                assert (first["value"], second["value"]) == pytest.approx(((40 / 70 + 0.5) / 3, (40 / 70 + 0.5) / 2))
        else:
            assert first == second


def test_the_csv_holds_what_the_json_holds(files, tmp_path):
    scored = foxir("eval", *files, "--measures", "focused,trec", "--csv", tmp_path / "x" / "scores.csv", "--json", "-q")

    lines = list(csv.DictReader(io.StringIO((tmp_path / "x" / "scores.csv").read_text("utf-8"))))
    found = {tuple(line[key] for key in ("run", "family", "measure", "topic")): line["value"] for line in lines}
    assert len(found) == len(lines)
    for row in scored.json["runs"]:
        for topic, value in {**row["topics"], "all": row["value"]}.items():
            assert found.pop((row["run"], row["family"], row["measure"], topic)) == str(value)
    assert not found


def numbers(text: str) -> list[str]:
    return re.findall(r"\d\.\d{4}", text)


def test_terminal_markdown_and_latex_say_the_same(files):
    call = ["eval", *files, "--measures", "focused", "-q"]
    terminal, markdown, latex = (foxir(*call, *form).out for form in ([], ["--markdown"], ["--latex"]))

    assert "MAiP" in terminal
    assert numbers(markdown) == numbers(latex)
    assert sorted(numbers(markdown)) == sorted(numbers(terminal))
    # char_prec: (40/70 + 20/40 + 0) / 3 against (30/100 + 0 + 1) / 3, the better one bold
    assert re.search(r"\| one +\| .*0\.3571 ", markdown)
    assert re.search(r"\| two +\| .*\*\*0\.4333\*\* ", markdown)
    assert r"\textbf{0.4333}" in latex
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1
    assert r"char\_prec" in latex
    assert r"\usepackage" not in latex


def test_other_tables_are_printed_in_markdown_and_latex(files, judged):
    correlate = ["runs", "correlate", *files, "--measures", "char_prec,char_rec", "-q"]
    agreement = ["judgements", "agreement", files[0], files[0], "-q"]
    for call in (correlate, agreement, ["judgements", "stats", judged]):
        markdown, latex = (foxir(*call, form).out for form in ("--markdown", "--latex"))

        assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == markdown.count("\n| --") > 0
        assert "choose one" in foxir(*call, "--json", "--latex").err


def test_comparisons_are_printed_in_markdown_and_latex(files):
    call = ["compare", *files, "--measure", "char_prec", "-q"]
    terminal, markdown, latex = (foxir(*call, *form).out for form in ([], ["--markdown"], ["--latex"]))

    assert "0.3571" in numbers(terminal)
    assert sorted(numbers(markdown)) == sorted(numbers(latex)) == sorted(numbers(terminal))
    assert latex.count(r"\toprule") == markdown.count("\n| --") == 2
    assert "choose one" in foxir(*call, "--json", "--latex").err


def test_every_topic_has_its_line(files):
    shown = foxir("eval", *files, "--measures", "ric", "--at", "1", "--per-topic", "-q").out

    tables = [block.splitlines() for block in shown.split("\n\n")]
    assert [table[0].split()[-1] for table in tables] == ["gP[1]", "gR[1]", "AgP"]
    for table in tables:
        assert table[1].split() == ["topic", "one", "two"]
        assert [line.split()[0] for line in table[2:]] == ["1", "2", "3", "mean"]
        values = [[float(value) for value in line.split()[1:]] for line in table[2:]]
        assert values[3] == pytest.approx([sum(run) / 3 for run in zip(*values[:3], strict=True)], abs=1.1e-4)


@pytest.mark.parametrize("more", [[], ["--per-topic"], ["--details"], ["--baseline", "one"]])
def test_tables_fit_a_terminal_and_are_unbroken_in_a_pipe(files, more, tmp_path, monkeypatch):
    long = tmp_path / "long.fol"
    long.write_text(RUNS["two"].replace("two", "a-run-with-a-rather-long-name-as-people-choose-them"))
    call = ["eval", *files, long, "--measures", "focused,ric", "-q", *more]
    monkeypatch.setenv("COLUMNS", "80")

    shown, in_pipe = on_terminal(*call, TERM="dumb"), foxir(*call).out

    assert max(map(len, shown.splitlines())) <= 80
    assert len(re.findall(r"^topic|^run", in_pipe, re.MULTILINE)) == len(in_pipe.split("\n\n"))


@pytest.mark.long
def test_the_best_of_a_column_is_bold_on_a_terminal(files):
    shown = foxir_process(
        *("eval", *files, "--measures", "focused", "-q"),
        env={"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80", "PATH": ""},
    ).stdout.decode()

    assert re.search(r"\x1b\[1m *0\.4333\x1b\[0m", shown)
    assert not re.search(r"\x1b\[1m *0\.3571", shown)


@pytest.mark.long
def test_no_color_leaves_tables_plain_on_a_terminal(files):
    environ = {"NO_COLOR": "1", "TTY_COMPATIBLE": "1", "TERM": "xterm-256color", "COLUMNS": "80", "PATH": ""}

    assert b"\x1b" not in foxir_process("eval", *files, "--measures", "focused", "-q", env=environ).stdout


@pytest.mark.long
def test_a_report_names_the_settings_of_a_run(judged, sample_run, tmp_path):
    assert foxir("eval", judged, sample_run, "--measures", "AP", "--report", tmp_path / "page.html", "-q").status == 0

    assert re.search(r">approach</th><td[^>]*>hybrid</td>", (tmp_path / "page.html").read_text())


MANY = range(1, 11)


@pytest.fixture
def clear(tmp_path) -> list[Path]:
    """Ten topics that one run answers wholly, one by a half and a little more or less, and one hardly."""
    (tmp_path / "q.txt").write_text("".join(f"{n} Q0 d 40 100 0 0:40\n" for n in MANY))
    for name, returned in (("whole", 40), ("half", 80), ("far", 100)):
        lines = (f"{n} Q0 d 1 1.0 {name} 0 {returned - (n % 3 if name == 'half' else 0)}\n" for n in MANY)
        (tmp_path / f"{name}.fol").write_text("".join(lines))
    return [tmp_path / "q.txt", *(tmp_path / f"{name}.fol" for name in ("half", "whole", "far"))]


@pytest.mark.parametrize("name", ["half", "{tmp}/half.fol"])
@pytest.mark.parametrize("how", [[], ["--test", "wilcoxon", "--correction", "bonferroni"]])
def test_significant_differences_are_marked_against_a_baseline(name, how, clear, tmp_path):
    call = ["eval", *clear, "--measures", "focused", "-q", "--baseline", name.format(tmp=tmp_path), *how]
    terminal, markdown, latex = (foxir(*call, *form).out for form in ([], ["--markdown"], ["--latex"]))

    compared = foxir("compare", *clear, "--measure", "char_prec", *how, "-q", "--json").json["pairs"]
    assert all(pair["significant"] for pair in compared)  # of char_prec; all characters are always found
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    column = [cell.strip() for cell in lines[0].split("|")].index(r"char\_prec")
    cells = {line.split("|")[1].strip(): line.split("|")[column].strip() for line in lines[2:]}
    assert cells == {"half": cells["half"], "whole": "**1.0000**↑", "far": "0.4000↓"}
    assert not cells["half"].endswith(("↑", "↓"))
    assert "1.0000↑" in terminal
    assert r"\textbf{1.0000}$^{\uparrow}$" in latex
    note = "Wilcoxon signed-rank test, Bonferroni correction" if how else "paired t test, Holm correction"
    assert f"worse than half: {note}, p < 0.05" in " ".join(terminal.split())


@pytest.mark.thorough
@pytest.mark.long
def test_a_report_is_one_file_that_fetches_nothing(clear, tmp_path):
    measures = "focused,trec" if THOROUGH else "focused:AiP,focused:char_prec"
    page = tmp_path / "out" / "report.html"

    made = foxir("eval", *clear, "--measures", measures, "--report", page, "--baseline", "half", "-q", "--json")

    html = page.read_text("utf-8")
    assert made.status == 0
    assert [row["run"] for row in made.json["runs"]]
    attributes = re.findall(r"""(?:src|href|action|data|srcset|poster)\s*=\s*["']?([^"'\s>]+)""", html)
    assert [value for value in attributes if not value.startswith(("#", "data:image/png;base64,"))] == []
    assert not re.search(r"@import|url\((?!#)|<(?:script|link|iframe|object|embed|base)\b", html)
    anchors = {value[1:] for value in attributes if value.startswith("#")}
    assert anchors <= set(re.findall(r'\bid="([^"]+)"', html))
    assert [path.name for path in page.parent.iterdir()] == ["report.html"]
    for word in ("half", "whole", "far", "MAiP", "significantly better, worse than half", str(clear[0])):
        assert word in html
    if THOROUGH:
        again = tmp_path / "again.html"
        foxir("eval", *clear, "--measures", measures, "--report", again, "--baseline", "half", "-q")
        assert again.read_text("utf-8") == html


@pytest.mark.parametrize(("ending", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
@pytest.mark.long
def test_pictures(ending, magic, clear, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "deep" / f"scores.{ending}"

    made = foxir("eval", *clear, "--measures", "focused", "--plot", picture, "-q", "--json")

    assert made.status == 0
    assert picture.read_bytes().startswith(magic)
    assert [path.name for path in picture.parent.iterdir()] == [picture.name]
    if ending == "svg":
        assert all(name in picture.read_text("utf-8") for name in ("half", "whole", "far"))


@pytest.mark.parametrize("index", [False, True])
def test_the_number_of_processes_changes_nothing(index, clear, sample, sample_run, judged, tmp_path):
    if index:
        runs = [tmp_path / f"copy{n}.xml" for n in range(3)]
        for n, run in enumerate(runs):
            run.write_text(sample_run.read_text("utf-8").replace('run-id="usual"', f'run-id="usual{n % 2}"'), "utf-8")
        call = ["eval", judged, *runs, "--index", sample, "--measures", "hixeval,focused", "--topics", "1-3"]
        call += ["--measure-option", "overlapping=union", "--json"]
    else:
        call = ["eval", *clear, "--measures", "focused,trec", "--json"]

    alone, together = foxir(*call, "--jobs", "1"), foxir(*call, "--jobs", "2")

    assert alone == together
    assert alone.status == 0


def test_a_run_that_cannot_be_read_stops_all_processes(clear, tmp_path):
    bad = tmp_path / "bad.fol"
    bad.write_text("1 Q0 d 1 1.0 bad 0 40\n1 Q0 d 2 1.0 bad 50 10\n1 Q0 d 2 1.0 bad 70 10\n")

    outcomes = [foxir("eval", *clear, bad, "--measures", "focused", "--jobs", jobs) for jobs in ("1", "2")]

    assert outcomes[0] == outcomes[1]
    assert outcomes[0].status == 2
    assert f"{bad}:3: duplicate rank 2" in outcomes[0].err


@pytest.mark.long
def test_more_runs_than_are_scored_in_one_batch(clear, tmp_path):
    runs = []
    for n in range(23):
        runs.append(tmp_path / f"many{n}.fol")
        runs[-1].write_text("".join(f"{topic} Q0 d 1 1.0 many{n} 0 {41 + n}\n" for topic in MANY))

    scored = foxir("eval", clear[0], *runs, "--measures", "focused", "--json", "-q").json["runs"]

    precision = {row["run"]: row["value"] for row in scored if row["measure"] == "char_prec"}
    assert precision == pytest.approx({f"many{n}": 40 / (41 + n) for n in range(23)})
    assert list(precision) == [f"many{n}" for n in range(23)]


def test_topics_are_printed_in_numerical_order(files, tmp_path):
    ids = ("10", "9", "2b", "2")
    (tmp_path / "many.txt").write_text("".join(f"{id_} Q0 a 30 100 0 0:30\n" for id_ in ids))
    (tmp_path / "many.fol").write_text("".join(f"{id_} Q0 a 1 9.0 one 0 50\n" for id_ in ids))

    shown = foxir("eval", tmp_path / "many.txt", tmp_path / "many.fol", "--measures", "focused:AiP", "--per-topic").out

    assert [line.split()[0] for line in shown.splitlines()[2:]] == ["2", "2b", "9", "10", "mean"]


def test_the_mean_of_average_precision_comes_first(files):
    for family, first in (("focused", "MAiP"), ("ric", "MAgP")):
        assert foxir("eval", *files, "--measures", family, "-q").out.splitlines()[1].split()[1] == first
