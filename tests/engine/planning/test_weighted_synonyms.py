"""Synonyms with weights: a word with its synonyms is several terms, each a share of a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.ranking.search import plan_query
from engine.settings import Settings
from engine.similarity.parameters import TABLE, defaults
from engine.text.analyser import Analyser, analyser_from, make_analyser
from engine.text.characters import folded
from tests.engine.check_answers import WAYS, search
from tests.engine.similarity.random_input import trees_of
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.similarity import Node, Scorer
from tests.trust.soak import effort

TEXTS = {"a": "lamp", "b": "lantern", "c": "an oil light", "d": "buoy"}
SYNONYMS = """groups = [["lamp", {word = "lantern", weight = 0.75}, {word = "oil light", weight = 0.25}]]
[expand]
buoy = [{word = "lamp", weight = 0.5}, "lantern"]
"""
# Scores of elements by letters that read frequencies in the query, or term weights twice, and of articles.
EXPRESSIONS = ("E[CW-AKA-BAA]", "E[BQ-BBA-BEA]", "D[CW-AEH-BAA]", "D[CR-AEH-BEA]")
PRESETS = {"D[CW-AEH-BAA]": "bm25", "D[CR-AEH-BEA]": "okapi"}
# Every element is an answer, whose score is that of the expression.
ELEMENTS_ALONE: dict[str, Any] = {
    **dict.fromkeys(("article_weight", "parent_weight", "heading_weight", "neighbour_weight", "coverage"), 0),
    **{"opening_weight": 0, "min_words": "0", "min_leaf_words": "0", "block_words": "1", "overlap": "keep"},
    **{"max_per_article": "all", "group_by_article": False},
}


def with_file(folder: Path, text: str = SYNONYMS) -> str:
    file = folder / "synonyms.toml"
    file.write_text(text, "utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("query", "shares"),
    [
        ("lamp", {"lamp|lantern|oil light": 0.25, "lamp|lantern": 0.5, "lamp": 0.25}),
        ("lantern tide", {"lantern|lamp|oil light": 0.25, "lantern|lamp": 0.75, "tide": 1}),
        ("lamp lamp", {"lamp|lantern|oil light": 0.25, "lamp|lantern": 0.5, "lamp": 0.25}),
        ("buoy lamp", {"buoy|lamp|lantern|oil light": 0.25, "buoy|lamp|lantern": 0.75}),
        ("-lamp tide", {"tide": 1}),
        ("//p[about(., buoy)]", {"buoy|lamp|lantern": 0.5, "buoy|lantern": 0.5}),
    ],
)
def test_a_word_with_weighted_synonyms_is_several_shares(
    tmp_path: Path, query: str, shares: Mapping[str, float]
) -> None:
    index = index_of(tmp_path, {name: f"<a><p>{text}</p></a>" for name, text in TEXTS.items()})

    found = plan_query(index, query, Settings.from_options(synonyms=with_file(tmp_path))).query

    assert found.word_counts == shares


@pytest.mark.parametrize(
    ("query", "given_settings", "expected"),
    [
        ("lamp", {}, ["a", "b", "c"]),
        ("+lamp", {}, ["a", "b", "c"]),
        ("lamp", {"operator": "and"}, ["a", "b", "c"]),
        ("lamp", {"unit": "sentence"}, ["a", "b", "c"]),
        ("//p[about(., lamp)]", {"reading": "SS"}, ["a", "b", "c"]),
        ("buoy", {}, ["b", "d", "a"]),
    ],
)
def test_texts_with_synonyms_of_lower_weights_come_later(
    tmp_path: Path, query: str, given_settings: dict[str, Any], expected: list[str]
) -> None:
    index = index_of(tmp_path, {name: f"<a><p>{text} of the tower there</p></a>" for name, text in TEXTS.items()})
    chosen = Settings.from_options(synonyms=with_file(tmp_path), **given_settings)

    assert [answer.document for answer in search(index, query, chosen, ways=WAYS)] == expected


def test_weights_are_named_beside_their_words(tmp_path: Path) -> None:
    index = index_of(tmp_path, {name: f"<a><p>{text}</p></a>" for name, text in TEXTS.items()})

    found = answers_to(index, "lamp", synonyms=with_file(tmp_path))

    (notice,) = found.notices
    assert notice.fields["words"] == ("lamp", "lantern (0.75)", "oil light (0.25)")


def replaced(node: Node, synonyms: Sequence[str]) -> Node:
    """Return a text with its synonyms replaced by the word that was typed."""
    words = ["sea" if word in synonyms else word for word in node.words]
    return Node(node.name, words, [replaced(child, synonyms) for child in node.children])


def markup(node: Node) -> str:
    return f"<{node.name}>{' '.join(node.words)} {' '.join(map(markup, node.children))}</{node.name}>"


@pytest.mark.long
@settings(max_examples=effort(10, 300, thorough=30), phases=(Phase.explicit, Phase.generate))
@given(
    st.lists(trees_of("ab"), min_size=2, max_size=5),
    st.tuples(*[st.sampled_from([0.1, 0.5, 0.75, 1.0])] * 2),
    st.sampled_from(["sea", "sea fog", "reef sea sea"]),
    st.sampled_from(EXPRESSIONS),
)
def test_scores_are_the_shares_of_scores_in_texts_with_synonyms_replaced(
    collection: list[Node], weights: tuple[float, float], query: str, expression: str
) -> None:
    parameters = {**defaults(tuple(TABLE)), "block": 1.0}
    members = {"sea": 1.0, "tide": weights[0], "lamp": weights[1]}
    written = {f"{number:02}": markup(tree) for number, tree in enumerate(collection)}
    lower, expected = 0.0, dict[tuple[int, int], float]()

    def add(collection: Sequence[Node], words: Sequence[str], share: float) -> None:
        for key, score in Scorer(expression, collection, words, parameters).scores().items():
            expected[key] = expected.get(key, 0.0) + share * score

    levels = sorted(set(members.values()))
    repeated = ["sea"] * (1 if len(levels) > 1 else query.split().count("sea"))  # a share counts once
    for weight in levels:
        synonyms = [word for word, each in members.items() if each >= weight]
        add([replaced(tree, synonyms) for tree in collection], repeated, weight - lower)
        lower = weight
    add(collection, [word for word in query.split() if word != "sea"], 1.0)
    given_settings: dict[str, Any] = {"similarity": PRESETS.get(expression), "approach": "fulltext"}
    if expression not in PRESETS:
        given_settings = {**ELEMENTS_ALONE, "element_similarity": expression}
    if expression[6] == "K":
        given_settings |= {f"element_{name}": parameters[name] for name in ("k1", "b")}

    with grown_index([dict(list(written.items())[:1]), written]) as index:
        file = Path(index.folder) / ".." / "synonyms.toml"
        file.write_text(
            "[expand]\nsea = [" + ", ".join(f'{{word = "{w}", weight = {x}}}' for w, x in members.items()) + "]\n",
            "utf-8",
        )
        chosen = Settings.from_options(synonyms=str(file), max_answers=10_000, **given_settings)
        found = search(index, query, chosen, ways=WAYS)

        keys = [
            (int(index.ids[document]), row - int(index.elements.root(np.array([document]))[0]))
            for document, row in zip(found.documents.tolist(), found.elements.tolist(), strict=True)
        ]
        scores = found.ranked.scores if found.scores is None else found.scores
        assert dict(zip(keys, scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-9)


# Words without accents find those with them, the word as typed first; compatible characters are equal.


WORDS = (
    "Dvořák",
    "Dvorak",
    "Müller",
    "Mueller",
    "café",
    "École",
    "Ørsted",
    "Łódź",
    "Straße",
    "Θήβα",
    "ёлка",
    "שָׁלוֹם",
    "سَلَام",
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dvorak", ["Dvorak", "Dvořák"]),
        ("Dvořák", ["Dvořák"]),
        ("muller", ["Müller"]),
        ("mueller", ["Mueller", "Müller"]),
        ("cafe", ["café"]),
        ("ecole", ["École"]),
        ("orsted", ["Ørsted"]),
        ("lodz", ["Łódź"]),
        ("strasse", ["Straße"]),
        ("θηβα", ["Θήβα"]),
        ("Елка", ["ёлка"]),
        ("שלום", ["שָׁלוֹם"]),
        ("سلام", ["سَلَام"]),
        ('"dvorak word"', ["Dvořák", "Dvorak"]),
        ("+cafe", ["café"]),
        ("cafes", []),
    ],
)
@pytest.mark.long
def test_a_word_without_accents_finds_those_with_them(tmp_path: Path, query: str, found: list[str]) -> None:
    with index_of(tmp_path, {word: f"<a><p>{word} word of it</p></a>" for word in WORDS}) as index:
        answers = [index.ids[document] for document in answers_to(index, query, min_words=1).documents.tolist()]
    assert sorted(answers) == sorted(found)
    if not query.startswith('"'):
        assert answers == found


def test_a_word_with_spellings_weighs_no_more_than_another(tmp_path: Path) -> None:
    """Of two words that are as frequent, the one of which there is a spelling with an accent counts no more."""
    filler = " ".join(f"w{number}" for number in range(30))
    texts = {f"{word}{n}": f"<a><p>{word} {filler}</p></a>" for word in ("regent", "keeper") for n in range(4)}
    with index_of(tmp_path, {**texts, "other": f"<a><p>régent {filler}</p></a>"}) as index:
        found = answers_to(index, "regent keeper", function_words="keep")
        assert found.scores is not None
        scores = dict(zip(found.document_ids, found.scores.tolist(), strict=True))
        shares = [term.share for term in found.plan.query.terms if term.words[0].startswith("regent")]

    assert sum(shares) == pytest.approx(1)
    assert scores["regent0"] < 1.05 * scores["keeper0"]
    assert scores["regent0"] > scores["other"]


def test_a_stem_with_an_accent_may_end_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>The École of the town is in this text</p></a>", "utf-8")
    update_index(tmp_path / "index", [str(tmp_path / "a.xml")], BuildSettings())
    with open_reader(tmp_path / "index") as index:
        assert len(answers_to(index, "ecole", min_words=1)) == 1


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("2024", "２０２４"), ("usb", "ＵＳＢ"), ("h2o", "H₂O"), ("m2", "m²"), ("viii", "Ⅷ"), ("テレビ", "ﾃﾚﾋﾞ"),
        ("istanbul", "İstanbul"), ("find", "ﬁnd"), ("²", "2"),
    ],
)  # fmt: skip
def test_compatible_characters_are_equal(tmp_path: Path, query: str, text: str) -> None:
    with index_of(tmp_path, {"a": f"<a><p>so {text} is it</p></a>"}) as index:
        assert len(answers_to(index, query, min_words=1)) == 1


def test_indexes_made_before_keep_their_characters() -> None:
    before = {"name": "default", "stem": "none", "stop": "none", "stop_words": [], "diacritics": "keep"}
    assert analyser_from(before).term("ＵＳＢ") == "ｕｓｂ"
    assert analyser_from(make_analyser().to_dict()) == make_analyser()
    assert Analyser().term("½") == make_analyser(stem="none").term("½") == "½"


@given(st.text(st.characters(categories=["L", "N", "M"]), min_size=1, max_size=8))
def test_folding_twice_changes_nothing(word: str) -> None:
    once = folded(word, compatible=True)
    assert folded(once, compatible=True) == once


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("//p[about(., dvorak)]", ["Dvorak", "Dvořák"]),
        ("//p[about(., muller) and about(., word)]", ["Müller"]),
        ("//a[about(.//p, +cafe)]", ["café"]),
        ("//p[about(., Dvořák)]", ["Dvořák"]),
        ("dvor*", ["Dvorak", "Dvořák"]),
        ("mull*", ["Müller"]),
        ("//p[about(., θηβα)]", ["Θήβα"]),
        ("θηβ*", ["Θήβα"]),
        ("muel*r", ["Mueller", "Müller"]),
        ("*cole", ["École"]),
        ("ors*", ["Ørsted"]),
        ("dvoř*", ["Dvořák"]),
        ("//p[about(., caf*)]", ["café"]),
        ('//p[about(., "cafe word of")]', ["café"]),
        ('//p[about(., +"dvorak word")]', ["Dvorak", "Dvořák"]),
        ('//p[about(., "it cafe"~3)]', ["café"]),
        ('//p[about(., "Dvořák word")]', ["Dvořák"]),
    ],
)
def test_words_and_patterns_of_path_queries_find_accents_too(tmp_path: Path, query: str, found: list[str]) -> None:
    with index_of(tmp_path, {word: f"<a><p>{word} word of it</p></a>" for word in WORDS}) as index:
        answers = {index.ids[document] for document in answers_to(index, query, min_words=1).documents.tolist()}
    assert answers == set(found)
