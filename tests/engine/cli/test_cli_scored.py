"""Scored elements at the command line: options, what is refused, passages and budgets in answers and runs."""

import re

import pytest

from engine import open_index
from engine.runs import read_run
from tests.engine.cli.command import TOPICS, foxir, refused

SCORED = ("--rank", "score", "--overlap", "remove")


def found(sample, *options, query="fresnel lens"):
    outcome = foxir("search", sample, query, *options, "--top", "1000", "--json", "-q")
    assert outcome.status == 0, outcome.err
    return outcome.json["answers"]


def test_the_help_lists_settings_under_headings():
    for command in ("search", "explain", "run"):
        shown = foxir(command, "--help").out
        headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
        assert headings[-5:] == [
            "Options:",
            "What is returned:",
            "What it is ranked by:",
            "Structure:",
            "Settings under a name:",
        ]
        for option in ("rank", "budget", "passages", "no-passages", "group", "shortest", "longest", "best-leaves"):
            assert shown.count(f"  --{option}") + shown.count(f" / --{option}") == 1, option


def test_scores_fall_and_structure_has_none(sample):
    scored = found(sample, *SCORED)
    assert [answer["score"] for answer in scored] == sorted((answer["score"] for answer in scored), reverse=True)
    assert all(answer["sentences"] is None for answer in scored)
    assert {answer["score"] for answer in found(sample, "--rank", "structure")} == {None}


@pytest.mark.parametrize("name", ["gpx", "xfirm", "E[DM-AFI-BAA]", "element-bm25", "result-fusion", "leaf-bm25"])
def test_a_similarity_of_elements_scores_them(name, sample):
    outcome = foxir("run", sample, TOPICS / "co", "--similarity", name, "--out", sample.parent / "own.xml", "--json")

    assert outcome.status == 0, outcome.err
    assert outcome.json["settings"]["rank"] == "score"
    assert outcome.json["settings"]["scoring"] == name


def test_a_heuristic_ranks_by_structure(sample):
    assert found(sample, "--heuristic", "TPF") == found(sample, "--rank", "structure", "--heuristic", "TPF")


@pytest.mark.parametrize("kind", ["//p", "//(title|ip1)", "//none"])
def test_answers_of_some_tags(kind, sample):
    tags = set(kind.strip("/()").split("|"))

    paths = [answer["path"] for answer in found(sample, *SCORED, "--shortest", "1", "--answers", kind)]

    assert {re.sub(r".*/(\w+)\[\d+\]$", r"\1", path) for path in paths} == tags - {"none"}


def test_blocks_are_no_elements_around_others(sample):
    blocks = found(sample, "--rank", "score", "--overlap", "keep", "--answers", "blocks")

    paths = {(answer["document"], answer["path"]) for answer in blocks}
    assert not [one for one in paths for other in paths if one[0] == other[0] and other[1].startswith(f"{one[1]}/")]


def test_lengths_are_words_or_text_blocks(sample):
    block = open_index(sample).block_words

    words = [answer["words"] for answer in found(sample, *SCORED, "--shortest", "30", "--longest", "1.5x")]

    assert words
    assert min(words) >= 30
    assert max(words) <= 1.5 * block


def test_info_says_what_a_text_block_is(sample):
    index = open_index(sample)

    described, shown = foxir("info", sample, "--json").json, foxir("info", sample).out

    assert described["block_words"] == pytest.approx(index.block_words, abs=0.001)
    assert described["mean_density"] == pytest.approx(index.mean_density, abs=0.001)
    assert f"text block {index.block_words:.1f} words (1x); {index.mean_density:.1f} words an element" in shown


def test_a_budget_is_kept_and_filled(sample):
    everything = found(sample, *SCORED)

    within = found(sample, *SCORED, "--budget", "200")

    assert within[0]["path"] == everything[0]["path"]
    left = 200 - sum(answer["words"] for answer in within)
    assert 0 <= left < min(answer["words"] for answer in everything if answer not in within)
    shown = foxir("search", sample, "fresnel lens", *SCORED, "--budget", "200").out
    assert f"{len(within)} of {len(within)} answers of {200 - left} words" in shown


def test_passages_are_stretches_of_their_elements(sample):
    index = open_index(sample)
    passages = found(sample, *SCORED, "--passages", "--sentences", "3")

    assert {answer["sentences"][1] - answer["sentences"][0] for answer in passages} <= {0, 1, 2}
    assert any(answer["sentences"][0] > 0 for answer in passages)
    with_children = 0
    for place, answer in enumerate(index.search("fresnel lens", rank="score", passages="on", sentences=3)):
        assert [answer.path, answer.start, answer.end] == [passages[place][name] for name in ("path", "start", "end")]
        row = answer.answers.elements[place : place + 1]
        n_words = len(re.findall(r"[^\W_]+", answer.text))
        has_children = index.elements.end(row)[0] > row[0] + 1
        with_children += has_children
        assert answer.words == passages[place]["words"]
        assert answer.words <= n_words if has_children else answer.words == n_words, answer.text
    assert with_children < len(passages)
    for answer in passages:
        for word in re.findall(r"\[(\w+)\]", answer["snippet"]):
            assert word.lower() in ("fresnel", "lens")
    assert found(sample, *SCORED, "--sentences", "3") == passages


