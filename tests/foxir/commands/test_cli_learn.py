"""`foxir tune --learn` on the sample collection."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize(
    "options", [("--rank-by", "structure"), ("--passages", "--max-sentences", "2", "--across-elements")]
)
def test_settings_without_weights_are_refused_before_a_journal_is_written(options, sample, judged, tmp_path):
    refused(learn(sample, judged, *FAST, "--out", tmp_path / "s.toml", *options), "weights")

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
        (("--passages", "--max-sentences", "2", "--across-elements"), ("across_elements = True", "leave it out")),
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
