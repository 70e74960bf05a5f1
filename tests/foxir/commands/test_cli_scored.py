"""Scored elements at the command line: options, what is refused, passages and budgets in answers and runs."""

from __future__ import annotations

import pytest

from engine.index.reader import open_reader
from engine.runs import read_run
from tests.engine.small_index import answers_to
from tests.foxir.commands.command import TOPICS, foxir, refused

SCORED = ("--rank-by", "score", "--overlap", "remove")


def found(sample, *options, query="fresnel lens"):
    outcome = foxir("search", sample, query, *options, "--top", "1000", "--json", "-q")
    assert outcome.status == 0, outcome.err
    return outcome.json["answers"]


def test_the_help_lists_settings_under_headings():
    for command in ("search", "explain", "run"):
        shown = foxir(command, "--help-all").out
        headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
        sections = {"Output:", "Answers:", "Ranking:", "Scores of elements:", "Structure:", "Sets of settings:"}
        assert sections <= set(headings)
        assert headings[-1] == "Other options:"
        for option in (
            *("rank-by", "word-budget", "unit", "group-by-article", "min-words"),
            *("max-words", "max-articles"),
        ):
            assert shown.count(f"\n  --{option}") + shown.count(f" / --{option}") == 1, option


def test_a_heuristic_ranks_by_structure(sample):
    assert found(sample, "--heuristic", "TPF") == found(sample, "--rank-by", "structure", "--heuristic", "TPF")


def test_info_says_what_a_text_block_is(sample):
    index = open_reader(sample)

    described, shown = foxir("info", sample, "--json").json, foxir("info", sample).out

    block, density = index.statistics.block_words, index.statistics.mean_density
    assert described["block_words"] == pytest.approx(block, abs=0.001)
    assert described["mean_density"] == pytest.approx(density, abs=0.001)
    assert f"text block {block:.1f} words (1x); {density:.1f} words an element" in shown


def test_a_snippet_of_a_passage_is_of_the_passage(sample):
    index = open_reader(sample)
    for answer in answers_to(index, "fresnel lens", rank_by="score", passages="on", max_sentences=2)[:20]:
        # Between blocks, such as a label and a caption, a snippet has blanks that the text has not.
        assert "".join(answer.snippet.text.strip("… ").split()) in "".join(answer.text.split())


def test_passages_in_the_terminal_say_their_sentences(sample):
    first = found(sample, *SCORED, "--max-sentences", "2")[0]

    shown = foxir("search", sample, "fresnel lens", *SCORED, "--max-sentences", "2").out.splitlines()

    begin, end = (number + 1 for number in first["sentences"])
    which = f"sentence {begin}" if begin == end else f"sentences {begin}-{end}"
    assert shown[0] == f"  1. {first['document']} {first['path']} {which}"
    assert f"score {first['score']:.4f}" in shown[1]
    assert f"characters {first['start']}-{first['end']} · {first['words']} words" in shown[1]


@pytest.mark.parametrize("format_", ["fol", "inex", "trec"])
def test_runs_of_passages_in_every_format(format_, sample, judged, tmp_path):
    file = tmp_path / f"passages.{format_}"
    asked = ("--passages", "--format", format_, "--max-answers", "30", "-q")

    assert foxir("run", sample, TOPICS / "co", "--topics", "1-8", "--out", file, *SCORED, *asked).status == 0

    run = read_run(file)
    assert run.n_results
    for ranking in run.rankings.values():
        assert set(ranking.paths) <= {None}
        assert ((ranking.starts >= 0) & (ranking.lengths > 0)).all() == (format_ != "trec")
    scores = foxir("eval", judged, file, "--index", sample, "--measures", "hixeval", "--json", "-q")
    assert scores.status == 0
    assert scores.json["runs"]


