"""The bench of effectiveness: how it cuts, ranks, merges, makes topics and estimates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.effectiveness.bm25 import Queries, bm25
from bench.effectiveness.chunks import LEVELS, hierarchy, recursive_chunks
from bench.effectiveness.collection import Collection, Units
from bench.effectiveness.contest import Contest
from bench.effectiveness.data import DESCRIBED, NAMES, Questions, judged
from bench.effectiveness.known_items import known_items, sentences, write_items
from bench.effectiveness.measures import TASKS, values
from bench.effectiveness.page import summary, task_page
from bench.effectiveness.peers import LIMIT, Merging, best_first, folds, one_an_article, with_article, without_overlap
from bench.effectiveness.peers import Scored as Pieces
from bench.effectiveness.standing import BOUND, FOXIR, PEER, Entry, TaskRows, geometric_mean, standings
from bench.effectiveness.systems import SYSTEMS
from bench.effectiveness.table import estimate
from bench.effectiveness.variants import NO_OPTIONS, VARIANTS
from bench.effectiveness.words import WORD
from engine.index.build import build_index
from engine.index.locator import IndexLocator
from engine.index.reader import open_reader
from engine.runs import Ranking
from engine.topics import read_topics
from eval.judgements import read_assessments

TEXTS = st.text(alphabet="ab \n.", max_size=200)
ARTICLE = """<article><title>Tides of {n}</title>
<section><title>Moon {n}</title><para>{first} Then more.</para><para>{second}</para></section></article>"""


@pytest.fixture
def collection(tmp_path):
    for n in range(4):
        first = f"The moon number {n} raises alpha{n} beta{n} gamma{n} delta{n} epsilon{n} zeta{n} water twice a day."
        second = " ".join(f"word{n}x{m}" for m in range(30)) + "."
        text = ARTICLE.format(n=n, first=first, second=second)
        (tmp_path / f"d{n}.xml").write_text(text, encoding="utf-8")
    build_index(*tmp_path.glob("d*.xml"), into=tmp_path / "i.foxir")
    return Collection(open_reader(tmp_path / "i.foxir"))


def slow_bm25(texts, term, k1=1.2, b=0.75):
    """Score every text for one term: Lucene's variant, ln(1 + (N - n + .5)/(n + .5)) tf/(tf + k1 (1 - b + b l/avl))."""
    words = [[word.casefold() for word in WORD.findall(text)] for text in texts]
    n, mean = sum(term in each for each in words), sum(map(len, words)) / len(words)
    idf = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
    return [idf * w.count(term) / (w.count(term) + k1 * (1 - b + b * len(w) / mean)) for w in words]


def units(*spans):
    document, start, end = np.array(spans).T
    return Units(document, start, end, np.empty(0, np.int64))


@given(TEXTS, st.integers(1, 40))
def test_chunks_are_disjoint_short_and_lose_white_space_only(text, size):
    spans = recursive_chunks(text, size).tolist()
    covered = [n for start, end in spans for n in range(start, end)]
    assert all(end - start <= size for start, end in spans)
    assert covered == sorted(set(covered))
    assert all(text[n].isspace() for n in set(range(len(text))) - set(covered))


@given(TEXTS, st.integers(1, 40))
def test_chunks_are_those_of_the_library(text, size):
    library = pytest.importorskip("langchain_text_splitters")
    expected = library.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text(text)
    assert [text[start:end] for start, end in recursive_chunks(text, size)] == expected


def test_a_hierarchy_nests_and_keeps_every_word():
    text = " ".join(f"w{n}." if n % 9 == 0 else f"w{n}" for n in range(5000))
    levels, parents = hierarchy(text)
    for spans, size in zip(levels, LEVELS, strict=True):
        found = [WORD.findall(text[start:end]) for start, end in spans.tolist()]
        assert max(map(len, found)) <= size
        assert [word for words in found for word in words] == WORD.findall(text)
    for lower, upper, parent in zip(levels[1:], levels, parents[1:], strict=False):
        assert (upper[parent, 0] <= lower[:, 0]).all()
        assert (lower[:, 1] <= upper[parent, 1]).all()


def test_a_parent_takes_the_place_of_more_than_half_of_its_children():
    tree = Merging(
        units(*[(0, 0, 9)] * 6), np.array([-1, -1, 0, 0, 1, 1]), np.array([False, False, True, True, True, True])
    )
    # both children of 0, so 0 at their mean, 3; one of the two of 1: half is not more than half
    assert tree.merged(np.array([2, 3, 4]), np.array([4.0, 2.0, 3.5])).tolist() == [4, 0]


