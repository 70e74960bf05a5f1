"""Chunks beside foxir: scored as foxir's own answers are, over the same topics."""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from click.testing import CliRunner

import foxir
from engine.errors import ArgumentError, MeasureError, MissingHostError, TopicError
from engine.notices import Notice
from engine.text.analyser import Analyser
from foxir.chunks.chunkers import cut
from foxir.chunks.collection import WORD, Pieces
from foxir.chunks.comparison import coverage
from foxir.chunks.evaluation import chunk_analyser
from foxir.terminal.commands import foxir as program
from tests.foxir.conftest import ROOT

TOPICS, QRELS = ROOT / "topics/co", ROOT / "topics/qrels.txt"
AP = "hixeval: MAP"

pytest.importorskip("bm25s")


def means(compared):
    """Return the mean of every system under the first measure."""
    return {system.name: system.compared.mean for system in compared.of("AP")}


def slow_bm25(documents, query):
    """Return the scores of texts for a query; Lucene's BM25, k1 1.2, b 0.75."""
    words = [[word.casefold() for word in WORD.findall(text)] for text in documents]
    mean = sum(map(len, words)) / len(words)
    scores = np.zeros(len(words))
    for term in (word.casefold() for word in WORD.findall(query)):
        n = sum(term in each for each in words)
        idf = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
        for place, each in enumerate(words):
            tf = each.count(term)
            scores[place] += idf * tf / (tf + 1.2 * (0.25 + 0.75 * len(each) / mean))
    return scores


def slow_scores(texts, queries):
    return np.array([slow_bm25(texts, query) for query in queries])


@pytest.mark.long
def test_chunks_are_ranked_as_a_slow_bm25_says(sample):
    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, "paragraphs", ["bm25", slow_scores], only="1-4")
    fast, slow = compared.runs[-2:]
    for topic, ranking in fast.rankings.items():
        n = len(ranking)
        assert ranking.documents == slow.rankings[topic].documents[:n]
        assert ranking.starts.tolist() == slow.rankings[topic].starts[:n].tolist()


@pytest.mark.long
def test_every_value_is_that_of_the_same_run_scored_by_itself(sample):
    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, ["documents", "paragraphs"], ["bm25", "bm25+4"])
    assert list(means(compared)) == [
        *("foxir", "foxir, passages", "foxir, siblings"),
        *("documents, bm25", "documents, bm25+4", "paragraphs, bm25", "paragraphs, bm25+4"),
    ]
    run = sample.index.run(TOPICS, task="CO.Focussed")
    assert means(compared)["foxir"] == pytest.approx(
        foxir.score(QRELS, run, "hixeval:AP", index=sample.index, only=list(run.rankings)).value("AP"), abs=1e-12
    )
    for chunks in compared.runs[2:]:
        scored = foxir.score(QRELS, chunks, "hixeval:AP", index=sample.index, only=list(run.rankings))
        assert means(compared)[chunks.run_id] == pytest.approx(scored.value("AP"), abs=1e-12)
    (systems, _) = compared.systems.values()
    assert all(each.compared.low <= each.compared.mean <= each.compared.high for each in systems)
    assert systems[0].compared.ratio is None
    assert systems[2].compared.ratio == pytest.approx(systems[2].compared.mean / systems[0].compared.mean)


@pytest.mark.long
def test_the_paragraphs_of_a_function_are_worth_what_paragraphs_are(sample):
    def as_paragraphs(text):
        spans, place = [], 0
        for block in text.split("\n\n"):
            if block.strip():
                spans.append((place, place + len(block)))
            place += len(block) + 2
        return spans

    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, [as_paragraphs, "documents"], only="1-3")
    blocks, documents = compared.cuts[-2:]
    assert blocks.n_chunks > documents.n_chunks == sample.index.n_documents
    assert blocks.median_words < documents.median_words


@pytest.mark.long
def test_settings_change_foxirs_own_rows(sample):
    settings = foxir.make_settings(rank_by="structure", answers="oCRE", heuristic="PME", similarity="pcosine")
    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, "documents", settings=settings, only="1-2")
    assert list(means(compared)) == ["foxir", "documents, bm25"]  # structure ranks no passages
    plain = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, "documents", only="1-2")
    assert means(compared)["foxir"] != means(plain)["foxir"]
    assert means(compared)["documents, bm25"] == means(plain)["documents, bm25"]


@pytest.mark.long
def test_other_measures_and_options_have_tables_of_their_own(sample):
    compared = foxir.evaluate_chunks(
        sample.index, TOPICS, QRELS, measures=["hixeval:P@5"], options={"alpha": [0.0, 1.0]}, only="1-3"
    )
    assert [table.title.split()[2] for table in compared.tables()] == ["alpha=0", "alpha=1"]
    with pytest.raises(MeasureError, match="has 2 tables"):
        compared.of("P@5")
    values = compared.to_dict()["measures"]
    assert [each["measure"] for each in values] == ["P@5", "P@5"]
    assert values[0]["systems"][0].keys() == {
        *("system", "chunks", "median_words", "covered", "mean", "low", "high", "ratio", "p")
    }


