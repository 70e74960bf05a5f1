"""The bench of effectiveness: its rows, how it makes topics and estimates."""

from __future__ import annotations

import numpy as np
import pytest

import foxir
from bench.effectiveness.best_peers import BOUND, FOXIR, PEER, Entry, TaskRows, geometric_mean, peer_comparisons
from bench.effectiveness.collection_rows import Contest
from bench.effectiveness.data import DESCRIBED, NAMES, Questions, judged
from bench.effectiveness.folds import folds
from bench.effectiveness.known_items import known_items, sentences, write_items
from bench.effectiveness.measures import TASKS, values
from bench.effectiveness.page import summary, task_page
from bench.effectiveness.systems import SYSTEMS, System, foxir_rankings
from bench.effectiveness.table import estimate
from bench.effectiveness.variants import NO_OPTIONS, VARIANTS
from engine.index.locator import IndexLocator
from engine.index.reader import open_reader
from engine.runs import Ranking
from engine.topics import Topic, read_topics
from eval.judgements.formats.read import read_assessments
from foxir.chunks.collection import Collection
from foxir.chunks.evaluation import evaluate_chunks
from foxir.searching.opened_index import Index
from tests.foxir.chunks.conftest import write_articles


@pytest.fixture
def collection(tmp_path):
    foxir.build_index(*write_articles(tmp_path), into=tmp_path / "i.foxir", stem="none")
    return Collection(open_reader(tmp_path / "i.foxir"))


def test_every_topic_is_held_out_exactly_once():
    assert sum(held_out.astype(int) for held_out in folds(23, seed=3)).tolist() == [1] * 23


def test_an_estimate_finds_a_difference_and_none():
    low, high = np.linspace(0, 0.2, 40), np.linspace(0.1, 0.3, 40)
    better = estimate(high, low, seed=1)
    assert better.low < better.mean < better.high
    assert better.mean == pytest.approx(0.2)
    assert better.ratio == pytest.approx(2.0)
    assert better.p == 0.0
    assert estimate(low, low, seed=1).p == 1.0


def test_sentences_keep_their_words():
    text = "  One two.  Three\n\nfour! "
    assert [text[start:end] for start, end in sentences(text)] == ["One two.", "Three", "four!"]


def test_known_items_are_the_same_every_time_and_found_by_themselves(collection, tmp_path):
    items = known_items(collection, seed=1, n=2)
    assert items == known_items(collection, seed=1, n=2)
    assert [item.topic for item in items] == ["KH001", "KH002", "KS001", "KS002"]
    topics, qrels = write_items(items, tmp_path / "known")
    assert [topic.title for topic in read_topics(topics)] == [item.title for item in items]
    assert "Moon" in items[0].title
    rankings = {
        item.topic: Ranking.ranked(item.topic, [item.document], starts=[item.start], lengths=[item.end - item.start])
        for item in items
    }
    locator = IndexLocator(collection.index)
    found = values(rankings, "passages", read_assessments(qrels), locator, list(rankings))
    assert found["AP"].tolist() == [1.0] * 4


def test_a_collection_without_files_is_left_out_with_a_message(tmp_path, capsys):
    assert set(NAMES) == set(DESCRIBED) == {"trials", "citations", "tables", "contracts"}
    for name in NAMES:
        assert judged(name, tmp_path) is None
        assert f"{name} is left out: there is no {tmp_path / name / 'collection.tar.xz'}" in capsys.readouterr().err


def entry(name, variant, ap, f10):
    return Entry(name, variant, {"AP": np.array(ap), "F@10": np.array(f10)})


@pytest.fixture
def rows():
    found = TaskRows("focussed")
    found.add(PEER, entry("paragraph", "words", [0.1, 0.3], [0.0, 0.1]))
    found.add(PEER, entry("paragraph", "stems", [0.2, 0.4], [0.0, 0.0]))
    found.add(BOUND, entry("ideal", "", [1.0, 1.0], [0.5, 0.5]))
    found.add(FOXIR, entry("foxir: default", "words", [0.2, 0.3], [0.1, 0.1]))
    found.add(FOXIR, entry("foxir: default", "stems", [0.4, 0.4], [0.1, 0.0]))
    found.plain = entry("foxir: default", "no options", [0.2, 0.3], [0.1, 0.1])
    return found


def test_the_best_peer_is_chosen_for_each_measure_and_never_made_from_judgements(rows):
    by_measure = {each.measure: each for each in peer_comparisons("here", rows, seed=1)}
    assert [str(by_measure[measure].peer) for measure in ("AP", "F@10")] == ["paragraph (stems)", "paragraph (words)"]
    assert by_measure["AP"].foxir.ratio == pytest.approx(0.25 / 0.3)
    assert by_measure["F@10"].foxir.ratio == pytest.approx(0.1 / 0.05)
    assert str(by_measure["AP"].best_options) == "foxir: default (stems)"
    assert by_measure["AP"].best_mean == pytest.approx(0.4)


