"""How `foxir tune` reads judgements: as `foxir eval` does; and what it never writes over."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.foxir.commands.command import TOPICS, foxir, refused

ARTICLE = "<a>fog <s><p>fog lamp fog</p> <p>lamp</p></s> <s>tide <p>fog signal</p></s> <s>the reef</s></a>"
JUDGED = """<assessments topic="{topic}"><file file="d">
<path path="/a[1]" exhaustiveness="3" specificity="{whole}"/>
<path path="/a[1]/s[1]" exhaustiveness="3" specificity="3"/>
<path path="/a[1]/s[1]/p[1]" exhaustiveness="3" specificity="3"/>
<path path="/a[1]/s[2]" exhaustiveness="2" specificity="2"/>
</file></assessments>"""
CLASSES = {"broad": {"1", "2"}, "narrow": {"3", "4"}}


class Made(NamedTuple):
    """An index of one document, four topics, their judgements on the scale of 2003, and a grid."""

    index: Path
    topics: Path
    judged: Path
    grid: Path

    def tune(self, *options):
        return foxir(
            *("tune", self.index, self.topics, self.judged, "--grid", self.grid, "--measure", "inex_eval:AP"),
            *("--rank-by", "score", "--overlap", "keep", "--min-words", "0", "--folds", "2", "--resamples", "20"),
            *options,
        )


@pytest.fixture
def made(tmp_path) -> Made:
    (tmp_path / "d.xml").write_text(ARTICLE)
    assert foxir("index", tmp_path / "d.foxir", tmp_path / "d.xml").status == 0
    (tmp_path / "topics.txt").write_text("1\tfog\n2\tlamp\n3\tfog lamp\n4\tfog signal\n")
    (tmp_path / "judged").mkdir()
    for which, topics in CLASSES.items():
        for topic in topics:
            text = JUDGED.format(topic=topic, whole=3 if which == "broad" else 1)
            (tmp_path / "judged" / f"{topic}.xml").write_text(text)
    (tmp_path / "grid.toml").write_text("parent_weight = [0, 0.5, 1]\n")
    return Made(tmp_path / "d.foxir", tmp_path / "topics.txt", tmp_path / "judged", tmp_path / "grid.toml")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--recall-base", "general"),
        ("--recall-base", "specific"),
        ("--scale", "2002"),
        ("--recall-base", "specific", "--topic-class", "narrow"),
    ],
)
def test_judgements_are_read_as_by_eval(options, made, tmp_path):
    found = made.tune(*options, "--json", "-q")
    run = tmp_path / "run.xml"
    settings = ("--rank-by", "score", "--overlap", "keep", "--min-words", "0")
    assert foxir("run", made.index, made.topics, *settings, "--out", run).status == 0
    judging = ("--measures", "inex_eval", "--index", made.index, *options)
    scored = foxir("eval", made.judged, run, *judging, "--json", "-q")

    (expected,) = [row["value"] for row in scored.json["runs"] if row["measure"] == "AP"]
    assert found.status == scored.status == 0, (found.err, scored.err)
    assert found.json["base"]["value"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("which", CLASSES)
def test_topics_of_a_class_are_tuned_on(which, made, tmp_path):
    out = tmp_path / "tuned.toml"

    found = made.tune("--topic-class", which, "--json", "-q", "--out", out)

    assert {topic for fold in found.json["folds"] for topic in fold["topics"]} == CLASSES[which]
    assert f"# Judgements: topic class {which}\n" in out.read_text()
    assert "Judgements" not in (made.tune("--out", out) and out.read_text())


def test_a_class_without_topics_is_reported(made):
    refused(made.tune("--topics", "1,2", "--topic-class", "narrow"), "none of the 2 topics is narrow")


def test_scores_under_another_recall_base_are_of_another_journal(made, tmp_path):
    journal = ("--journal", tmp_path / "scores")
    assert made.tune("--recall-base", "specific", *journal).status == 0

    refused(made.tune(*journal), "its recall base is specific, found full")
    refused(made.tune("--recall-base", "specific", "--scale", "2002", *journal), "its scale is 2003, found 2002")
    assert made.tune("--recall-base", "specific", "--topic-class", "broad", *journal).status == 0


@pytest.mark.long
def test_a_measure_that_finds_no_relevance_is_reported_and_leaves_no_journal(sample, judged, made, tmp_path):
    out = tmp_path / "tuned.toml"
    options = ("--grid", made.grid, "--measure", "inex_eval:AP", "--recall-base", "specific", "--out", out)

    refused(
        foxir("tune", sample, TOPICS / "co", judged, *options),
        "none of 19 topics has relevance under inex_eval:AP (quant=strict, esl=cooper",
        "choose another measure, or other options",
    )
    assert not out.with_name("tuned.toml.journal").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "grid.toml"), "--out {}/grid.toml: is also the file of --grid"),
        (("--out", "topics.txt"), "--out {}/topics.txt: is also the file of TOPICS"),
        (("--journal", "grid.toml"), "--journal {}/grid.toml: is also the file of --grid"),
        (("--out", "a.svg", "--plot", "a.svg"), "--plot {}/a.svg: is also the file of --out"),
        (("--out", "a", "--journal", "judged/../a"), "--journal {}/judged/../a: is also the file of --out"),
    ],
)
def test_no_file_is_written_over_another(options, message, made, tmp_path):
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}

    done = made.tune(*(each if each.startswith("--") else tmp_path / each for each in options))

    refused(done, message.format(tmp_path))
    assert {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before