def test_pieces_are_ranked_by_their_own_score_and_a_share_of_the_articles():
    pieces = Pieces(
        units((0, 0, 5), (0, 5, 9), (1, 0, 5)), lambda _: np.array([1.0, 0.0, 3.0]), lambda _: np.array([2.0, 2.0, 1.0])
    )
    assert with_article(pieces, 0)("t").tolist() == [2, 0]  # the second holds no word: 3 > 1
    assert with_article(pieces, 4)("t").tolist() == [0, 2]  # 1 + 8 > 3 + 4
    assert one_an_article(pieces)("t").tolist() == [0, 2]


def test_what_overlaps_something_above_goes():
    pieces = units((0, 0, 5), (0, 4, 9), (0, 5, 9), (1, 0, 9))
    assert without_overlap(pieces, lambda _: np.array([0, 1, 2, 3]))("t").tolist() == [0, 2, 3]


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


def test_paragraphs_of_a_collection_have_their_places(collection):
    found = collection.named(["para"])
    assert found.document.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert collection.index.text(1)[found.start[2] : found.end[2]].startswith("The moon number 1")
    assert collection.word_ranges(found)[:, 1].tolist() == [22, 52, 74, 104, 126, 156, 178, 208]


def test_scores_are_those_of_the_formula_and_of_the_cache(collection, tmp_path):
    pytest.importorskip("bm25s")
    queries = Queries({"t": "moon", "u": "moon tides moon"}, collection.index.analyser)
    texts = [collection.plain[n].text for n in range(4)]
    once, twice = (bm25(collection, collection.articles, queries, tmp_path / "kept.npz") for _ in range(2))
    moon, tides = np.array(slow_bm25(texts, "moon")), np.array(slow_bm25(texts, "tides"))
    assert once.scores(queries.of("t")) == pytest.approx(moon)
    assert once.scores(queries.of("u")) == pytest.approx(2 * moon + tides)  # a word asked for twice counts twice
    assert twice.scores(queries.of("u")).tolist() == once.scores(queries.of("u")).tolist()


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


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 40))
def test_the_best_are_the_beginning_of_all_by_falling_score(scores, limit):
    found = np.array(scores, float)
    assert best_first(found, found, limit).tolist() == best_first(found, found)[:limit].tolist()


def test_a_second_choice_is_used_only_where_the_first_leaves_too_few():
    pieces = units(*[(n, 0, 5) for n in range(LIMIT + 1)])
    every, tried = np.arange(LIMIT + 1), []

    def choice(n):
        return lambda _: (tried.append(n), every[:n])[1]

    assert without_overlap(pieces, choice(LIMIT), choice(LIMIT + 1))("t").tolist() == every[:LIMIT].tolist()
    assert tried == [LIMIT]
    assert without_overlap(pieces, choice(3), choice(4))("t").tolist() == [0, 1, 2, 3]


def test_stop_words_leave_the_query_but_not_a_query_of_nothing_else(collection):
    titles = {"t": "the Moon", "u": "the"}
    queries = Queries(titles, collection.index.analyser, frozenset({"the"}))
    assert queries.terms == {"t": ["moon"], "u": ["the"]}
    assert queries.numbers_digest == Queries(titles, collection.index.analyser).numbers_digest
    assert queries.digest != Queries(titles, collection.index.analyser).digest


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
    by_measure = {each.measure: each for each in standings("here", rows, seed=1)}
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
    assert "| foxir: default (no options) |  |  |  |  | 0.2500 (" in page
    assert "| foxir, no options | 0.2000 | 0.2500 |" in page
    values = rows.plain.values["AP"], rows.entries[PEER][1].values["AP"]
    shown = summary(standings("here", rows, seed=1), [values], seed=1)
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


def test_every_system_answers_its_tasks_once(questions, capsys):
    pytest.importorskip("bm25s")
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
    stems = Contest(questions, contest.collection, VARIANTS["english"], seed=1, kept_only=True)
    assert [*stems.rows(TASKS), *stems.systems(TASKS, SYSTEMS)] == []


def test_an_index_without_options_is_one_of_the_variants_or_one_more():
    assert NO_OPTIONS in VARIANTS.values() or NO_OPTIONS.name not in VARIANTS