def test_a_topic_beyond_the_budget_is_reported_and_the_others_go_on(sample, tmp_path):
    topics = tmp_path / "topics.txt"
    queries = {"a": "lens", "b": "putty"}
    topics.write_text("".join(f"{name}\t{query}\n" for name, query in queries.items()))
    shortest = {
        name: min(answer["words"] for answer in found(sample, *SCORED, query=query)) for name, query in queries.items()
    }
    left_out, answered = sorted(shortest, key=lambda name: -shortest[name])
    assert shortest[left_out] > shortest[answered]
    budget = str(shortest[answered])

    outcome = foxir(
        "run",
        sample,
        topics,
        "--out",
        tmp_path / "r.xml",
        *SCORED,
        "--unit",
        "element",
        "--word-budget",
        budget,
        "--json",
    )

    assert outcome.status == 1
    assert (outcome.json["topics"], len(outcome.json["problems"])) == (1, 1)
    assert f"word_budget = {budget}: the shortest answer has {shortest[left_out]} words" in outcome.err
    assert list(read_run(tmp_path / "r.xml").rankings) == [answered]


def test_a_budget_for_no_element_gives_passages_and_one_for_none_of_them_a_notice(sample):
    passages = foxir("search", sample, "fog signal range", "--unit", "element", "--word-budget", "12")
    nothing = foxir("search", sample, "fog signal range", "--word-budget", "1")
    unknown = foxir("search", sample, "xyzzy", "--word-budget", "12")

    assert passages.status == nothing.status == unknown.status == 0
    assert "so passages are returned" in passages.err
    assert "words" in passages.out
    assert "no answer fits word_budget = 1: the shortest answer has" in nothing.err
    assert nothing.err.count("no answer") == 1
    assert "no answer: 'xyzzy' is in none of the" in unknown.err


MISTAKES = [
    (("--similarity", "E[XM-AFI-BAA]"), ("position 3", "'X'", "combining function")),
    (("--rank-by", "score", "--answers", "p"), ("answers = 'p'", "//p, //(sec|p)")),
    (("--rank-by", "score", "--answers", "//"), ("answers = '//'",)),
    (("--rank-by", "structure", "--answers", "any"), ("answers = 'any'", "oCRE, nCRE", "rank_by = 'score'")),
    (("--rank-by", "structure", "--answers", "//p"), ("answers = '//p'", "rank_by = 'score'")),
    (("--rank-by", "score", "--param", "elment_k1=2"), ("did you mean 'element_k1'?", "have the prefix element_")),
    (("--similarity", "gpx", "--passages"), ("C[FC]--T[EA-AHA-AAA]", "passages need a calculated score")),
    (
        ("--rank-by", "structure", "--word-budget", "9"),
        ("--word-budget is a setting of scored elements", "--rank-by score"),
    ),
    (("--rank-by", "structure", "--coverage", "0"), ("--coverage", "--rank-by score")),
    (("--rank-by", "score", "--heuristic", "TPF"), ("--heuristic", "--rank-by structure")),
    (("--approach", "fulltext", "--passages"), ("--passages", "whole articles")),
    (("--rank-by", "score", "--min-passage-words", "3"), ("--min-passage-words", "add --unit sentence")),
    (("--rank-by", "score", "--no-passages", "--max-sentences", "3"), ("--max-sentences", "add --unit sentence")),
    (
        ("--rank-by", "score", "--passages", "--whole-weight", "0", "--min-words", "9"),
        ("--min-words", "--min-passage-words"),
    ),
    (("--rank-by", "score", "--passages", "--answers", "oCRE"), ("--answers", "passages")),
    (("--semantic-weight", "0.1"), ("--semantic-weight is a setting of", "add --semantic wordllama")),
    (("--image-weight", "0.5"), ("--image-weight is a setting of", "add --image FILE")),
]


@pytest.mark.parametrize(
    "command",
    [("run", "topics/co", "--out", "-"), ("export", "topics/co", "--out", "-"), ("explain", "fog", "--stages")],
)
def test_the_weight_of_images_is_refused_by_every_command_without_one(command, sample):
    name, *rest = command
    outcome = foxir(name, sample, *rest, "--image-weight", "0.5")

    refused(outcome, "--image-weight is a setting of queries with example images", "leave it out")


@pytest.mark.parametrize(("options", "words"), MISTAKES, ids=" ".join)
def test_settings_that_are_wrong_or_have_no_effect(options, words, sample):
    outcome = foxir("search", sample, "fresnel lens", *options)

    if "E[XM" in options[1]:  # its letters are listed, a line each
        assert (outcome.status, outcome.out) == (2, "")
        assert all(word in outcome.err for word in words)
    else:
        refused(outcome, *words)
