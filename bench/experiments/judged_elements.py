"""What every ranking of a topic is computed from, once: scored elements, sentences, terms in them, highlighted text.

Columns are those of the engine (`engine.retrieval`), for all elements with a query word, in some of the best articles,
so that a form of the score can be tried in seconds over all topics.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.effectiveness.data import Questions
from bench.effectiveness.variants import VARIANTS
from engine.index.locator import IndexLocator
from engine.index.passage_offsets import passage_offsets
from engine.index.reader import IndexReader
from engine.retrieval.articles import rank_articles
from engine.retrieval.matches import find_matches, term_numbers, term_occurrences
from engine.retrieval.plan import ByScore, Plan, make_plan
from engine.retrieval.scoring.context import context_of
from engine.retrieval.scoring.passages import windows_of
from engine.settings import Settings
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Pairs
from eval.text.highlighted_text import document_highlights, highlighted_text
from eval.text.offsets import with_passage_offsets

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """The query's words in one form, as they are or stemmed: statistics, and where they occur.

    document_frequency, leaf_frequency: of each term, shape (n_terms,). inside: leaves of each document with the term,
    shape (n_terms, n_documents). pairs: terms in elements; of_windows: terms in sentences; tf is the frequency.
    """

    terms: list[str]
    document_frequency: Ints
    leaf_frequency: Ints
    inside: Ints
    pairs: Pairs
    of_windows: Pairs
    article_scores: Floats


@dataclass(frozen=True)
class JudgedTopic:
    """The elements of a topic (columns of shape (n,)), and sentences (shape (m,)), with their highlighted text."""

    topic: str
    document_numbers: Ints
    leaves_of_document: Ints  # number of leaves
    rows: Ints
    ends: Ints
    words: Ints
    own_words: Ints
    document: Ints  # place among document_numbers
    parents: Ints
    is_root: NDArray[np.bool_]
    tag: Ints
    depth: Ints
    ordinal: Ints
    first_word: Ints
    document_first_word: Ints
    document_words: Ints
    size: Ints  # characters
    highlighted: Ints
    window_leaf: Ints  # place of the leaf among the elements
    window_words: Ints
    window_size: Ints
    window_highlighted: Ints
    total: int  # highlighted characters of the topic
    n_function_words: int
    forms: Mapping[str, Form]
    stem_of: Mapping[str, str]


@dataclass(frozen=True)
class JudgedCollection:
    """All topics of a collection, with its statistics."""

    name: str
    n_documents: int
    n_leaves: int
    block_words: float
    mean_words: float
    tags: list[str]
    tag_leaf_words: Floats
    tag_mean_words: Floats
    topics: list[JudgedTopic]


FORMS = {"words": VARIANTS["none"], "stems": VARIANTS["english"]}


def judged_collection(questions: Questions, n_articles: int, folder: Path) -> JudgedCollection:
    """Return everything of a collection, from the cache if it is there."""
    file = folder / f"{questions.name}-{n_articles}.pickle"
    if file.exists():
        with file.open("rb") as opened:
            return pickle.load(opened)  # type: ignore[no-any-return]
    indexes = {name: questions.index(variant) for name, variant in FORMS.items()}
    main = indexes["stems"]
    found = []
    for number, topic in enumerate(questions.topics):
        began = time.process_time()
        each = _judged_topic(topic, indexes, questions, n_articles)
        if each is not None:
            found.append(each)
        if number % 20 == 0:
            print(f"{questions.name} {number} {time.process_time() - began:.2f} s", file=sys.stderr, flush=True)
    statistics = main.statistics
    usual = statistics.tags
    result = JudgedCollection(
        questions.name,
        statistics.n_documents,
        statistics.n_leaves,
        statistics.block_words,
        statistics.mean_length,
        list(main.elements.tags),
        usual.leaf_words,
        usual.mean_words,
        found,
    )
    folder.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        pickle.dump(result, opened, protocol=5)
    return result


def _plan(index: IndexReader, title: str) -> Plan:
    settings = Settings.from_options(max_articles=500)
    return make_plan(title, index.analyser, settings, index.function_words)


def _judged_topic(topic: Any, indexes: Mapping[str, IndexReader], questions: Questions, n_articles: int) -> JudgedTopic:
    index = indexes["stems"]
    plans = {name: _plan(each, topic.title) for name, each in indexes.items()}
    plan = plans["stems"]
    order = plan.order
    assert isinstance(order, ByScore)
    ranked = rank_articles(index, plan)
    chosen = np.sort(ranked.documents[:n_articles])
    elements = index.elements
    matches = find_matches(elements, plan.query, chosen, plan.matching)
    documents = matches.documents
    context = context_of(elements, matches.rows, documents)
    statistics = index.statistics
    rows = context.rows
    judgements = with_passage_offsets(questions.assessments.topics[topic.topic_id], _locator(index, questions))
    total = highlighted_text(judgements).total
    leaves = matches.rows[elements.n_own_words(matches.rows) > 0]
    shortest = order.min_passage_words.resolve(statistics.block_words)
    windows = windows_of(elements, leaves, 1, shortest)
    size, high = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    wsize, whigh = np.zeros(len(windows.leaf), np.int64), np.zeros(len(windows.leaf), np.int64)
    row_of = {d: judgements.document_rows([index.ids[d]])[0] for d in documents.tolist()}
    document_of_leaf = np.searchsorted(documents, elements.document(leaves))[windows.leaf]
    wsize = 6 * (windows.end - windows.begin)
    for place, number in enumerate(documents.tolist()):
        here = np.flatnonzero(context.document == place)
        spans = index.spans(number, rows[here])
        size[here] = spans[:, 1] - spans[:, 0]
        if row_of[number] >= 0:
            text = document_highlights(judgements, int(row_of[number]))
            if not text.total:
                continue
            high[here] = text.within(spans[:, 0], spans[:, 1])
            of_windows = np.flatnonzero(document_of_leaf == place)
            w = windows.chosen(of_windows)
            spans = passage_offsets(index, number, leaves[w.leaf], w.first, w.last)
            wsize[of_windows] = spans[:, 1] - spans[:, 0]
            whigh[of_windows] = text.within(spans[:, 0], spans[:, 1])
    forms = {}
    for name, each in indexes.items():
        forms[name] = _form(each, plans[name], documents, rows, context.ends, leaves, windows)
    stem_of = {}
    for word in plans["words"].query.word_counts:
        of = make_plan(word, index.analyser, plan.settings).query.word_counts
        stem_of[word] = next(iter(of))
    return JudgedTopic(
        topic.topic_id,
        documents,
        statistics.units.n_leaves_of_document[documents].astype(np.int64),
        rows,
        context.ends,
        context.words,
        elements.n_own_words(rows),
        context.document,
        context.parents,
        context.is_root,
        elements.tag(rows),
        elements.depth(rows),
        elements.ordinal(rows),
        elements.first_word(rows),
        elements.first_word(elements.root(documents)),
        elements.n_words(elements.root(documents)),
        size,
        high,
        context.places(leaves)[windows.leaf],
        windows.end - windows.begin,
        wsize,
        whigh,
        total,
        0,
        forms,
        stem_of,
    )


def _form(index: IndexReader, plan: Plan, documents: Ints, rows: Ints, ends: Ints, leaves: Ints, windows: Any) -> Form:
    ranked = rank_articles(index, plan)
    scores = np.zeros(len(documents))
    by_document = dict(zip(ranked.documents.tolist(), ranked.scores.tolist(), strict=True))
    scores = np.array([by_document.get(d, 0.0) for d in documents.tolist()])
    terms = [str(term) for term in plan.query.wanted]
    found = [term_occurrences(index.elements, term, documents) for term in plan.query.wanted]
    of_windows = []
    for number, term in enumerate(plan.query.wanted):
        numbers = term_numbers(index.elements, term, documents)
        tf = np.searchsorted(numbers, windows.end) - np.searchsorted(numbers, windows.begin)
        units = np.flatnonzero(tf)
        of_windows.append(Pairs(np.full(len(units), number), units, tf[units]))
    statistics = [index.statistics.term(word) for term in plan.query.wanted for word in term.words[:1]]
    return Form(
        terms,
        np.array([term.document_frequency for term in statistics]),
        np.array([term.leaf_frequency for term in statistics]),
        np.array([each.n_leaves for each in found]),
        _small(pairs_in([(each.rows, each.tf) for each in found], rows, ends)),
        _small(Pairs(*(np.concatenate([p[c] for p in of_windows]) for c in range(3)))),
        scores,
    )


def _small(pairs: Pairs) -> Pairs:
    return Pairs(pairs.term.astype(np.int16), pairs.unit.astype(np.int32), pairs.tf.astype(np.int32))


_locators: dict[int, Any] = {}


def _locator(index: IndexReader, questions: Questions) -> Any:
    return _locators.setdefault(id(questions), IndexLocator(index))
