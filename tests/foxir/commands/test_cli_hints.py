"""What people try first is answered with the way that works."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir as api
from tests.foxir.commands.command import TOPICS, foxir, refused

QRELS = TOPICS / "qrels.txt"


def test_qrels_that_foxir_writes_are_read(sample: Path, sample_run: Path, tmp_path: Path) -> None:
    trec = tmp_path / "trec.txt"
    assert foxir("judgements", "convert", QRELS, "--format", "trec", "--out", trec).status == 0
    means = foxir("eval", QRELS, sample_run, "--measures", "trec", "--json").json["runs"]

    assert foxir("eval", trec, sample_run, "--json").json["runs"] == means
    refused(
        foxir("eval", trec, sample_run, "--measures", "hixeval"), "whole documents", "use trec, trec_eval or overlap"
    )
    refused(foxir("judgements", "stats", trec), "whole documents", "foxir eval JUDGEMENTS RUN --measures trec")


def test_a_measure_that_needs_an_index_says_so(sample_run: Path) -> None:
    refused(foxir("eval", QRELS, sample_run), "hixeval: ", "needs --index", "--measures trec scores whole documents")


@pytest.mark.parametrize("options", [[], ["--measures", "hixeval", "--alpha", "0"]])
def test_what_needs_no_index_is_named(tmp_path: Path, options: list[str]) -> None:
    qrels, run, elements = tmp_path / "qrels.txt", tmp_path / "mine.txt", tmp_path / "elements.txt"
    qrels.write_text("1 Q0 a 30 100 0 0:30\n")
    run.write_text("1 Q0 a 1 9.0 mine 0 50\n")
    elements.write_text("1 Q0 a 1 9.0 mine /a[1] /a[1]\n")
    advice = "--measures hixeval with --alpha 1 scores passages"

    refused(foxir("eval", qrels, run, *options), "needs --index", advice, "--measures trec scores whole documents")
    assert advice not in foxir("eval", qrels, elements, *options).err
    assert foxir("eval", qrels, run, "--measures", "hixeval", "--alpha", "1").status == 0


def test_an_option_out_of_range_is_refused_before_anything_is_scored(sample_run: Path) -> None:
    refused(foxir("eval", QRELS, sample_run, "--alpha", "3"), "alpha=3: expected a number from 0 to 1")


@pytest.mark.parametrize(("name", "meant"), [("NDCG", "'nDCG@10'"), ("p_20", "'P@20'"), ("mrr", "'RR'")])
def test_names_of_other_programs_are_understood(sample_run: Path, name: str, meant: str) -> None:
    refused(foxir("eval", QRELS, sample_run, "--measures", name), f"did you mean {meant}?")


@pytest.mark.parametrize(("name", "meant"), [("BM25Okapi", "bm25"), ("TF-IDF", "pcosine"), ("lm", "dirichlet")])
def test_similarities_of_other_programs_are_understood(sample: Path, name: str, meant: str) -> None:
    refused(foxir("search", sample, "fog", "--similarity", name), f"did you mean '{meant}'?")


def test_lengths_that_exclude_one_another_are_refused(sample: Path) -> None:
    asked = foxir("search", sample, "fog", "--min-words", "50", "--max-words", "20")

    refused(asked, "min_words = 50 is more than max_words = 20")


def test_a_run_in_place_of_judgements_is_recognised(sample_run: Path) -> None:
    refused(foxir("eval", sample_run, QRELS), "Is this a run? Judgements come first")


def test_a_grid_that_is_no_file_says_what_to_name(sample: Path) -> None:
    asked = foxir("tune", sample, TOPICS / "co", QRELS, "--measure", "trec:AP", "--grid", "k1=0.5,1")

    refused(asked, "k1=0.5,1: not a grid (there is no such file)", "name a file with lines like")


def test_a_measure_is_defined_in_plain_text() -> None:
    shown = foxir("measures", "hixeval").out

    assert shown.startswith("hixeval\n")
    assert "`" not in shown


@pytest.mark.parametrize("name", ["top", "top_k", "num_results"])
def test_settings_of_other_programs_are_understood(name: str) -> None:
    with pytest.raises(api.SettingsError, match=f"setting '{name}' is unknown: use max_answers, or a slice"):
        api.make_settings(**{name: 3})  # type: ignore[misc]
