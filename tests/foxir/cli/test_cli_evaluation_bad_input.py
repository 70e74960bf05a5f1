"""Runs, judgements and options that are not as they should be: what is reported, and what is still scored."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.foxir.cli.command import foxir, refused

QRELS = "1 Q0 a 30 100 0 0:30\n1 Q0 b 10 50 5 5:10\n1 Q0 c 0 70\n2 Q0 a 20 100 40 40:20\n"
GOOD = "1 Q0 a 1 9.0 mine 0 50\n1 Q0 b 2 8.0 mine 0 20\n2 Q0 a 1 9.0 mine 30 40\n"
GRADED = """<assessments topic="1">
<file file="a"><path path="/a[1]" exhaustiveness="3" specificity="3"/></file>
</assessments>"""


@pytest.fixture
def qrels(tmp_path) -> Path:
    file = tmp_path / "qrels.txt"
    file.write_text(QRELS)
    return file


def text_run(folder: Path, content: str, name: str = "run.fol") -> Path:
    file = folder / name
    file.write_text(content)
    return file


LINES = [  # a run whose second line is wrong, and the message on it
    ("1 Q0 b 2 8.0 mine 0\n", "found 7 columns where the first line has 8"),
    ("1 Q0 b 2 8.0 mine\n", "found 6 columns where the first line has 8"),
    ("1 Q0 b 2\n", "found 4 columns where the first line has 8"),
    ("1 Q0 b 2 8.0 mine /a[1] /a[1]\n", "'/a[1]' is a path; the first line has an offset"),
    ("1 Q0 b two 8.0 mine 0 20\n", "rank 'two' is not a whole number"),
    ("1 Q0 b -2 8.0 mine 0 20\n", "rank '-2' is not a whole number"),
    ("1 Q0 b 1 8.0 mine 0 20\n", "duplicate rank 1 in topic '1', first in line 1"),
    ("1 Q0 b 2 nan mine 0 20\n", "rsv 'nan' is not a finite number"),
    ("1 Q0 b 2 -inf mine 0 20\n", "rsv '-inf' is not a finite number"),
    ("1 Q0 b 2 1e999 mine 0 20\n", "rsv '1e999' is not a finite number"),
    ("1 Q0 b 2 8.0 mine -5 20\n", "offset '-5' is not a whole number"),
    ("1 Q0 b 2 8.0 mine 0 2.5\n", "length '2.5' is not a whole number"),
    ("1 Q0 b 2 8.0 mine 0 99999999999999999999\n", "length '99999999999999999999' is not a whole number"),
    ("<topic>\n", "found 1 columns"),
]


@pytest.mark.parametrize(("line", "words"), LINES)
@pytest.mark.parametrize("command", ["eval", "compare", "pool", "convert"])
def test_a_malformed_line_is_named(command, line, words, qrels, tmp_path):
    run = text_run(tmp_path, GOOD.splitlines(keepends=True)[0] + line)
    good = text_run(tmp_path, GOOD, "good.fol")
    out = tmp_path / "out"
    calls = {
        "eval": ["eval", qrels, good, run, "--measures", "focused", "--json"],
        "compare": ["compare", qrels, good, run, "--measure", "AiP", "--json"],
        "pool": ["judgements", "pool", good, run, "--depth", "3", "--out", out],
        "convert": ["runs", "convert", run, "--format", "trec", "--out", out],
    }

    refused(foxir(*calls[command]), f"{run}:2: ", words)

    assert not out.exists()


def xml_run(folder: Path, results: str) -> Path:
    head = '<inex-submission participant-id="1" run-id="mine" task="" query="automatic">\n<topic topic-id="1">\n'
    return text_run(folder, f"{head}{results}\n</topic></inex-submission>", "run.xml")


@pytest.mark.parametrize(
    ("results", "line", "words"),
    [
        ("<result><path>/a[1]</path><rank>1</rank></result>", 3, "a result without a document"),
        ("<result><file>a</file><path>a[1]</path><rank>1</rank></result>", 3, "path 'a[1]'"),
        ("<result><file>a</file><rank>1st</rank></result>", 3, "rank '1st'"),
        ("<result><file>a</file><rsv>Infinity</rsv></result>", 3, "rsv 'Infinity' is not a finite number"),
        ("<result><file>a</file></result>", 3, "neither rank nor rsv"),
        (
            "<result><file>a</file><rank>1</rank></result>\n<result><file>b</file><rank>1</rank></result>",
            4,
            "duplicate rank 1 in topic '1', first in line 3",
        ),
        ("<result><file>a</file><rank>1</rank></result>\n<result><file>b</file>", 5, "not well-formed XML"),
    ],
)
def test_a_malformed_result_is_named(results, line, words, qrels, tmp_path):
    run = xml_run(tmp_path, results)

    refused(foxir("eval", qrels, run, "--measures", "trec", "--json"), f"{run}:{line}: ", words)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (QRELS + "1 Q0 d 5\n", 5, "found 4 fields, expected 'topic Q0 document rsize size"),
        (QRELS + "2 Q0 d five 70\n", 5, "rsize 'five' is not a number of characters"),
        (QRELS + "2 Q0 d 5 70 0 0-5\n", 5, "passage '0-5' is not 'offset:length'"),
        (QRELS + "1 Q0 b 5 70 0 0:5\n", 5, "document 'b' is judged again for topic '1' (first: "),
        (
            '<assessments topic="1">\n<file name="a"><element path="/a[1]" size="x" rsize="1"/></file></assessments>',
            2,
            "size 'x'",
        ),
        ('<assessments>\n<file name="a"/></assessments>', 1, "names no topic"),
        ('<assessments topic="1">\n<file name="a">', 2, "not well-formed XML"),
        ('<inex_topic topic_id="1"/>', 1, "found <inex_topic>, expected <assessments>"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "relevance", "simulate", "agreement", "convert"])
def test_malformed_judgements_are_named(command, content, line, words, qrels, tmp_path):
    bad, run, out = tmp_path / "bad", text_run(tmp_path, GOOD), tmp_path / "out"
    bad.write_text(content)
    calls = {
        "eval": ["eval", bad, run, "--measures", "focused", "--json"],
        "relevance": ["judgements", "stats", bad, "--json"],
        "simulate": ["runs", "ideal", bad, "--kind", "passage", "--out", out],
        "agreement": ["judgements", "agreement", qrels, bad, "--json"],
        "convert": ["judgements", "convert", bad, "--format", "trec", "--out", out],
    }
    if command == "convert" and "inex_topic" in content:
        calls["convert"][0] = "runs"  # nothing says that it is meant as judgements
        words = "the root is <inex_topic>"

    refused(foxir(*calls[command]), f"{bad}:{line}", words)

    assert not out.exists()


@pytest.mark.parametrize("packed", [b"\x1f\x8b broken", gzip.compress(QRELS.encode(), mtime=0)[:-9]])
def test_damaged_bytes_are_named(packed, qrels, tmp_path):
    bad, run = tmp_path / "bad.gz", text_run(tmp_path, GOOD)
    bad.write_bytes(packed)

    for call in (
        ["eval", bad, run],
        ["eval", qrels, bad],
        ["runs", "convert", bad, "--format", "fol", "--out", tmp_path / "x"],
    ):
        refused(foxir(*call, *(["--measures", "focused"] if call[0] == "eval" else [])), "bad.gz: cannot be read")


MEASURED = [
    (["--measures", "focsed"], ["'focsed': did you mean 'focused'?", "hixeval"]),
    (["--measures", "focused,xyz"], ["no measure or family 'xyz'; the families are"]),
    (["--measures", "focused", "--measure-option", "overlaping=union"], ["'overlaping': did you mean 'overlapping'?"]),
    (
        ["--measures", "focused", "--measure-option", "overlapping=join"],
        ["overlapping=join: expected one of refuse, union"],
    ),
    (["--measures", "focused", "--measure-option", "legacy_float=1"], ["legacy_float=1: expected true or false"]),
    (["--measures", "ric", "--measure-option", "beta=x"], ["beta=x: expected a number"]),
    (["--measures", "ric", "--measure-option", "beta=-1"], ["beta=-1"]),
    (["--measures", "bic", "--measure-option", "n=0"], ["n=0"]),
    (["--measures", "focused", "--alpha", "1"], ["no requested measure has an option 'alpha'", "focused has"]),
    (["--measures", "xcg", "--measure-option", "tie=high"], ["tie=high: expected one of higher, deeper"]),
    (["--measures", "focused", "--topics", "7"], ["'7'"]),
    (["--measures", "focused", "--scale", "2003"], ["highlighted text of 2005 on", "scale of 2003"]),
    (["--measures", "focused", "--topic-class", "broad"], ["needs --index"]),
    (["--measures", "focused", "--recall-base", "bep"], ["needs --index"]),
    (["--measures", "xcg"], ["needs --index"]),
    (["--measures", "focused", "--jobs", "0"], ["--jobs"]),
    (["--measures", "focused", "--json", "--latex"], ["choose one"]),
    (["--measures", "focused", "--latex", "--markdown"], ["choose one"]),
    (["--measures", "focused", "--test", "t"], ["--baseline RUN"]),
    (["--measures", "focused", "--correction", "holm"], ["--baseline RUN"]),
    (["--measures", "focused", "--baseline", "other"], ["no run 'other'", "the runs are: mine"]),
    (["--measures", "focused", "--baseline", "mine", "--json"], ["foxir compare"]),
    (["--measures", "focused", "--baseline", "mine", "--per-topic"], ["foxir compare"]),
    (["--measures", "focused", "--plot", "{tmp}/x.gif"], ["x.gif: unknown image format; use one of .svg, .png, .pdf"]),
    (["--measures", "focused", "--report", "{tmp}"], ["is not a regular file"]),
]


@pytest.mark.parametrize(("options", "words"), MEASURED, ids=" ".join)
def test_requests_that_cannot_be_met(options, words, qrels, tmp_path):
    run = text_run(tmp_path, GOOD)
    before = sorted(tmp_path.iterdir())
    options = [option.format(tmp=tmp_path) for option in options]

    refused(foxir("eval", qrels, run, "--csv", tmp_path / "scores.csv", *options), *words)

    assert sorted(tmp_path.iterdir()) == before


OTHERS = [
    (["compare", "{qrels}", "{run}", "--measure", "AiP"], ["1 run given: expected two or more"]),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "MAiQ"], ["no measure or family 'MAiQ'", "hixeval:AP"]),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "focsed:AiP"], ["did you mean 'focused'?"]),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "focused:AP"], ["focused has no measure 'AP'", "AiP"]),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "AiP", "--level", "2"], ["level=2"]),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "AiP", "--test", "x"], ["--test", "'wilcoxon'"]),
    (["runs", "correlate", "{qrels}", "{run}", "{run}", "--measures", "AiP"], ["expected two or more"]),
    (["runs", "correlate", "{qrels}", "{run}", "--measures", "AiP,art_f1"], ["expected"]),
    (["judgements", "stats", "{qrels}"], ["needs --index"]),
    (["judgements", "stats", "{qrels}", "--by", "size"], ["--by", "'grade'"]),
    (["judgements", "stats", "{graded}", "--mapping", "M21"], ["M21"]),
    (["judgements", "agreement", "{qrels}", "{run}"], ["document size"]),
    (["runs", "ideal", "{qrels}", "--kind", "ea", "--out", "{out}"], ["needs --index"]),
    (["runs", "ideal", "{graded}", "--kind", "fullrb", "--out", "{out}"], ["2003"]),
    (["runs", "ideal", "{qrels}", "--kind", "passages", "--out", "{out}"], ["--kind", "'passage'"]),
    (["judgements", "pool", "{run}", "--depth", "0", "--out", "{out}"], ["--depth"]),
    (["judgements", "pool", "{qrels}", "--depth", "5", "--out", "{out}"], ["looks like a judgement"]),
    (["runs", "convert", "{run}", "--format", "xml", "--out", "{out}"], ["--format", "'inex'"]),
    (
        ["judgements", "convert", "{qrels}.none", "--format", "fol", "--out", "{out}"],
        ["cannot be read: there is no such file"],
    ),
    (["judgements", "convert", "{graded}", "--format", "fol", "--out", "{out}"], ["judged.xml"]),
    (["measures", "hixevil"], ["did you mean 'hixeval'?"]),
]


@pytest.mark.parametrize(("arguments", "words"), OTHERS, ids=" ".join)
def test_other_requests_that_cannot_be_met(arguments, words, qrels, tmp_path):
    graded = tmp_path / "judged.xml"
    graded.write_text(GRADED)
    places = {"qrels": qrels, "run": text_run(tmp_path, GOOD), "graded": graded, "out": tmp_path / "out"}

    refused(foxir(*(argument.format(**places) for argument in arguments)), *words)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("family", "lines", "line", "words"),
    [
        ("focused", "1 Q0 a 1 9 mine 0 50\n1 Q0 a 2 8 mine 40 5\n", 2, "overlaps that of line 1 in document 'a'"),
        ("focused", "1 Q0 a 2 8 mine 40 5\n1 Q0 a 1 9 mine 0 50\n", 1, "overlaps that of line 2 in document 'a'"),
        ("ric", "1 Q0 a 1 9 mine 0 5\n1 Q0 b 2 8 mine 0 5\n1 Q0 a 3 7 mine 9 5\n", 3, "appears again after others"),
        ("bic", "1 Q0 a 1 9 mine 0\n1 Q0 a 2 8 mine 9\n", 2, "has a second result"),
        ("focused", "1 Q0 a 1 9 mine 0\n", 1, "an entry point without a length"),
        (
            "inex_eval",
            "1 Q0 a 1 9 mine 0 5\n",
            1,
            "needs paths. Convert the run with 'foxir runs convert RUN --format inex --index INDEX --out FILE'",
        ),
        ("overlap", "1 Q0 a 1 9 mine 0 5\n", 1, "needs paths"),
    ],
)
def test_what_a_measure_refuses_is_named(family, lines, line, words, qrels, tmp_path):
    good, run = text_run(tmp_path, GOOD, "good.fol"), text_run(tmp_path, lines)
    judged = tmp_path / "1.xml"
    judged.write_text(
        '<assessments topic="1"><file name="a"><element path="/a[1]" exhaustivity="2" size="9" rsize="9"/></file>'
        "</assessments>"
    )
    runs = [run] if family in ("inex_eval", "overlap", "bic") else [good, run]

    refused(
        foxir("eval", judged if family in ("inex_eval", "overlap") else qrels, *runs, "--measures", family, "--json"),
        *(f"{run}:{line}: topic '1': ", words),
    )


def test_overlap_that_is_refused_may_be_joined(qrels, tmp_path):
    run = text_run(tmp_path, "1 Q0 a 1 9 mine 0 50\n1 Q0 a 2 8 mine 40 20\n")

    joined = foxir("eval", qrels, run, "--measures", "focused", "--measure-option", "overlapping=union", "--json", "-q")

    precision = next(row for row in joined.json["runs"] if row["measure"] == "char_prec")
    assert precision["topics"]["1"] == pytest.approx(30 / 60)  # 60 different characters, the first 30 highlighted


LENIENT = (
    "1 Q0 a 0 7.0 mine X X\n1 Q0 b 3 8.0 mine 0 20\n1 Q0 z 2 6.0 mine 0 20\n1 Q0 z 5 6.0 mine 0 20\n"
    "9 Q0 a 1 9.0 theirs 0 10\n"
)
NOTICES = [
    "2 run ids in one file; the first, 'mine', is used",
    "ranks started at 0 in 1 topic",
    "ranks had gaps (renumbered) in 1 topic",
    "results were not in the order of their ranks (sorted) in 1 topic",
    "rsv rising with the rank (sorted by rank) in 1 topic",
    "duplicate results (kept) in 1 topic",
    "results with offset X, without location in their document: 1",
    "results without a place in their document (they keep their rank): 1",
    "topics not judged, skipped: 1 (9)",
    "judged topics without results: 1 (2): they count as 0; --topics 1 leaves them out",
    "2 of 4 results lie in documents not judged (not relevant)",
]


DOUBTS = [notice for notice in NOTICES if notice.startswith(("results without a place", "topics not judged"))]


@pytest.mark.parametrize("families", ["thorough", "thorough,trec,focused"])
def test_each_tolerated_flaw_is_reported_once_and_stdout_stays_clean(families, qrels, tmp_path):
    run = text_run(tmp_path, LENIENT)
    call = ["eval", qrels, run, "--measures", families, "--json"]
    call += ["--measure-option", "overlapping=union"] if "focused" in families else []

    scored, quiet = foxir(*call), foxir(*call, "-q")

    assert scored.status == quiet.status == 1  # a topic was skipped
    assert sorted(scored.err.splitlines()) == sorted(f"mine: {notice}" for notice in NOTICES)
    assert scored.json == quiet.json
    assert sorted(quiet.err.splitlines()) == sorted(f"mine: {notice}" for notice in DOUBTS)


@pytest.mark.parametrize(
    ("command", "options", "doubts"),
    [
        (
            "compare",
            ["--measure", "AiP"],
            "1 of 1 comparisons is over fewer than 5 topics (fewest: 2): p-values of so few say little\n",
        ),
        ("runs correlate", ["--measures", "AiP,art_f1", "--resamples", "9"], ""),
    ],
)
def test_comparisons_tell_what_they_leave_out_as_well(command, options, doubts, qrels, tmp_path):
    good = text_run(tmp_path, GOOD, "good.fol")
    more = text_run(tmp_path, GOOD.replace("mine", "more") + "9 Q0 a 1 9.0 more 0 10\n", "more.fol")

    compared = foxir(*command.split(), qrels, good, more, *options, "--json")

    assert compared.status == 1
    assert compared.err == "more: topics not judged, skipped: 1 (9)\n" + doubts
    assert compared.json
    assert foxir(*command.split(), qrels, good, good, *options, "--json").status == 0


def test_a_file_without_judgements_in_a_folder_of_judgements_is_reported(tmp_path):
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "1.xml").write_text(GRADED)
    (folder / "topics.xml").write_text("<inex_topic topic_id='1'/>")
    run = xml_run(tmp_path, "<result><file>a</file><path>/a[1]</path><rank>1</rank></result>")

    scored = foxir("eval", folder, run, "--measures", "inex_eval", "--json")

    assert scored.status == 1
    assert scored.err.splitlines() == [
        f"{folder}/topics.xml: skipped, its root is <inex_topic>, not <assessments>",
        "mine: rsv missing, derived from the rank in 1 topic",
    ]
    assert scored.json["runs"][0]["value"] == 1.0


def test_topics_that_were_not_selected_are_not_reported(qrels, tmp_path):
    run = text_run(tmp_path, GOOD)

    scored = foxir("eval", qrels, run, "--measures", "focused", "--topics", "2", "--json")

    assert (scored.status, scored.err) == (0, "")
    assert all(list(row["topics"]) == ["2"] for row in scored.json["runs"])


def test_a_topic_without_relevance_is_outside_the_mean_and_reported(qrels, tmp_path):
    qrels.write_text(QRELS + "3 Q0 a 0 100\n")
    run = text_run(tmp_path, GOOD + "3 Q0 a 1 9.0 mine 0 10\n")

    scored = foxir("eval", qrels, run, "--measures", "focused", "--json")

    assert scored.err == "focused: topics without relevance, outside the mean: 1 (3)\n"
    for row in scored.json["runs"]:
        assert row["topics"]["3"] is None
        assert row["value"] == pytest.approx((row["topics"]["1"] + row["topics"]["2"]) / 2)


def test_the_same_value_twice_is_computed_once(qrels, tmp_path):
    run = text_run(tmp_path, GOOD)

    once = foxir("eval", qrels, run, "--measures", "focused,ric", "--measure-option", "beta=1", "--json").json
    twice = foxir(
        "eval", qrels, run, "--measures", "focused,ric,Focused", "--measure-option", "beta=1,1", "--json"
    ).json

    assert once == twice
