"""Experiment files: what is read and refused, what differs, what an honest estimate is."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("yaml")

from bench.effectiveness import data
from bench.effectiveness.folds import folds
from bench.effectiveness.systems import BY_TASK
from bench.experiments.__main__ import DEFAULT_FILE, RESULTS, SOME_DIFFER, main
from bench.experiments.all_collections import DEFAULT_FILE as MECHANISMS
from bench.experiments.all_collections import topics_of
from bench.experiments.experiment import DEFAULT, read_experiment
from bench.experiments.leave_one_out import across_markdown, left_out, overall
from bench.experiments.outcome import differences, held_out, markdown
from engine.settings import Settings
from engine.text.analyser import make_analyser

WRITTEN = """
stem: english
tolerance: 0.01
default:
  focussed: {MAP: 0.2, F@10: 0.1}
variants:
  flat: {set: {parent_weight: 0}, expect: {focussed: {MAP: 0.3}, thorough: }}
"""


@pytest.fixture
def write(tmp_path):
    def written(text):
        (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
        return tmp_path / "e.yaml"

    return written


def reached(**means):
    spread = np.linspace(-0.05, 0.05, 11)
    return {name: {"AP": mean + spread, "F@10": mean / 2 + spread} for name, mean in means.items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [("9", (data.NAMES, 9)), ("trials=3", (("trials",), 3)), ("x=3", None), ("0", None), ("trials=-1", None)],
)
def test_topics_are_limited_in_one_collection_or_in_each(text, found):
    if found is None:
        with pytest.raises(argparse.ArgumentTypeError, match="expected 1 or more"):
            topics_of(text)
    else:
        assert topics_of(text) == found


def test_the_default_comes_first_and_tasks_are_those_that_are_expected(write):
    experiment = read_experiment(write(WRITTEN))
    assert [variant.name for variant in experiment.variants] == [DEFAULT, "flat"]
    assert [variant.name for variant in experiment.of_task("thorough")] == ["flat"]
    assert experiment.variants[1].options == {"parent_weight": 0}
    assert experiment.variants[1].expected == {"focussed": {"MAP": 0.3}, "thorough": {}}


def test_what_a_file_sets_is_set_in_all_its_variants(write):
    experiment = read_experiment(write("set: {max_articles: 9, article_weight: 3}" + WRITTEN))
    assert experiment.variants[0].options == {"max_articles": 9, "article_weight": 3}
    assert experiment.variants[1].options == {"max_articles": 9, "article_weight": 3, "parent_weight": 0}


def test_deviations_are_reported_and_unknown_values_are_not(write):
    experiment = read_experiment(write(WRITTEN))
    assert differences(experiment, "focussed", reached(default=0.205, flat=0.295)) == []
    assert differences(experiment, "focussed", reached(default=0.2, flat=0.32)) == [
        "focussed: flat: MAP 0.3200, expected 0.3000"
    ]
    assert differences(experiment, "thorough", reached(flat=0.9)) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("focussed: {MAP: 0.2", "focused: {MAP: 0.2", "task 'focused' is unknown"),
        ("{MAP: 0.2", "{MAgP: 0.2", "focussed has MAP, F@10, not 'MAgP'"),
        ("{MAP: 0.2", "{MAP: high", "expected a number, found 'high'"),
        ("tolerance: 0.01", "tolerance: yes", "tolerance: expected a number, found True"),
        ("stem: english", "steam: english", "'steam' is unknown"),
        ("{set: {parent_weight: 0}", "{settings: {parent_weight: 0}", "flat: 'settings' is unknown"),
        ("{parent_weight: 0}", "[parent_weight]", "flat: set: expected names and values"),
        ("default:", "default: [", "e.yaml: while parsing"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_with_its_place(write, before, after, message):
    with pytest.raises(SystemExit) as refused:
        read_experiment(write(WRITTEN.replace(before, after)))
    assert message in str(refused.value)
    assert "e.yaml" in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"none\.yaml"):
        read_experiment(tmp_path / "none.yaml")


def test_an_estimate_is_honest_where_every_fold_would_choose_for_itself():
    lucky = {f"fold {n}": {"AP": out.astype(float)} for n, out in enumerate(folds(20, seed=1))}
    assert held_out(lucky, "AP", seed=1).mean == 0.0  # each variant is good at one fold only, and never chosen for it
    assert held_out({**lucky, "good": {"AP": np.full(20, 0.9)}}, "AP", seed=1).chosen == {"good": 5}


def test_a_table_has_a_row_a_variant_and_the_estimate():
    lines = markdown("focussed", reached(default=0.2, flat=0.4), seed=1).splitlines()
    assert "| default | 0.2000 |  |  | 0.1000 |  |  |" in lines
    assert "| flat | 0.4000 | 2.00 | <.001 | 0.2000 | 2.00 | <.001 |" in lines
    assert lines[-1].endswith("MAP is 0.4000: flat (5).")


def test_every_variant_of_the_default_is_a_legal_search_that_differs_from_it():
    experiment = read_experiment(DEFAULT_FILE)
    for variant in experiment.variants[1:]:
        for task in variant.expected:
            default = Settings.from_options(**{**BY_TASK[task], **experiment.variants[0].options})
            assert Settings.from_options(**{**BY_TASK[task], **variant.options}) != default


ARTICLE = """<article><title>Tides number{n} of the harbour</title>
<section><title>Moon number{n} and water</title><para>The moon raises alpha{n} beta{n} gamma{n} delta{n} epsilon{n}
zeta{n} eta{n} water twice a day. Then more, and {words}.</para></section></article>"""


@pytest.fixture
def ask(tmp_path, monkeypatch, write):
    """Return what calls the command with a small collection in the place of the trials."""
    monkeypatch.setattr(data, "CACHE", tmp_path / "cache")
    (tmp_path / "xml").mkdir()
    for n in range(8):
        words = " ".join(f"word{n}x{m}" for m in range(40))
        (tmp_path / "xml" / f"d{n}.xml").write_text(ARTICLE.format(n=n, words=words), encoding="utf-8")
    made = replace(data.known_item_questions(tmp_path / "xml", 1), name="trials")
    monkeypatch.setattr("bench.experiments.__main__.judged", lambda *_: made)

    def asked(text, *options):
        monkeypatch.setattr("sys.argv", ["experiments", str(write(text)), *options])
        return main()

    return asked


@pytest.mark.long
def test_the_command_compares_and_writes_the_page(ask, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{RESULTS}\n\nold\n", encoding="utf-8")
    assert ask(WRITTEN.replace("tolerance: 0.01", "tolerance: 1"), "--page", str(page), "--task", "focussed") == 0
    written = page.read_text(encoding="utf-8")
    assert written.startswith(f"# Before\n\n{RESULTS}\n\n## Settings one at a time")
    assert "| default |" in written
    assert "old" not in written
    assert ask(WRITTEN.replace("MAP: 0.2", "MAP: 7"), "--only", "default", "--task", "focussed") == SOME_DIFFER
    message = [line for line in capsys.readouterr().out.splitlines() if ", expected" in line]
    assert [line.partition(", ")[2] for line in message] == ["expected 7.0000", "expected 0.1000"]


def test_a_setting_that_is_not_legal_is_refused_with_its_variant(ask):
    with pytest.raises(SystemExit, match=r"flat: parent_weight = '7': expected a number from 0 to 1"):
        ask(WRITTEN.replace("parent_weight: 0", "parent_weight: 7"))


def test_every_mechanism_is_a_legal_search_or_index():
    for variant in read_experiment(MECHANISMS).variants[1:]:
        options = {name: value for name, value in variant.options.items() if name != "stem"}
        if stem := variant.options.get("stem"):
            assert make_analyser(stem=stem) != make_analyser()
        else:
            assert Settings.from_options(**options) != Settings.from_options()


def everywhere():
    return {
        "here": reached(default=0.2, short=0.1, long=0.4),
        "there": reached(default=0.2, short=0.8, long=0.1),
        "elsewhere": reached(default=0.2, short=0.1, long=0.3),
    }


def test_a_collection_is_measured_under_what_is_best_in_the_others():
    chosen = {each.collection: (each.chosen, round(each.means["AP"], 6)) for each in left_out(everywhere())}
    # here and elsewhere without there: long (.4 .3); the others: short .8 .1, long .1 .3 or .4 .1, default .2 .2
    assert chosen == {"here": ("short", 0.1), "there": ("long", 0.1), "elsewhere": ("short", 0.1)}


def test_the_mean_over_collections_is_geometric():
    # AP and F@10 are m and m / 2
    assert overall(everywhere(), "default") == pytest.approx(0.2 * 0.5**0.5)
    assert overall(everywhere(), "short", ["here", "there"]) == pytest.approx((0.1 * 0.8 / 2) ** 0.5)


def test_the_table_over_collections_has_a_row_a_variant_and_one_a_collection_left_out():
    lines = across_markdown("focussed", everywhere()).splitlines()
    assert "| default | 0.2000 / 0.1000 | 0.2000 / 0.1000 | 0.2000 / 0.1000 | 1.000 |" in lines
    assert "| here | short | 0.1000 / 0.0500 | 0.2000 / 0.1000 |" in lines
