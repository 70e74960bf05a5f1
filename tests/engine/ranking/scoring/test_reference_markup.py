"""Scored answers equal the slow reference where there are phrases, path queries, mixed content and left-out tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.similarity.parameters import TABLE, defaults
from tests.engine.ranking.scoring.test_reference import assert_equal, scoring, with_legal_lengths, with_windows
from tests.engine.small_index import answers_to, grown_index
from tests.engine.structure.test_structure_reference import lacks_words
from tests.reference import nexi_random
from tests.reference.co_search import written
from tests.reference.nexi_search import Rules
from tests.reference.scored_answers import LAST_OF_SENTENCE
from tests.reference.scored_markup import Collection, MarkupReference
from tests.trust.soak import effort

EXAMPLES = effort(2, 1500, thorough=12)
PROFILE = 'inline = ["i"]\nskip = ["x"]\n'
RULES = Rules(inline=("i",), skip=("x",))
NEXI_RULES = Rules(inline=nexi_random.INLINE, skip=nexi_random.SKIP, attributes=nexi_random.ATTRIBUTES)

OF_INTERVALS = ["E[CT-AKA-BAA]", "E[CS-AKA-BIA]", "E[CA-AJK-BAA]", "E[CR-AJA-BEA]", "E[CD-AFA-BAA]", "E[DM-AFI-BAA]"]
OF_ELEMENTS = [
    *("E[BD-ACC-BCC]", "E[CG-ADA-BAA]", "T[AA-AAA-BAA]", "T[CS-AJK-BEA]", "C[FB]--T[BC-ABA-BAA]"),
    *("C[FC]--T[EA-AHA-AAA]", "C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]", "C[G-]--D[CR-AEH-BEA]--E[CT-AKA-BAA]"),
]

PLAIN = {
    **{"article_weight": 0, "parent_weight": 0, "focus": 0, "heading_weight": 0},
    **{"neighbour_weight": 0, "coverage": 0, "sequence_weight": 0},
    **{"min_leaf_words": "0", "block_words": "1", "min_words": "0", "max_words": "all"},
    **{"overlap": "keep", "max_per_article": "all", "group_by_article": False, "word_budget": "all"},
}
IN_TEXTS = ("sea", "sea", "tide", "tide", "lamp", LAST_OF_SENTENCE)
_texts = st.lists(st.sampled_from(IN_TEXTS), max_size=8).map(
    lambda words: " ".join(f"{word.title()}." if word == LAST_OF_SENTENCE else word.title() for word in words)
)
_leaves = st.builds("<{0}> {1} </{0}>".format, st.sampled_from("aabbix"), _texts)
_elements = st.recursive(
    _leaves,
    lambda inner: st.builds(
        "<{0}> {1} </{0}>".format,
        st.sampled_from("aabbix"),
        st.lists(st.one_of(_texts, inner), min_size=1, max_size=5).map(" ".join),
    ),
    max_leaves=6,
)
articles = st.builds(
    "<{0}> {1} </{0}>".format,
    st.sampled_from("aai"),  # a root is never inline
    st.lists(st.one_of(_texts, _elements), min_size=1, max_size=4).map(" ".join),
)
collections = st.dictionaries(st.sampled_from("pqrst"), articles, min_size=1, max_size=4)

_words = st.sampled_from([*IN_TEXTS, *IN_TEXTS, "unknown"])
_phrases = st.lists(st.sampled_from(IN_TEXTS), min_size=2, max_size=3).map(lambda words: f'"{" ".join(words)}"')
_terms = st.builds("{}{}".format, st.sampled_from([*[""] * 6, "+", "-", "-"]), st.one_of(_words, _phrases))
wordy = st.lists(_terms, min_size=1, max_size=3).map(" ".join).filter(lambda text: not text.startswith("-"))
pathy = st.builds(
    "{}[about({}, {})]{}".format,
    st.sampled_from(["//a", "//a", "//(a|b)", "//b", "/a", "//*", "//a//b"]),
    st.sampled_from([".", ".//b", "./a"]),
    wordy,
    st.sampled_from(["", "", "//b", "/a", "//(a|b)[about(., sea tide)]"]),
)
readings = st.sampled_from(["SS", "SS", "SV", "VS", "VV"])


@st.composite
def chosen(draw: Any, passages: str, *, is_path: bool) -> dict[str, Any]:
    drawn = draw(scoring(passages))
    drawn["element_similarity"] = draw(
        st.sampled_from(OF_INTERVALS if passages == "on" else OF_INTERVALS + OF_ELEMENTS)
    )
    drawn |= {"heading_weight": 0, "neighbour_weight": 0, "coverage": 0, "sequence_weight": 0}
    drawn["min_words"] = draw(st.sampled_from(["0", "0", drawn["min_words"]]))
    drawn = with_legal_lengths(drawn)
    drawn["operator"] = draw(st.sampled_from(["or", "or", "or", "and"]))
    if is_path:
        drawn["reading"] = draw(readings)
        if passages == "off" and drawn["reading"] in ("SS", "SV") and draw(st.booleans()):
            drawn["answers"] = "target"
    return drawn


def compare(index: IndexReader, sources: Mapping[str, str], query: str, settings: dict[str, Any], rules: Rules) -> None:
    rules = Rules(**{**vars(rules), "match": settings["operator"]})
    collection = Collection(sources, query, settings.get("reading", "CO"), rules)
    if collection.nexi is not None and lacks_words(collection.nexi, settings["reading"], rules):
        return
    ids = sorted(sources)
    if settings["answers"] == "target":
        targets = [path for number in range(len(ids)) for path in collection.targets(number) or ()]
        if any(len(path) > 1 and path[-1][0] in rules.inline for path in targets):
            return  # inline elements have no score of their own, and are looked at elsewhere
    parameters = {**defaults(tuple(TABLE)), "k1": 3.4, "b": 0.9, "k3": 7.0, "floor": 5.0, "alpha": 0.4, "pivot": 0.3}
    options: dict[str, Any] = {"rank_by": "score", "similarity": "okapi", **settings}
    names = answers_to(
        index, "sea", rank_by="score", element_similarity=options["element_similarity"]
    ).settings.element_expression.parameters
    options |= {f"element_{name}": parameters[name] for name in names - {"block"}}

    parameters = {**parameters, "focus": settings["focus"]}
    keys = {(ids[number], written(path)): key for (number, path), key in collection.keys.items()}
    assert_equal(
        lambda **more: answers_to(index, query, **{**options, **more}),
        lambda found: with_windows([keys[answer.document, answer.path] for answer in found], found),
        lambda ranked: MarkupReference(collection, ranked, settings, parameters),
        ids,
        settings,
    )


def asked(queries: st.SearchStrategy[Any], passages: str, *, is_path: bool) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(queries, chosen(passages, is_path=is_path)), min_size=6, max_size=8)


def compare_all(sources: Mapping[str, str], queries: Sequence[tuple[str, dict[str, Any]]]) -> None:
    with grown_index([sources], profile_text=PROFILE) as index:
        for query, settings in queries:
            compare(index, sources, query, settings, RULES)


@given(collections, asked(wordy, "off", is_path=False))
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_elements_by_words_and_phrases(sources, queries):
    compare_all(sources, queries)


@given(collections, asked(wordy, "on", is_path=False))
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_passages_by_words_and_phrases(sources, queries):
    compare_all(sources, queries)


@given(collections, asked(pathy, "off", is_path=True))
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_elements_by_path_queries(sources, queries):
    compare_all(sources, queries)


@given(collections, asked(pathy, "on", is_path=True))
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_passages_by_path_queries(sources, queries):
    compare_all(sources, queries)


@given(nexi_random.collections, asked(nexi_random.queries(), "off", is_path=True))
@hypothesis_settings(max_examples=EXAMPLES, deadline=None)
@pytest.mark.long
def test_elements_by_any_path_query(sources, queries):
    with grown_index([sources], profile_text=nexi_random.PROFILE) as index:
        for query, settings in queries:
            answers = "//(sec|p)" if settings["answers"].startswith("//") else settings["answers"]
            compare(index, sources, str(query), {**settings, "answers": answers}, NEXI_RULES)


@pytest.mark.parametrize("similarity", ["T[AA-AAA-BAA]", "T[CS-AJK-BEA]", "C[FB]--T[BC-ABA-BAA]", "E[CG-ADA-BAA]"])
def test_words_of_a_phrase_that_no_text_contains_count_where_a_phrase_is_no_term(similarity):
    sources = {"a": "<article>sea<sec>tide</sec></article>", "b": "<article><sec>sea tide</sec></article>"}
    query, target = '//*[about(., "tide sea") or . != 1998]', {"answers": "target", "passages": "off", "reading": "SS"}
    settings = PLAIN | target | {"element_similarity": similarity, "max_sentences": 1}
    settings |= {"min_passage_words": "0", "whole_weight": 0, "operator": "or", "max_answers": 1500}
    with grown_index([sources], profile_text=nexi_random.PROFILE) as index:
        compare(index, sources, query, settings, NEXI_RULES)


@pytest.mark.parametrize(
    "query", ['sea "sea tide"', '+lamp "tide sea"', 'sea "tide lamp" "sea tide"', '"sea" "sea tide"', 'sea +"sea tide"']
)
@pytest.mark.parametrize("operator", ["or", "and"])
@pytest.mark.long
def test_a_phrase_that_no_article_contains_counts_as_its_words_beside_others(query, operator):
    passages = {"passages": "on", "min_passage_words": "0", "whole_weight": 0, "max_sentences": 1}
    settings = PLAIN | passages | {"element_similarity": "E[CT-AKA-BAA]", "answers": "any", "max_answers": 1500}
    sources = {"p": "<a> Tide </a>", "q": "<a> <b> Tide Sea </b> <b> Lamp </b> </a>"}

    compare_all(sources, [(query, settings | {"operator": operator})])
