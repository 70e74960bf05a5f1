"""Runs, judgements and options that are not as they should be: what is reported."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from tests.foxir.commands.command import TOPICS, foxir, refused
from tests.foxir.commands.evaluation_files import GOOD, GRADED, QRELS, text_run


@pytest.mark.parametrize("command", ["eval", "compare", "pool", "convert"])
def test_a_malformed_line_is_named(command, qrels, tmp_path):
    run = text_run(tmp_path, GOOD.splitlines(keepends=True)[0] + "1 Q0 b two 8.0 mine 0 20\n")
    good = text_run(tmp_path, GOOD, "good.fol")
    out = tmp_path / "out"
    calls = {
        "eval": ["eval", qrels, good, run, "--measures", "focused", "--json"],
        "compare": ["compare", qrels, good, run, "--measure", "AiP", "--json"],
        "pool": ["judgements", "pool", good, run, "--depth", "3", "--out", out],
        "convert": ["runs", "convert", run, "--format", "trec", "--out", out],
    }

    refused(foxir(*calls[command]), f"{run}:2: ", "rank 'two' is not a whole number")

    assert not out.exists()


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
    (
        ["compare", "{qrels}", "{run}", "{run}", "--measure", "AiP", "--level", "2"],
        ["level: expected a number between 0 and 1"],
    ),
    (["compare", "{qrels}", "{run}", "{run}", "--measure", "AiP", "--test", "x"], ["--test", "'wilcoxon'"]),
    (["runs", "correlate", "{qrels}", "{run}", "{run}", "--measures", "AiP"], ["expected two or more"]),
    (["runs", "correlate", "{qrels}", "{run}", "--measures", "AiP,art_f1"], ["expected"]),
    (["judgements", "stats", "{qrels}"], ["needs --index"]),
    (["judgements", "stats", "{qrels}", "--by", "size"], ["--by", "'grade'"]),
    (["judgements", "stats", "{graded}", "--mapping", "M21"], ["M21"]),
    (["judgements", "agreement", "{qrels}", "{run}"], ["Is this a run?"]),
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
            "a passage of text; inex_eval scores whole elements. --measures hixeval scores passages. If all results "
            "are whole elements, 'foxir runs convert",
        ),
        ("overlap", "1 Q0 a 1 9 mine 0 5\n", 1, "a passage of text; overlap scores whole elements"),
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


def test_judgements_without_their_second_column_are_recognised(tmp_path):
    judgements = tmp_path / "qrels.txt"
    judgements.write_text("301 a.html 2\n301 b.html -1\n")

    refused(foxir("eval", judgements, text_run(tmp_path, GOOD)), f"{judgements}:1: ", "TREC qrels of three columns")


TOPICS_OF_TREC = "<top>\n<num> Number: 301\n<title> fog signals\n</top>\n"


@pytest.mark.parametrize(
    "text", ["1\tfog signal\n", "qid,query\n1,fog\n", '<topics><topic number="1"/></topics>', TOPICS_OF_TREC]
)
def test_topics_in_the_place_of_judgements_or_of_a_run_are_recognised(text, qrels, tmp_path):
    topics = tmp_path / "topics"
    topics.write_text(text)

    refused(foxir("eval", topics, text_run(tmp_path, GOOD)), f"{topics}:1: ", "Is this a file of topics? 'foxir run'")
    refused(foxir("eval", qrels, topics), f"{topics}:1: ", "Is it a file of topics", "'foxir run' answers")


def test_an_archive_is_called_one(qrels, sample, tmp_path):
    archive = tmp_path / "archive.xml"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.xml", "<a>fog</a>")
    for command in (("eval", archive, archive), ("eval", qrels, archive), ("run", sample, archive, "--out", "-")):
        refused(foxir(*command), str(archive), "it is a ZIP archive: unpack it")
    assert f"{archive}:1: it is a ZIP archive and not XML" in foxir("index", tmp_path / "i", archive).err
    archive.write_bytes(gzip.compress(b"<a/>"))
    assert f"{archive}:1: it is compressed by gzip and not XML" in foxir("index", tmp_path / "i", archive).err


@pytest.mark.long
def test_advice_for_a_run_of_passages_leads_to_values(sample, tmp_path):
    passages, judged = tmp_path / "passages.fol", tmp_path / "judged"
    assert foxir("run", sample, TOPICS / "co", "--passages", "--format", "fol", "--out", passages).status == 0
    assert foxir("judgements", "to-elements", TOPICS / "qrels.txt", "--index", sample, "--out", judged).status < 2

    refused(foxir("eval", judged, passages, "--measures", "inex_eval", "--quant", "gen"), "--measures hixeval scores")
    scored = foxir("eval", judged, passages, "--measures", "hixeval", "--json", "-q").json["runs"]
    assert all(row["value"] > 0 for row in scored)


def test_overlap_that_is_refused_may_be_joined(qrels, tmp_path):
    run = text_run(tmp_path, "1 Q0 a 1 9 mine 0 50\n1 Q0 a 2 8 mine 40 20\n")

    joined = foxir("eval", qrels, run, "--measures", "focused", "--measure-option", "overlapping=union", "--json", "-q")

    precision = next(row for row in joined.json["runs"] if row["measure"] == "char_prec")
    assert precision["topics"]["1"] == pytest.approx(30 / 60)  # 60 different characters, the first 30 highlighted


def test_the_same_value_twice_is_computed_once(qrels, tmp_path):
    run = text_run(tmp_path, GOOD)

    once = foxir("eval", qrels, run, "--measures", "focused,ric", "--measure-option", "beta=1", "--json").json
    twice = foxir(
        "eval", qrels, run, "--measures", "focused,ric,Focused", "--measure-option", "beta=1,1", "--json"
    ).json

    assert once == twice
