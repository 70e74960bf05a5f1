"""Scored answers equal the slow reference: elements and passages, inline tags, several segments, deleted documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.similarity.parameters import TABLE, defaults
from engine.text.function_words import counted_words
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.similarity.random_input import WORDS, trees_of
from tests.engine.small_index import answers_to, grown_index
from tests.reference.scored_answers import LAST_OF_SENTENCE, Reference
from tests.reference.scored_elements import HEADING, Key, Query
from tests.reference.similarity import Node, nodes, without_inline
from tests.trust.soak import effort

TITLES = f'titles = ["{HEADING}"]\n'
INLINE = 'inline = ["i"]\n' + TITLES
RANKED = "bc"
FLAT = f"{INLINE}headings = {list(RANKED)}\n"
OF_TABLES = ("a", "c")
HEADED = {"element_similarity": "E[CV-AKA-BAA]", "heading_weight": 2.5}
TABLES = f'{INLINE}tables = ["a"]\nrows = ["c"]\n'
NEAR = {"rel": 1e-9, "abs": 1e-9}
WEIGHED_INSIDE = ("E[CV-AKA-BAA]", "E[CT-AKA-BAA]")  # with the weights that the reference knows
EVERYTHING = {
    "overlap": "keep",
    "max_per_article": "all",
    "group_by_article": False,
    "word_budget": "all",
    "max_answers": 10_000,
}

collections = st.lists(trees_of("ab"), min_size=1, max_size=4)
with_inline = st.lists(trees_of("abi"), min_size=1, max_size=4)
# A short text in several elements of the same parent, whose words all stand in them.
texts = st.lists(st.sampled_from(("sea", "tide", LAST_OF_SENTENCE)), min_size=1, max_size=4)
lines = st.builds(Node, st.just("b"), texts, st.lists(st.builds(Node, st.sampled_from("ab")), max_size=1))
verses = st.builds(Node, st.just("a"), st.just([]), st.lists(lines | trees_of("ab"), min_size=2, max_size=5))


# Paragraphs behind headings of two ranks, without elements for sections.
def pages_of(names: str) -> st.SearchStrategy[list[Node]]:
    sections = st.lists(trees_of(names), max_size=7)
    return st.lists(st.builds(Node, st.just("a"), texts, sections), min_size=1, max_size=3)


# The same, where what follows a heading has none of its words.
headings = st.builds(Node, st.sampled_from("bc"), st.lists(st.sampled_from(("sea", "tide")), min_size=1, max_size=2))
blocks = st.builds(Node, st.just("a"), st.lists(st.sampled_from(("fog", "lamp", "knot")), max_size=4))
headed = st.builds(Node, st.just("a"), texts, st.lists(headings | blocks, max_size=9))
headed_pages = st.lists(headed, min_size=1, max_size=3)


# Tables of rows, some of them in groups, some with tables in them.
def tables_of(names: str) -> st.SearchStrategy[list[Node]]:
    inner = st.lists(st.deferred(lambda: tables) | trees_of(names), max_size=2)
    rows = st.builds(Node, st.just("c"), texts | st.just([]), inner)
    groups = st.builds(
        Node,
        st.just("d"),
        st.just([]),
        st.lists(rows | st.builds(Node, st.just("d"), st.just([]), st.lists(rows, max_size=2)), max_size=2),
    )
    tables = st.builds(Node, st.just("a"), texts | st.just([]), st.lists(rows | groups, max_size=3))
    return st.lists(st.builds(Node, st.just("d"), texts, st.lists(tables, max_size=3)), min_size=1, max_size=2)


poems = st.lists(
    st.builds(Node, st.just("a"), texts | st.just([]), st.lists(verses, min_size=1, max_size=2)), min_size=1, max_size=3
)
# Texts of few words, in which sentences of these are often.
FUNCTION_WORDS = ("the", "of")
repeated = st.builds(
    Node, st.sampled_from("ab"), st.lists(st.sampled_from(("sea", "tide", *FUNCTION_WORDS)), max_size=20)
)
refrains = st.lists(
    st.builds(Node, st.just("a"), texts | st.just([]), st.lists(repeated, min_size=1, max_size=4)),
    min_size=1,
    max_size=3,
)
ENGLISH = Node("a", list(counted_words("english")), [])
sentences = st.lists(st.sampled_from(("sea", "tide", *FUNCTION_WORDS)), min_size=3, max_size=5)
words = st.sampled_from((*WORDS, "unknown"))
queries = st.builds(
    Query, st.lists(words, min_size=1, max_size=5, unique=True), st.sampled_from([(), (), ("sea",)]), st.just(())
)
queries = st.one_of(queries, st.builds(Query, st.just(("sea", "tide")), st.just(()), st.sampled_from([("fog",), ()])))


@st.composite
def scoring(draw: Any, passages: str) -> dict[str, Any]:
    lengths = ["1", "3", "0.5x", "2x"]
    answers = ["any", "blocks", "matching", "oCRE", "nCRE", "//a", "//(a|b)", "//nowhere"]
    chosen = {
        "element_similarity": st.sampled_from(
            ["E[CV-AKA-BAA]", "E[CT-AKA-BAA]", "E[CR-AJA-BEA]", "E[CD-AFA-BAA]", "E[DM-AFI-BAA]"]
        ),
        "answers": st.sampled_from(["any"] if passages == "on" else answers),
        "article_weight": st.sampled_from([0, 0.5, 4]),
        "parent_weight": st.sampled_from([0, 0.5, 1]),
        "focus": st.sampled_from([0, 0.4, 1]),
        "heading_weight": st.sampled_from([0, 0.5]),
        "header_rows": st.booleans(),
        "neighbour_weight": st.sampled_from([0, 0.3]),
        "sequence_weight": st.sampled_from([0, 1, 5]),
        "coverage": st.sampled_from([0, 0.2, 2]),
        "min_leaf_words": st.sampled_from(["0", "2", "0.5x"]),
        "block_words": st.sampled_from(lengths),
        "min_words": st.sampled_from(["0", *lengths]),
        "max_words": st.sampled_from(["all", "all", *lengths]),
        "min_passage_words": st.sampled_from(["0", *lengths]),
        "max_sentences": st.integers(1, 3),
        "whole_weight": st.sampled_from([0, 0.7]),
        "overlap": st.sampled_from(["keep", "remove"]),
        "max_per_article": st.sampled_from(["all", "all", 1, 2]),
        "group_by_article": st.booleans(),
        "word_budget": st.sampled_from(["all", "all", 1, 5, 20]),
        "max_answers": st.sampled_from([1500, 2]),
    }
    drawn = {name: draw(strategy) for name, strategy in chosen.items()}
    drawn["passages"] = passages
    if drawn["element_similarity"] not in WEIGHED_INSIDE:
        drawn |= {"heading_weight": 0, "coverage": 0, "sequence_weight": 0}
    return with_legal_lengths(drawn)


def with_legal_lengths(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return settings whose answers may have some length: a highest length below the lowest is refused."""
    low, high = (drawn[name].rstrip("x") for name in ("min_words", "max_words"))
    is_comparable = high != "all" and drawn["min_words"].endswith("x") == drawn["max_words"].endswith("x")
    return {**drawn, "max_words": "all"} if is_comparable and float(low) > float(high) else drawn


