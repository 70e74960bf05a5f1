"""`foxir tune` on the sample collection."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.index.reader import open_reader
from engine.runs import read_run
from engine.settings import Settings, read_settings
from engine.topics import read_topics
from eval import read_assessments
from eval.scoring.request import ScoringRequest
from eval.tuning.grid import make_grid
from eval.tuning.scorer import MeasureScorer
from foxir.searching.opened_folder import Generation, GenerationLocator
from foxir.tuning.judged_search import SettingsSearch
from tests.engine.ranking import own_functions
from tests.foxir.commands.command import START, TOPICS, foxir, refused

CO = TOPICS / "co"
ELEMENTS = ("--similarity", "okapi", "--answers", "nCRE", "--heuristic", "TPF", "--overlap", "remove")
FEW = ("--topics", "1-6", "--folds", "3")  # where the number of topics does not matter
OKAPI = "k1 = [0.4, 1.2, 2.0]\nb = { from = 0.25, to = 0.75, step = 0.25 }\n[fixed]\nsimilarity = 'okapi'\n"


@pytest.fixture
def grid(tmp_path) -> Path:
    (tmp_path / "grid.toml").write_text(OKAPI)
    return tmp_path / "grid.toml"


def tune(sample, judged, grid, *options):
    return foxir("tune", sample, CO, judged, "--grid", grid, *options)


@pytest.mark.long
def test_parameters_of_own_functions_and_parts_from_outside_are_tuned(sample, judged, tmp_path):
    grid, out, run = (tmp_path / name for name in ("g.toml", "tuned.toml", "run.xml"))
    own, part = f"{own_functions.HERE}:bm25", f"{own_functions.HERE}:early"
    grid.write_text(f'element_k1 = [0.5, 2]\nscore_parts = ["{part}^0.5", "none"]')
    few = ("--topics", "1-3", "--folds", "2")
    found = tune(sample, judged, grid, "--measure", "AP", "--similarity", own, "--out", out, "--json", *few).json

    assert len(found["surface"]) == 4
    best = read_settings(out)
    assert (best.element_similarity, best.element_parameters["k1"]) in ((own, 0.5), (own, 2.0))
    assert foxir("run", sample, CO, "--topics", "1", "--settings", out, "--out", run).status == 0
    exported = foxir("export", sample, CO, "--topics", "1", "--settings", out, "-n", "3").out
    answers = json.loads(exported.splitlines()[0])["answers"]
    assert [(each["document"], each["path"]) for each in answers] == [
        (ranking.documents[place], ranking.paths[place])
        for ranking in read_run(run).rankings.values()
        for place in range(3)
    ]


@pytest.mark.long
def test_the_best_settings_score_as_reported(sample, judged, grid, tmp_path):
    out, run = tmp_path / "tuned.toml", tmp_path / "run.xml"

    found = tune(sample, judged, grid, "--measure", "AP", *ELEMENTS, "--out", out, "--json", *FEW).json

    assert foxir("run", sample, CO, "--settings", out, "--out", run).status == 0
    topics = ",".join(topic for fold in found["folds"] for topic in fold["topics"])
    (scored,) = [
        row
        for row in foxir("eval", judged, run, "--topics", topics, "--measures", "hixeval", "--json").json["runs"]
        if row["measure"] == "AP"
    ]
    assert found["best"]["value"] == pytest.approx(scored["value"], abs=1e-12)
    assert found["best"]["value"] == pytest.approx(max(point["value"] for point in found["surface"]), abs=1e-11)
    assert foxir("search", sample, "fog signal", "--settings", out).status == 0


@pytest.mark.long
def test_the_tables_are_printed_in_markdown_and_latex(sample, judged, grid):
    options = ("--measure", "AP", "--topics", "1-4", "--folds", "2", "-q")
    markdown, latex = (tune(sample, judged, grid, *options, form).out for form in ("--markdown", "--latex"))

    assert latex.count(r"\toprule") == markdown.count("\n| --") > 1
    assert "choose one" in tune(sample, judged, grid, *options, "--latex", "--out", "-").err


@pytest.mark.long
def test_the_settings_file_says_where_it_comes_from(sample, judged, grid, tmp_path):
    out = tmp_path / "new" / "tuned.toml"

    printed = tune(sample, judged, grid, "--measure", "AP", *ELEMENTS, "--out", out)

    text = out.read_text()
    head = text.split("\n\n")[0].splitlines()
    assert all(line.startswith("# ") for line in head)
    for part in ("hixeval:AP alpha=1 precision=elements", "19 topics", "5 folds", "95% interval", "9 settings"):
        assert any(part in line for line in head), part
    best = re.search(r"best settings: k1 (\S+), b (\S+)", printed.out)
    expected = Settings.from_options(
        similarity="okapi", answers="nCRE", heuristic="TPF", overlap="remove", k1=float(best[1]), b=float(best[2])
    )
    assert read_settings(out).to_dict() == expected.to_dict()
    assert printed.out.endswith(f"{out}: the best settings, for --settings {out}\n")
    assert not (tmp_path / "new" / "tuned.toml.journal").exists()


@pytest.mark.long
def test_every_kind_of_setting_survives_the_settings_file(sample, judged, tmp_path):
    (tmp_path / "g.toml").write_text(
        "max_per_article = ['all', 1]\n[[grid]]\nsimilarity = ['okapi']\nk3 = [inf, 7]\n"
        "[[grid]]\nsimilarity = ['pcosine']\nquery_norm = [true, false]\nlength = ['tokens', 'weight']\n"
    )
    found = tune(sample, judged, tmp_path / "g.toml", "--measure", "AP", "--json", "--out", tmp_path / "t.toml", *FEW)

    assert read_settings(tmp_path / "t.toml").to_dict() == {
        name: float("inf") if value == "inf" else value for name, value in found.json["settings"].items()
    }
    assert len(found.json["surface"]) == 2 * (2 + 4)


def test_answers_have_offsets_where_the_measure_asks_for_them(sample):
    reader = open_reader(sample)
    topics = {topic.topic_id: topic for topic in read_topics(CO).topics}
    judged = read_assessments(TOPICS / "qrels.txt")
    needed = {
        measure: MeasureScorer(ScoringRequest.of(judged, [measure], locator=GenerationLocator(reader))).requires_offsets
        for measure in ("AP", "ric:AgP", "trec:AP", "focused:AiP")
    }

    assert needed == {"AP": False, "ric:AgP": True, "trec:AP": False, "focused:AiP": True}
    run = SettingsSearch(Generation.of(reader), topics, Settings.from_options(), True, reader)({}, ["1"])
    assert (run.rankings["1"].lengths > 0).all()


@pytest.mark.long
def test_a_killed_tuning_goes_on_where_it_stopped(sample, judged, tmp_path):
    grid, out, journal = tmp_path / "grid.toml", tmp_path / "tuned.toml", tmp_path / "tuned.toml.journal"
    grid.write_text("k1 = { from = 0.5, to = 2, count = 6 }\nb = { from = 0, to = 1, count = 5 }\n")
    options = ("--measure", "AP", *ELEMENTS, "--jobs", "2")
    running = subprocess.Popen(
        [*START, "tune", sample, CO, judged, "--grid", grid, "--out", out, *options], start_new_session=True
    )
    lines = 0  # of the journal; 590 are to come
    while lines < 100 and running.poll() is None:
        time.sleep(0.02)
        lines = journal.read_bytes().count(b"\n") if journal.exists() else 0
    running.kill()
    assert running.wait() == -signal.SIGKILL

    assert not out.exists()
    kept = journal.read_text().splitlines()[1:]
    assert 100 <= len(kept) + 1 < 31 * 19
    deadline = time.monotonic() + 30
    while _session(running.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _session(running.pid) == []  # its workers ended with it

    journal_of_all = tmp_path / "all"
    again = tune(sample, judged, grid, *options, "--out", out, "--journal", journal)
    whole = tune(sample, judged, grid, *options, "--out", tmp_path / "whole.toml", "--journal", journal_of_all)

    assert again.out.replace("tuned.toml", "whole.toml") == whole.out
    assert out.read_bytes() == (tmp_path / "whole.toml").read_bytes()
    written = [(line["topic"], json.dumps(line["settings"])) for line in map(json.loads, _lines(journal)[1:])]
    assert len(written) == len(set(written)) == 31 * 19  # nothing was asked twice
    assert _lines(journal)[: len(kept) - 1] == _lines(journal)[:1] + kept[: len(kept) - 2]
    assert sorted(_lines(journal)) == sorted(_lines(journal_of_all))


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def _session(leader: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                stat = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[3]) == leader and stat[0] != "Z":
                found.append(int(name))
    return found


@pytest.mark.long
def test_a_journal_of_something_else_is_refused(sample, judged, grid, tmp_path):
    journal = tmp_path / "scores"
    assert tune(sample, judged, grid, "--measure", "AP", "--journal", journal, *FEW).status == 0
    before = journal.read_bytes()
    (tmp_path / "topics").mkdir()
    for file in CO.iterdir():
        text = file.read_text().replace("<title>", "<title>light ", 1)
        (tmp_path / "topics" / file.name).write_text(text)

    refused(tune(sample, judged, grid, "--measure", "RP", "--journal", journal, *FEW), "its measure is hixeval:AP")
    refused(tune(sample, judged, grid, "--measure", "AP", "--alpha", "0", "--journal", journal, *FEW), "its measure is")
    refused(
        tune(sample, judged, grid, "--measure", "AP", "--max-answers", "9", "--journal", journal, *FEW),
        "its max_answers is 1500, found 9",
    )
    others = tmp_path / "topics"
    refused(
        foxir("tune", sample, others, judged, "--grid", grid, "--measure", "AP", "--journal", journal, *FEW),
        "its topics",
    )
    refused(
        tune(sample, TOPICS / "qrels.txt", grid, "--measure", "trec:AP", "--journal", journal, *FEW), "its judgements"
    )
    assert journal.read_bytes() == before


@pytest.mark.long
def test_a_journal_of_another_generation_is_refused(judged, grid, tmp_path):
    source, index, journal = tmp_path / "source", tmp_path / "i.foxir", tmp_path / "scores"
    (source / "jats").mkdir(parents=True)
    for file in (TOPICS.parent / "collections" / "jats").glob("*.xml"):
        (source / "jats" / file.name).write_bytes(file.read_bytes())
    (source / "x.xml").write_text("<a>fog</a>")
    assert foxir("index", index, source).status == 0
    command = ("tune", index, CO, judged, "--grid", grid, "--measure", "AP", "--journal", journal, *FEW)
    assert foxir(*command).status == 0
    (source / "x.xml").write_text("<a>fog signal</a>")
    assert foxir("index", index).status == 0

    refused(foxir(*command), "its index is generation 1", "found generation 2", "Remove it to start over")


@pytest.mark.long
def test_topics_only_in_the_topic_file_or_only_judged_are_reported(sample, judged, grid, tmp_path):
    (tmp_path / "topics.txt").write_text("".join(f"{n}\tfog signal\n" for n in (1, 2, 3, 4, 5, "x")))

    found = foxir("tune", sample, tmp_path / "topics.txt", judged, "--grid", grid, "--measure", "AP", "--folds", "2")

    assert found.status == 0
    assert "excluded, not judged: topic 'x'\n" in found.err
    assert "excluded, judged but not in the topic file: topic '6', '7', '8', '9', '10' and 25 more\n" in found.err
    chosen = "--topics", "1-4"
    found = foxir(
        "tune", sample, tmp_path / "topics.txt", judged, "--grid", grid, "--measure", "AP", "--folds", "2", *chosen
    )
    assert found.status == 0
    assert "excluded" not in found.err


@pytest.mark.long
def test_quiet_leaves_the_notice_that_the_gain_is_within_noise(sample, judged, grid):
    grid.write_text("heading_weight = [0.8, 1.0, 1.2]\n")
    command = ("tune", sample, CO, judged, "--grid", grid, "--measure", "AP", *FEW)
    loud, quiet = foxir(*command), foxir(*command, "-q")

    (doubt,) = quiet.err.splitlines()
    assert doubt.startswith("the gain is within noise: ")
    assert doubt in loud.err.splitlines()
    assert "excluded, judged but not" not in quiet.err


@pytest.mark.long
def test_a_topic_that_cannot_be_answered_is_reported_and_scores_0(sample, judged, grid, tmp_path):
    (tmp_path / "topics.txt").write_text("1\tfog\n2\t//sec[about(\n3\tlens\n4\tlight\n")

    found = foxir("tune", sample, tmp_path / "topics.txt", judged, "--grid", grid, "--measure", "AP", "--folds", "2")

    assert found.status == 0
    assert found.err.count("topic '2'") == 1


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("k1 = [1.2]", (), ["grid.toml: found 1 combination"]),
        ("", (), ["grid.toml: found 0 combination"]),
        ("kl = [1, 2]", (), ["grid.toml: setting 'kl' is unknown: known are"]),
        ("k1 = [1, -2]", (), ["grid.toml: k1 = '-2': expected a number from 0"]),
        ("heuristic = ['MpE', 'PmE', 'xyz']", (), ["grid.toml: heuristic = 'xyz'"]),
        ("max_articles = [0, 5]", (), ["grid.toml: max_articles = '0': expected a whole number from 1"]),
        ("mu = [1, 2]", (), ["grid.toml: 'mu' is not a parameter of okapi"]),
        (OKAPI, ("--topics", "1"), ["found 1 topic", "tuning needs two or more"]),
        (OKAPI, ("--topics", "1-4"), ["found 4 topics with relevance for 5 folds"]),
        (OKAPI, ("--measure", "XY"), ["there is no measure or family 'XY'"]),
        (OKAPI, ("--measure", "overlap:O"), ["O: less overlap is better"]),
        (OKAPI, ("--measure", "hixeval:XY"), ["hixeval has no measure 'XY'; it has: P@1"]),
        (OKAPI, ("--alpha", "0,1"), ["settings are tuned by one measure, but 2 are requested"]),
        (OKAPI, ("--measure-option", "esl=cooper"), ["no requested measure has an option 'esl'"]),
        (OKAPI, ("--measure-option", "alpha"), ["--measure-option 'alpha': expected OPTION=VALUE"]),
        (OKAPI, ("--out", "/proc/nothing/x.toml"), ["cannot be written"]),
        (OKAPI, ("--out", "/proc/x.toml"), ["/proc/x.toml: cannot be written"]),
        (OKAPI, ("--out", "/proc"), ["/proc: is not a regular file"]),
        (OKAPI, ("--plot", "a.gif"), ["a.gif: unknown image format; use one of .svg, .png, .pdf"]),
        (OKAPI, ("--folds", "1"), ["--folds"]),
    ],
)
@pytest.mark.long
def test_mistakes_are_reported_before_anything_is_written(text, options, words, sample, judged, tmp_path):
    (tmp_path / "grid.toml").write_text(text)
    if "--out" not in options:
        options = ("--out", tmp_path / "t.toml", *options)

    done = tune(sample, judged, tmp_path / "grid.toml", "--measure", "AP", "--similarity", "okapi", *options)

    refused(done, *words)
    assert [file.name for file in tmp_path.iterdir()] == ["grid.toml"]


def test_judgements_of_other_topics_or_documents_are_reported(sample, grid, tmp_path):
    (tmp_path / "qrels.txt").write_text("99 Q0 jats/fx-001 10 1000 0 0:10\n")
    refused(
        tune(sample, tmp_path / "qrels.txt", grid, "--measure", "AP"),
        "none of 19 topics is judged",
        "the topic file has topic '1', the judgements have topic '99'",
    )

    (tmp_path / "qrels.txt").write_text("1 Q0 other 10 1000 0 0:10\n2 Q0 other 10 1000 0 0:10\n")
    done = tune(sample, tmp_path / "qrels.txt", grid, "--measure", "trec:AP", "--folds", "2")
    refused(done, "no judged document is returned under the base settings", "judges 'other', the answers are from '")


@pytest.mark.long
def test_pictures_are_drawn(sample, judged, grid, tmp_path):
    assert tune(sample, judged, grid, "--measure", "AP", "--plot", tmp_path / "new" / "a.svg", *FEW).status == 0

    assert "cross-validated estimate" in (tmp_path / "new" / "a.svg").read_text()


@pytest.mark.parametrize(
    ("line", "options", "name"),
    [
        ("semantic_weight = [0, 0.1]", (), "semantic_weight"),
        ("max_sentences = [1, 2]\n[fixed]\npassages = false", (), "max_sentences"),
        ("coverage = [0, 1]", ("--heuristic", "TPF"), "coverage"),
    ],
)
def test_a_grid_without_effect_is_refused(line, options, name, sample, judged, tmp_path):
    (tmp_path / "grid.toml").write_text(line + "\n")

    outcome = tune(sample, judged, tmp_path / "grid.toml", "--measure", "AP", *options)

    refused(outcome, f"grid.toml: {name} is a setting of")


def test_a_setting_may_have_no_effect_at_some_points_of_a_grid(sample):
    search = SettingsSearch(Generation.of(open_reader(sample)), {}, Settings(), with_offsets=False, reader=None)

    search.check_effect(make_grid({"rank_by": ["score", "structure"], "coverage": [0, 1]}))
    with pytest.raises(SettingsError, match="grid: heuristic is a setting of"):
        search.check_effect(make_grid({"rank_by": ["score"], "heuristic": ["TPF", "PTF"]}))