def test_a_snippet_of_a_passage_is_of_the_passage(sample):
    index = open_index(sample)
    for answer in index.search("fresnel lens", rank="score", passages="on", sentences=2)[:20]:
        assert " ".join(answer.snippet.text.strip("… ").split()) in " ".join(answer.text.split())


def test_passages_in_the_terminal_say_their_sentences(sample):
    first = found(sample, *SCORED, "--sentences", "2")[0]

    shown = foxir("search", sample, "fresnel lens", *SCORED, "--sentences", "2").out.splitlines()

    begin, end = (number + 1 for number in first["sentences"])
    which = f"sentence {begin}" if begin == end else f"sentences {begin}-{end}"
    assert shown[0] == f"  1. {first['document']} {first['path']} {which}"
    assert f"score {first['score']:.4f}" in shown[1]
    assert f"characters {first['start']}-{first['end']} · {first['words']} words" in shown[1]


@pytest.mark.parametrize("format_", ["fol", "inex", "trec"])
def test_runs_of_passages_in_every_format(format_, sample, judged, tmp_path):
    file = tmp_path / f"passages.{format_}"
    asked = ("--passages", "--format", format_, "--limit", "30", "-q")

    assert foxir("run", sample, TOPICS / "co", "--out", file, *SCORED, *asked).status == 0

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

    outcome = foxir("run", sample, topics, "--out", tmp_path / "r.xml", *SCORED, "--budget", budget, "--json")

    assert outcome.status == 1
    assert (outcome.json["topics"], len(outcome.json["problems"])) == (1, 1)
    assert f"budget = {budget}: the shortest answer has {shortest[left_out]} words" in outcome.err
    assert list(read_run(tmp_path / "r.xml").rankings) == [answered]


MISTAKES = [
    (("--similarity", "E[XM-AFI-BAA]"), ("position 3", "'X'", "combining function")),
    (("--rank", "score", "--budget", "0"), ("budget = '0'", "from 1, or all")),
    (("--rank", "score", "--budget", "1"), ("budget = 1", "the shortest answer has", "ask for passages")),
    (("--rank", "score", "--answers", "p"), ("answers = 'p'", "//p, //(sec|p)")),
    (("--rank", "score", "--answers", "//"), ("answers = '//'",)),
    (("--rank", "structure", "--answers", "any"), ("answers = 'any'", "oCRE, nCRE", "rank = 'score'")),
    (("--rank", "structure", "--answers", "//p"), ("answers = '//p'", "rank = 'score'")),
    (("--rank", "score", "--shortest", "0.5y"), ("shortest = '0.5y'", "0.5x")),
    (("--rank", "score", "--longest", "-1"), ("longest = '-1'", "or all")),
    (("--rank", "score", "--sentences", "0"), ("sentences = '0'", "whole number from 1.")),
    (("--rank", "score", "--best-leaves", "few"), ("best_leaves = 'few'", "or all")),
    (("--rank", "score", "--set", "lambda_parent=2"), ("lambda_parent = '2'", "from 0 to 1")),
    (("--rank", "score", "--set", "density=nan"), ("density = 'nan'",)),
    (("--rank", "score", "--set", "lamda_article=2"), ("did you mean 'lambda_article'?", "element_ before them")),
    (("--rank", "score", "--set", "element_mu=2"), ("'element_mu'", "element_b, element_k1")),
    (("--rank", "score", "--set", "element_k1=-1"), ("k1 = '-1'",)),
    (("--similarity", "okapi-bm52"), ("okapi-bm52",)),
    (("--similarity", "gpx", "--passages"), ("C[FC]--T[EA-AHA-AAA]", "passages need a calculated score")),
    (("--rank", "structure", "--budget", "9"), ("--budget is a setting of scored elements", "--rank score")),
    (("--rank", "structure", "--set", "density=0"), ("--set density", "--rank score")),
    (("--rank", "score", "--heuristic", "TPF"), ("--heuristic", "--rank structure")),
    (("--approach", "fulltext", "--passages"), ("--passages", "whole articles")),
    (("--rank", "score", "--set", "shortest_passage=3"), ("--set shortest_passage", "add --passages")),
    (("--rank", "score", "--no-passages", "--sentences", "3"), ("--sentences", "add --passages")),
    (("--rank", "score", "--passages", "--shortest", "9"), ("--shortest", "--set shortest_passage")),
    (("--rank", "score", "--passages", "--answers", "oCRE"), ("--answers", "passages")),
]


@pytest.mark.parametrize(("options", "words"), MISTAKES, ids=" ".join)
def test_settings_that_are_wrong_or_have_no_effect(options, words, sample):
    outcome = foxir("search", sample, "fresnel lens", *options)

    if "E[XM" in options[1]:  # its letters are listed, a line each
        assert (outcome.status, outcome.out) == (2, "")
        assert all(word in outcome.err for word in words)
    else:
        refused(outcome, *words)