def test_ratios_are_summed_up_by_their_geometric_mean():
    a, b = np.array([0.2, 0.4]), np.array([0.1, 0.1])
    mean, low, high = geometric_mean([(a, b), (b, a)], seed=1)  # 3 and 1/3
    assert mean == pytest.approx(1.0)
    assert low <= 1.0 <= high
    assert geometric_mean([(a, b)], seed=1)[0] == pytest.approx(3.0)


def test_tables_show_every_system_and_the_ratios_to_the_best_peer(rows):
    page = task_page("here", rows, {"A": [0], "all": [0, 1]}, seed=1)
    assert "Best peer in MAP: paragraph (stems), 0.3000." in page
    assert "| paragraph | 0.2000 / 0.0500 |  | 0.3000 / 0.0000 |" in page
    assert "| foxir: default (no options) | – | – | – | – | 0.2500 (" in page
    assert "| foxir, no options | 0.2000 | 0.2500 |" in page
    values = rows.plain.values["AP"], rows.entries[PEER][1].values["AP"]
    shown = summary(peer_comparisons("here", rows, seed=1), [values], seed=1)
    assert "the 1 ratios of Focussed (elements, overlap penalised): 0.833" in shown
    assert "| here | MAP | paragraph (stems) | 0.3000 | 0.2500 |" in shown


@pytest.fixture
def questions(collection, tmp_path):
    topics, qrels = write_items(known_items(collection, seed=1, n=2), tmp_path / "known")
    read, judgements = list(read_topics(topics)), read_assessments(qrels)
    groups = {"all": list(range(len(read)))}
    sources = tmp_path / "sources"
    sources.mkdir()
    for file in tmp_path.glob("d*.xml"):
        file.rename(sources / file.name)
    return Questions("made", sources, read, judgements, judgements, groups, ["para"], folder=tmp_path / "kept")


@pytest.fixture
def splitters():
    """Skip where a library whose chunks are peers is not installed."""
    pytest.importorskip("bm25s")
    pytest.importorskip("langchain_text_splitters")
    pytest.importorskip("llama_index.core", exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variant", ["none-stop", "english"])
def test_a_user_gets_the_values_of_the_peers(questions, splitters, variant):
    contest = Contest(questions, Collection(questions.index()), VARIANTS[variant], seed=1)
    peers = {
        ("documents", "bm25"): "whole articles, BM25",
        ("paragraphs:para", "bm25"): "paragraph",
        ("paragraphs:para", "bm25+0.5"): "paragraph + 0.5 × article",
        ("elements", "bm25+4"): "element + 4 × article",
        ("langchain:256", "bm25"): "256-character chunk",
        ("langchain:1000", "bm25+4"): "1000-character chunk + 4 × article",
        ("llamaindex-tree", "auto-merging:12+4"): "auto-merging, 12 leaves + 4 × article",
    }
    rows = {name: found for _, name, found in contest.rows(["focussed"])}
    chunkers, retrievers = (sorted({way[n] for way in peers}) for n in (0, 1))

    compared = evaluate_chunks(
        Index(questions.index(VARIANTS[variant])), questions.topics, questions.assessments, chunkers, retrievers
    )

    for (chunker, retriever), peer in peers.items():
        for measure, expected in rows[peer].items():
            (row,) = compared.table.select(run=f"{chunker}, {retriever}", measure=measure).rows
            assert [row.topics[topic] for topic in contest.ids] == pytest.approx(expected.tolist(), abs=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_every_system_answers_its_tasks_once(questions, splitters, capsys):
    contest = Contest(questions, Collection(questions.index()), VARIANTS["none"], seed=1)

    def every():
        found = [*contest.rows(TASKS), *contest.bounds(TASKS), *contest.systems(TASKS, SYSTEMS)]
        return {(task, name): {m: v.tolist() for m, v in values.items()} for task, name, values in found}

    first = every()
    assert "bench: made, focussed, words: paragraph: AP" in capsys.readouterr().err
    assert {task for task, _ in first} == set(TASKS)
    assert all(len(v) == len(questions.topics) for values in first.values() for v in values.values())
    assert first["focussed", "paragraph + 4 × article"] == first["passages", "paragraph + 4 × article"]
    assert first["passages", "ideal: highlighted passages"]["AP"] == [1.0] * 4
    assert every() == first
    assert capsys.readouterr().err == ""
    stems = Contest(questions, contest.collection, VARIANTS["english"], seed=1, cached_only=True)
    assert [*stems.rows(TASKS), *stems.systems(TASKS, SYSTEMS)] == []


def test_an_index_without_options_is_one_of_the_variants_or_one_more():
    assert NO_OPTIONS in VARIANTS.values() or NO_OPTIONS.name not in VARIANTS


def test_notices_about_topics_are_not_reported_as_refusals(questions, capfd):
    topics = [Topic("long", "CO", "pears apples"), Topic("wrong", "CAS", castitle="//sec[")]

    rankings = foxir_rankings(questions.index(), topics, System("few", {"max_terms": 1}), "focussed")

    assert list(rankings) == ["long"]
    notice, refusal = (line for line in capfd.readouterr().err.splitlines() if "few" in line)
    assert ": topic long: notice: " in notice
    assert ": topic wrong: is not answered: " in refusal
