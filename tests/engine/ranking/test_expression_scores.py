"""Q-expressions over an index equal the slow reference: every context, constructed ones too, through updates."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.ranking.expressions.expression_parts import expression_parts
from engine.ranking.expressions.expression_scores import score_documents, score_elements
from engine.similarity.expression import Calculated, Expression, Propagated
from engine.similarity.parameters import TABLE, defaults
from engine.similarity.parser import parse_expression
from tests.engine.similarity.random_input import collections, expressions, parameters, queries, trees_of
from tests.engine.similarity.test_reference import COLLECTION, PARAMETERS, every_letter
from tests.engine.small_index import grown_index, index_of
from tests.reference.similarity import Node, calculated, fused, nodes, propagated, without_inline
from tests.trust.soak import effort

NEAR = {"rel": 1e-9, "abs": 1e-9}


def markup(node: Node) -> str:
    return f"<{node.name}> {' '.join(node.words)} {' '.join(map(markup, node.children))} </{node.name}>"


def written(collection: list[Node]) -> dict[str, str]:
    return {f"{number:02}": markup(tree) for number, tree in enumerate(collection)}


def expected(expression: Expression, collection: list[Node], query: list[str], p: dict) -> dict:
    if isinstance(expression, Calculated):
        return calculated(str(expression), collection, query, p)
    if isinstance(expression, Propagated):
        return propagated(expression.function, str(expression.leaves), collection, query, p)
    return fused(str(expression.document), str(expression.element), collection, query, p)


def found_in(index: IndexReader, expression: Expression, query: list[str], p: dict) -> dict:
    documents = index.live_documents
    counts = {word: query.count(word) for word in query}
    rows, scores = score_elements(index, expression, counts, documents, parameters=p)
    of = index.elements.document(rows)
    place = (rows - index.elements.root(of)).tolist()
    keys = [(int(index.ids[document]), at) for document, at in zip(of.tolist(), place, strict=True)]
    assert scores.dtype == np.float64
    return dict(zip(keys, scores.tolist(), strict=True))


@given(expressions, collections, collections, queries, parameters)
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
def test_scores_equal_the_reference_whatever_the_index_went_through(expression, before, collection, query, p):
    with grown_index([written(before), written(collection)]) as index:
        assert found_in(index, expression, query, p) == pytest.approx(
            expected(expression, collection, query, p), **NEAR
        )


def without(word: str, node: Node) -> Node:
    return Node(node.name, [each for each in node.words if each != word], [without(word, c) for c in node.children])


@given(expressions, collections, queries, parameters)
@settings(max_examples=effort(2, 500, thorough=40), deadline=None)
def test_stop_words_are_no_words(expression, collection, query, p):
    with grown_index([written(collection)], stop_words=["lamp"]) as index:
        assert found_in(index, expression, query, p) == pytest.approx(
            expected(expression, [without("lamp", tree) for tree in collection], query, p), **NEAR
        )


INLINE = 'inline = ["i"]\n'


@given(expressions, st.lists(trees_of("abi"), min_size=1, max_size=3), queries, parameters)
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
def test_inline_tags_hand_their_words_to_the_element_around_them(expression, collection, query, p):
    plain = [without_inline(tree) for tree in collection]
    number = {}  # of an element that is not inline, by its place among all
    for document, tree in enumerate(collection):
        kept = [at for at, (node, above) in enumerate(nodes(tree)) if node.name != "i" or not above]
        number |= {(document, place): (document, at) for at, place in enumerate(kept)}
    with grown_index([written(collection)], profile_text=INLINE) as index:
        found = {number[key]: score for key, score in found_in(index, expression, query, p).items()}
    assert found == pytest.approx(expected(expression, plain, query, p), **NEAR)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("index"), written(COLLECTION))


CONSTRUCTED = [
    *(f"C[F{letter}]--T[BC-ABC-BIA]" for letter in "ABC"),
    "C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]",
    "C[G-]--D[DN-AGJ-BAJ]--E[DM-AFI-BAA]",
]


@pytest.mark.parametrize("text", [*every_letter(), *CONSTRUCTED])
def test_every_letter_equals_the_reference(index, text):
    expression, query = parse_expression(text), ["sea", "sea", "tide", "reef", "unknown"]

    assert found_in(index, expression, query, PARAMETERS) == pytest.approx(
        expected(expression, COLLECTION, query, PARAMETERS), **NEAR
    )


@pytest.mark.parametrize("text", ["D[BB-ABB-BAA]", "T[BC-ABB-BAA]", "E[BD-ABB-BAA]", *CONSTRUCTED])
def test_only_some_rows_are_scored_when_they_are_given(index, text):
    expression, query = parse_expression(text), {"sea": 1, "tide": 1}
    everything = score_elements(index, expression, query, np.arange(3))
    silent = np.setdiff1d(np.arange(index.elements.row_base[-1]), everything.rows)
    chosen = everything.rows[::2]

    rows, scores = score_elements(
        index, expression, query, np.arange(3), rows=np.sort(np.concatenate([silent, chosen]))
    )

    assert rows.tolist() == chosen.tolist()
    assert scores.tolist() == everything.scores[::2].tolist()


def test_rows_of_other_documents_are_not_scored(index):
    expression, query = parse_expression("E[BD-ABB-BAA]"), {"sea": 1, "tide": 1}
    everything = score_elements(index, expression, query, np.arange(3)).rows

    rows = score_elements(index, expression, query, np.array([1]), rows=everything).rows

    assert rows.tolist() == score_elements(index, expression, query, np.array([1])).rows.tolist()
    assert len(rows) < len(everything)


@pytest.mark.parametrize("text", [text for text in every_letter() if text[0] == "D"])
def test_parts_add_up_to_the_score(index, text):
    expression, query = parse_expression(text), {"sea": 2, "tide": 1}
    documents, scores = score_documents(index, expression, query, PARAMETERS)

    for document, score in zip(documents.tolist(), scores.tolist(), strict=True):
        parts = expression_parts(index, expression, query, document, parameters=PARAMETERS)
        assert parts is not None
        assert parts.score == score
        assert sum(parts.terms.values()) + (parts.addend or 0) == pytest.approx(score, **NEAR)


@pytest.mark.parametrize("text", [text for text in every_letter() if text[0] != "D"])
def test_parts_of_elements_add_up_too(index, text):
    expression, query = parse_expression(text), {"sea": 2, "tide": 1}
    rows, scores = score_elements(index, expression, query, np.array([0]), parameters=PARAMETERS)

    for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
        parts = expression_parts(index, expression, query, 0, row=row, parameters=PARAMETERS)
        assert parts is not None
        assert parts.score == pytest.approx(score, **NEAR)
        assert sum(parts.terms.values()) + (parts.addend or 0) == pytest.approx(score, **NEAR)


def test_what_is_not_there_scores_nothing(index):
    for text in ("D[BB-ABF-BAA]", "T[AA-AAA-BAA]", "E[DM-AFI-BAA]", *CONSTRUCTED):
        for query, documents in (({"unknown": 1}, [0, 1, 2]), ({}, [0, 1, 2]), ({"sea": 1}, [])):
            rows, scores = score_elements(index, parse_expression(text), query, np.array(documents, np.int64))
            assert (len(rows), len(scores)) == (0, 0), (text, query)
    assert expression_parts(index, parse_expression("D[BB-ABF-BAA]"), {"fog": 1}, 0) is None


def test_statistics_are_freed_with_their_index(tmp_path):
    index = index_of(tmp_path, written(COLLECTION))
    score_elements(index, parse_expression("E[BM-BDE-BAA]"), {"sea": 1}, np.arange(3))
    statistics = weakref.ref(index.statistics)
    assert statistics() is index.statistics

    gc.disable()
    try:
        del index
        assert statistics() is None
    finally:
        gc.enable()


def test_parameters_have_defaults(index):
    expression = parse_expression("D[BB-ABF-BAA]")

    plain = score_documents(index, expression, {"sea": 1})
    same = score_documents(index, expression, {"sea": 1}, {**defaults(tuple(TABLE)), "s": 0.2})

    assert plain[1].tolist() == same[1].tolist()