@pytest.mark.long
def test_stems_of_chunks_are_those_of_the_index_or_of_the_caller(sample):
    (plain, stemmed) = (
        foxir.evaluate_chunks(sample.index, TOPICS, QRELS, stem=stem, only="1-6") for stem in (None, "english")
    )
    assert means(plain)["foxir"] == means(stemmed)["foxir"]
    assert means(plain)["paragraphs, bm25"] != means(stemmed)["paragraphs, bm25"]
    assert chunk_analyser(Analyser(stem="auto", languages=("german",))).stem == "german"
    assert chunk_analyser(Analyser(stem="auto", languages=("german", "english"))).stem == "none"
    assert chunk_analyser(Analyser(stem="french", diacritics="fold")).diacritics == "fold"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"retrievers": "bm26"}, ArgumentError, "expected one of bm25, auto-merging"),
        ({"retrievers": "bm25:3"}, ArgumentError, "No module named 'bm25'"),
        ({"retrievers": "auto-merging"}, ArgumentError, "needs chunks with levels"),
        ({"retrievers": "auto-merging:0"}, ArgumentError, "at least one leaf"),
        ({"retrievers": "auto-merging:" + "9" * 5000}, ArgumentError, "expected"),
        ({"retrievers": "bm25+" + "9" * 400}, ArgumentError, "expected"),
        ({"retrievers": lambda texts, queries: [[1.0]]}, ArgumentError, "got the shape"),
        ({"retrievers": lambda texts, queries: "no scores"}, ArgumentError, "expected an array"),
        ({"retrievers": lambda t, q: np.full((len(q), len(t)), np.nan)}, ArgumentError, "not a finite number"),
        ({"retrievers": lambda t, q: np.full((len(q), len(t)), np.inf)}, ArgumentError, "not a finite number"),
        ({"retrievers": lambda t, q: np.full((len(q), len(t)), 1j)}, ArgumentError, "expected an array"),
        ({"retrievers": lambda t, q: (t.clear(), q.clear())}, ArgumentError, r"of the shape \(3, \d+\)"),
        ({"retrievers": lambda t, q: 1 / 0}, ArgumentError, r"raised ZeroDivisionError: .*test_evaluation.py:\d+\)"),
        ({"chunkers": lambda text: sys.exit(0)}, ArgumentError, "raised SystemExit: 0"),
        ({"chunkers": []}, ArgumentError, "chunkers: expected at least one"),
        ({"chunkers": [3]}, TypeError, "a name or a function"),
        ({"measures": ["hixeval:nothing"]}, MeasureError, "nothing"),
        ({"topics": [foxir.Topic("x", "CO", "words")], "only": None}, TopicError, "no topic has both"),
        ({"seed": -1}, ArgumentError, "seed"),
    ],
)
@pytest.mark.long
def test_wrong_arguments_are_refused(sample, given, error, message):
    given = {"topics": TOPICS, "chunkers": "documents", "only": "1-3", **given}
    topics, chunkers = given.pop("topics"), given.pop("chunkers")
    with pytest.raises(error, match=message):
        foxir.evaluate_chunks(sample.index, topics, QRELS, chunkers, **given)


@pytest.mark.parametrize("given", [{"measures": ["nothing"]}, {"options": {"alpha": 2}}, {"seed": -1}, {"stem": "x"}])
def test_arguments_are_checked_before_anything_is_cut(sample, given):
    def chunker(text):
        raise AssertionError

    with pytest.raises(foxir.FoxirError, match=r"nothing|alpha=2|seed|stem"):
        foxir.evaluate_chunks(sample.index, TOPICS, QRELS, chunker, only="1-3", **given)


@pytest.mark.parametrize(
    ("chunkers", "retriever", "missing"),
    [
        (["langchain:512"], "bm25", "langchain-text-splitters"),
        (["llamaindex"], "bm25", "llama-index-core"),
        (["llamaindex-tree"], "auto-merging", "llama-index-core"),
        ([], "bm25", "bm25s"),
    ],
)
def test_a_missing_library_is_noticed_before_anything_is_cut(sample, monkeypatch, chunkers, retriever, missing):
    def chunker(text):
        raise AssertionError

    def version(distribution):
        raise PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(MissingHostError, match=missing):
        foxir.evaluate_chunks(sample.index, TOPICS, QRELS, [chunker, *chunkers], retriever, only="1-3")