def markup(node: Node) -> str:
    text = " ".join(f"{word.title()}." if word == LAST_OF_SENTENCE else word.title() for word in node.words)
    return f"<{node.name}> {text} {' '.join(map(markup, node.children))} </{node.name}>"


def written(collection: list[Node]) -> dict[str, str]:
    return {f"{number:02}": markup(tree) for number, tree in enumerate(collection)}


def plain(collection: list[Node]) -> tuple[list[Node], dict[Key, int], dict[tuple[int, int], Key]]:
    """Return trees without inline elements, the sizes with them, and the key of each row that is not inline."""
    trees, sizes, keys = [], {}, {}
    for number, tree in enumerate(collection):
        trees.append(without_inline(tree))
        rows = [(row, node) for row, (node, above) in enumerate(nodes(tree)) if node.name != "i" or not above]
        for place, (row, node) in enumerate(rows):
            keys[number, row] = (number, place)
            sizes[number, place] = sum(1 for _ in nodes(node))
    return trees, sizes, keys


def with_windows(elements: list[Key], found: JoinedAnswers) -> list[Key]:
    """Return the keys of answers, given those of their elements."""
    if found.sentences is None:
        return elements
    windows = found.sentences.tolist()
    return [key if window == [-1, -1] else (*key, *window) for key, window in zip(elements, windows, strict=True)]


def assert_equal(
    search: Callable[..., JoinedAnswers],
    keys_of: Callable[[JoinedAnswers], list[Key]],
    reference: Callable[[list[int]], Reference],
    documents: Sequence[str],
    given_settings: Mapping[str, Any],
) -> None:
    """Assert that the scores of everything are those of the reference, and the answers those that it chooses.

    Args:
        search: takes settings and answers the query.
        reference: takes the ranked documents, each by its place in `documents`.
    """
    everything = search(**EVERYTHING)
    ranked = [documents.index(everything.index.ids[number]) for number in everything.ranked.documents.tolist()]
    articles = dict(zip(ranked, everything.ranked.scores.tolist(), strict=True))
    expected = reference(ranked)
    inside = (
        expected.passages(ranked)
        if given_settings["passages"] == "on"
        else {key: expected.inside(key) for key in expected.elements(ranked)}
    )
    share = given_settings["article_weight"] * given_settings["focus"]

    assert everything.scores is not None
    found = dict(zip(keys_of(everything), everything.scores.tolist(), strict=True))
    assert found == pytest.approx({key: score + share * articles[key[0]] for key, score in inside.items()}, **NEAR)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    chosen = expected.chosen(found, {number: rank for rank, number in enumerate(ranked)})
    if found and not chosen:
        with pytest.raises(QueryError, match="budget"):
            search()
        return
    assert keys_of(search()) == chosen


