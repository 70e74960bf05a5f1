"""`foxir tune --learn` on the sample collection.

How `foxir tune` reads judgements: as `foxir eval` does; and what it never writes over.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from engine.ranking.parts.catalogue import WEIGHTS
from engine.settings import read_settings
from tests.foxir.commands.command import TOPICS, foxir, refused
from tests.trust.soak import THOROUGH

CO = TOPICS / "co"
FAST = ("--measure", "AP", "--weights", "article_weight,coverage", "--resamples", "50", "--topics", "1-8")


def learn(sample: Path, judged: Path, *options: str | Path):
    return foxir("tune", sample, CO, judged, "--learn", *options)


@pytest.fixture(scope="module")
def learned(sample, judged, tmp_path_factory):
    out = tmp_path_factory.mktemp("learned") / "learned.toml"
    return learn(sample, judged, *FAST, "--out", out, "--json", "-q").json, out


@pytest.mark.long
def test_the_settings_file_scores_as_reported_and_is_explained(learned, sample, judged, tmp_path):
    found, out = learned
    run = tmp_path / "run.xml"
    assert foxir("run", sample, CO, "--settings", out, "--out", run).status == 0
    topics = ",".join(topic for fold in found["folds"] for topic in fold["topics"])
    scored = foxir("eval", judged, run, "--topics", topics, "--measures", "hixeval", "--json").json["runs"]
    (value,) = [row["value"] for row in scored if row["measure"] == "AP"]
    assert found["best"]["value"] == pytest.approx(value, abs=1e-12)
    settings = read_settings(out)
    assert {name: getattr(settings, name) for name in found["best"]["settings"]} == found["best"]["settings"]
    (answer,) = foxir("search", sample, "fog signal", "--settings", out, "--top", "1", "--json").json["answers"]
    why = foxir("explain", sample, "fog signal", answer["document"], answer["path"], "--settings", out, "--json").json
    assert why["score"] == answer["score"]
    assert sum(part["value"] for part in why["element"]["details"]) == pytest.approx(why["score"], rel=1e-12)


@pytest.mark.long
def test_the_settings_file_says_where_it_comes_from(learned):
    head = learned[1].read_text().split("\n\n")[0]
    for part in ("hixeval:AP", "8 topics", "5 folds", "95% interval", "Learned: "):
        assert part in head


def test_settings_without_weights_are_refused_before_a_journal_is_written(sample, judged, tmp_path):
    refused(learn(sample, judged, *FAST, "--out", tmp_path / "s.toml", "--rank-by", "structure"), "weights")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_table_names_each_weight(sample, judged):
    printed = learn(
        sample, judged, "--measure", "P@10", "--weights", "coverage", "--resamples", "50", "--topics", "1-6", "-q"
    ).out
    assert "Learned weights" in printed
    assert "cross-validated estimate, on topics held out" in printed
    assert printed.count("coverage") >= 1
    assert "article_weight" not in printed


@pytest.mark.thorough
@pytest.mark.long
def test_passages_are_learned_for_like_elements(sample, judged):
    topics = ("--topics", "1-19" if THOROUGH else "1-5")
    found = learn(sample, judged, *FAST, "--passages", *topics, "--json", "-q").json
    assert found["best"]["value"] >= found["base"]["value"] - 0.02
    assert set(found["best"]["settings"]) == {"article_weight", "coverage"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--weights", "title_weight"), ("'title_weight' is not a weight that is learned", *WEIGHTS)),
        (("--weights", "coverag"), ("did you mean", "coverage")),
        (("--weights", ","), ("no weight to learn",)),
        (("--rank-by", "structure"), ("weights are of scored elements",)),
        (("--element-similarity", "gpx"), ("coverage and heading_weight need",)),
        (("--plot", "a.svg"), ("--plot", "grid")),
        (("--method", "halving"), ("--method", "grid")),
        (("--grid", "grid.toml"), ("--grid", "--learn")),
        (("--topics", "1-3"), ("3 topics with relevance for 5 folds",)),
        (("--topics", "1"), ("topic",)),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(sample, judged, options, words):
    given = ("--measure", "AP", *options) if "--weights" in options or "--rank-by" in options else (*FAST, *options)
    if "gpx" in options:
        given = ("--measure", "AP", *options)
    refused(learn(sample, judged, *given), *words)


def test_neither_a_grid_nor_learning_is_refused(sample, judged):
    refused(foxir("tune", sample, CO, judged, "--measure", "AP"), "--grid", "--learn")
    refused(
        foxir("tune", sample, CO, judged, "--measure", "AP", "--grid", CO / "x.toml", "--weights", "coverage"),
        "--learn",
    )


def test_a_settings_file_of_other_names_is_refused(sample, tmp_path):
    file = tmp_path / "other.toml"
    file.write_text("article_weight = 2.4\ntitle_weight = 3\n")
    refused(foxir("search", sample, "fog", "--settings", file), str(file), "title_weight")


def test_judgements_without_relevant_topics_are_refused(sample, tmp_path):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{topic} Q0 jats/fx-001 0 5000\n" for topic in range(1, 9)))
    refused(learn(sample, qrels, *FAST), "relevance")


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