@pytest.mark.parametrize(
    ("chunker", "message"),
    [("langchain:0", "expected SIZE"), ("nothing", "expected one of documents"), ("elements:p", "no parameters")],
)
def test_every_chunker_is_checked_before_anything_is_cut(sample, chunker, message):
    def first(text):
        raise AssertionError

    with pytest.raises(ArgumentError, match=message):
        foxir.evaluate_chunks(sample.index, TOPICS, QRELS, [first, chunker], only="1-3")


@pytest.mark.long
def test_the_command_prints_what_the_function_returns(sample, tmp_path):
    arguments = [sample.folder / "sample.foxir", TOPICS, QRELS, "--topics", "1-3", "--chunker", "paragraphs", "-q"]
    call = ["chunks", "eval", *map(str, arguments)]
    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, "paragraphs", only="1-3")
    printed = CliRunner().invoke(program, [*call, "--json"], catch_exceptions=False)
    assert json.loads(printed.stdout) == json.loads(json.dumps(compared.to_dict()))
    table = CliRunner().invoke(program, call, catch_exceptions=False).stdout
    assert "paragraphs, bm25" in table
    assert "× foxir" in table
    latex = CliRunner().invoke(program, [*call, "--latex"], catch_exceptions=False).stdout
    assert latex == foxir.latex(compared)


def test_real_splitters_are_compared_like_any_other(sample):
    pytest.importorskip("langchain_text_splitters")
    pytest.importorskip("llama_index.core", exc_type=ImportError)
    chunkers = ["langchain:300", "langchain:300,50", "llamaindex:64", "llamaindex-tree:256,64"]
    compared = foxir.evaluate_chunks(sample.index, TOPICS, QRELS, chunkers, ["bm25", "auto-merging:12+4"], only="1-4")
    assert list(means(compared))[3:] == [
        *(f"{each}, bm25" for each in chunkers),
        "llamaindex-tree:256,64, auto-merging:12+4",
    ]
    assert all(mean > 0.01 for mean in means(compared).values())


# The share of the highlighted text that chunks contain.


def pieces(*rows):
    document, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    return Pieces(document, start, end, np.empty(0, np.int64))


def place(collection, document, words):
    """Return a piece that is these words of a document."""
    start = collection.text(document).index(words)
    return document, start, start + len(words)


def test_coverage_counts_highlighted_words_in_chunks_once(collection):
    # 4 + 2 highlighted words; of the first two chunks, which overlap, 3 are highlighted, of the third none
    highlighted = pieces(place(collection, 1, "The moon number 1"), place(collection, 3, "Then more"))
    chunks = pieces(
        place(collection, 1, "moon number"), place(collection, 1, "number 1 raises"), place(collection, 2, "Then more")
    )
    assert coverage(collection, chunks, highlighted) == pytest.approx(3 / 6)
    assert coverage(collection, cut(collection, "documents").units, highlighted) == 1.0
    assert coverage(collection, cut(collection, "paragraphs:title").units, highlighted) == 0.0
    assert coverage(collection, chunks, pieces()) is None


def test_white_space_between_chunks_is_not_missing(collection):
    everything = pieces(*(place(collection, document, collection.text(document)) for document in range(4)))
    assert coverage(collection, cut(collection, lambda text: [(0, 4), (5, len(text))]).units, everything) == 1.0


@pytest.mark.long
def test_chunks_that_leave_out_much_highlighted_text_are_reported(sample):
    compared = foxir.evaluate_chunks(
        *(sample.index, TOPICS, QRELS, ["documents", "paragraphs:list"], ["bm25", "bm25+4"]), only="1-6"
    )
    foxirs, _, _, documents, _, lists, _ = compared.to_dict()["measures"][0]["systems"]
    assert (foxirs["covered"], documents["covered"]) == (None, 1.0)
    assert lists["covered"] < 0.5
    (doubt,) = (each for each in compared.notices if isinstance(each, Notice) and each.code == "chunks_leave_out")
    assert doubt.fields == {"chunker": "paragraphs:list", "covered": pytest.approx(100 * lists["covered"])}


@pytest.mark.long
def test_judgements_that_highlight_nothing_have_no_coverage(sample):
    judged = foxir.read_assessments(QRELS)
    (first, *_) = foxir.expand_assessments(judged, sample.index).topics.values()
    grades = foxir.Assessments("grades", "2005", {first.topic: without_passages(first)})
    compared = foxir.evaluate_chunks(sample.index, TOPICS, grades, "documents", measures=["inex_eval:AP"])
    assert {cut.covered for cut in compared.cuts if cut} == {None}


def without_passages(judgements):
    """Return judgements of elements alone."""
    kept = judgements.passages.of_documents(np.zeros(len(judgements.documents), bool))
    return replace(judgements, passages=replace(kept, document_rows=np.empty(0, np.int64)))