def compare(
    index: IndexReader,
    collection: list[Node],
    query: Query,
    given_settings: dict[str, Any],
    ranked: str = "",
    of_tables: tuple[str, str] = ("", ""),
    typed: str = "",
) -> None:
    trees, sizes, keys = plain(collection)
    unsigned = [word for word in query.wanted if word not in query.required]
    text = " ".join([*unsigned, *(f"+{word}" for word in query.required), *(f"-{word}" for word in query.unwanted)])
    wanted = Query([*unsigned, *query.required], query.required, query.unwanted, query.sentence)
    parameters = {**defaults(tuple(TABLE)), "k1": 3.4, "b": 0.9, "k3": 7.0}
    parameters["focus"] = given_settings["focus"]
    options: dict[str, Any] = {"rank_by": "score", "similarity": "okapi", **given_settings}
    names = {"K": ("k1", "b"), "J": ("k1", "b")}.get(options["element_similarity"][6], ())
    names += ("k3",) if options["element_similarity"][-3] == "E" else ()
    options |= {f"element_{name}": parameters[name] for name in names}
    rows = {key: row for (_, row), key in keys.items()}

    def keys_of(found: JoinedAnswers) -> list[Key]:
        rows = found.elements - index.elements.root(found.documents)
        named = zip(found.documents.tolist(), rows.tolist(), strict=True)
        return with_windows([keys[int(index.ids[number]), row] for number, row in named], found)

    assert_equal(
        lambda **more: answers_to(index, typed or text, **{**options, **more}),
        keys_of,
        lambda _: Reference(trees, sizes, wanted, given_settings, parameters, rows, ranked, of_tables),
        list(written(collection)),
        given_settings,
    )


@given(with_inline, with_inline, queries, scoring("off"))
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@pytest.mark.long
def test_elements_equal_the_reference_whatever_the_index_went_through(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=INLINE) as index:
        compare(index, collection, query, chosen)


@given(collections, collections | poems, queries, scoring("on"))
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@pytest.mark.long
def test_passages_equal_the_reference_whatever_the_index_went_through(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=TITLES) as index:
        compare(index, collection, query, chosen)


@given(pages_of("abci"), pages_of("abci") | headed_pages, queries, scoring("off"))
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@pytest.mark.long
def test_elements_behind_headings_with_ranks_equal_the_reference(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=FLAT) as index:
        compare(index, collection, query, {**chosen, "heading_weight": chosen["heading_weight"] and 2.5}, RANKED)


@given(pages_of("abc"), pages_of("abc") | headed_pages, queries, scoring("on"))
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@pytest.mark.long
def test_passages_behind_headings_with_ranks_equal_the_reference(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=FLAT) as index:
        compare(index, collection, query, chosen, RANKED)


@given(tables_of("bdi"), tables_of("bdi"), queries, scoring("off"))
@settings(max_examples=effort(3, 1000, thorough=100), deadline=None)
@pytest.mark.long
def test_elements_of_tables_with_header_rows_equal_the_reference(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=TABLES) as index:
        compare(index, collection, query, {**chosen, **HEADED}, of_tables=OF_TABLES)


@given(tables_of("bd"), tables_of("bd"), queries, scoring("on"))
@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@pytest.mark.long
def test_passages_of_tables_with_header_rows_equal_the_reference(before, collection, query, chosen):
    with grown_index([written(before), written(collection)], profile_text=TABLES) as index:
        compare(index, collection, query, {**chosen, **HEADED}, of_tables=OF_TABLES)


@pytest.mark.parametrize("passages", ["off", "on"])
@given(refrains, refrains, sentences, st.data())
@settings(max_examples=effort(4, 1000, thorough=100), deadline=None)
@pytest.mark.long
def test_sentences_equal_the_reference(passages, before, collection, sentence, data):
    collection = [*collection, ENGLISH]
    wanted = [word for word in sentence if word not in FUNCTION_WORDS]
    is_sentence = len(sentence) - len(wanted) >= 0.5 * len(sentence)
    query = Query(wanted or sentence, (), (), sentence if is_sentence else ())
    with grown_index([written(before), written(collection)], profile_text=TITLES) as index:
        chosen = {**data.draw(scoring(passages)), "function_words": "drop"}
        compare(index, collection, query, chosen, typed=" ".join(sentence))
