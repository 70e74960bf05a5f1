"""Options without effect, and `max_sentences`, which asks for passages."""

from __future__ import annotations

from typing import Any

import pytest

import foxir
from engine.errors import SettingsError
from engine.settings import Settings, read_settings
from engine.settings.unused_options import unused_options

UNUSED: list[tuple[dict[str, Any], str]] = [
    ({"max_sentences": 3, "unit": "element"}, "max_sentences"),
    ({"min_passage_words": 3}, "min_passage_words"),
    ({"whole_weight": 0.5}, "whole_weight"),
    ({"unit": "sentence", "whole_weight": 0, "min_words": 100}, "min_words"),
    ({"unit": "sentence", "whole_weight": 0, "max_words": 100}, "max_words"),
    ({"unit": "sentence", "answers": "//sec"}, "answers"),
    ({"rank_by": "score", "heuristic": "TPF"}, "heuristic"),
    ({"rank_by": "structure", "coverage": 0}, "coverage"),
    ({"rank_by": "structure", "word_budget": 9}, "word_budget"),
    ({"rank_by": "structure", "element_k1": 2}, "element_k1"),
    ({"heading_weight": 0, "header_rows": True}, "header_rows"),
    ({"element_similarity": "text-blocks", "header_rows": False}, "header_rows"),
    ({"max_per_article": 2, "max_table_words": 100}, "max_table_words"),
    ({"overlap": "keep", "max_table_words": "2x"}, "max_table_words"),
    ({"overlap": "keep", "unit": "siblings"}, "overlap"),
    ({"approach": "fulltext", "max_sentences": 2}, "max_sentences"),
    ({"approach": "fulltext", "operator": "and"}, "operator"),
    ({"approach": "fulltext", "overlap": "keep"}, "overlap"),
    ({"approach": "fulltext", "max_articles": 9}, "max_articles"),
    ({"approach": "native", "max_articles": 9}, "max_articles"),
    ({"approach": "native", "article_weight": 2}, "article_weight"),
    ({"passage_focus": 0.7}, "passage_focus"),
    ({"semantic_weight": 0.1}, "semantic_weight"),
    ({"semantic_answers": 9, "semantic": "none"}, "semantic_answers"),
    ({"semantic_failures": "skip"}, "semantic_failures"),
]
USED: list[dict[str, Any]] = [
    {"heuristic": "TPF"},
    {"heuristic": "TPF", "passages": False, "group_by_article": False, "word_budget": None},
    {"max_sentences": 3, "min_passage_words": 3},
    {"passages": True, "answers": "target"},
    {"passages": True, "whole_weight": 0.5, "min_words": 3},
    {"semantic": "wordllama", "semantic_weight": 0},
    {"header_rows": False},
    {"overlap": "keep", "max_table_words": "all"},
    {"max_table_words": 100, "element_similarity": "text-blocks"},
    {"approach": "fulltext", "operator": "or", "overlap": "remove"},
    {"approach": "native", "article_weight": 0, "max_articles": None},
    {"passages": True, "passage_focus": 0.5, "answers": "//sec"},
    {"word_budget": 90, "max_sentences": 2, "unit": "auto", "answers": "//sec"},
]


@pytest.mark.parametrize(("given", "name"), UNUSED, ids=str)
def test_a_keyword_without_effect_is_refused_and_what_it_needs_gives_it_one(given: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} is a setting of .* leave it out"):
        foxir.make_settings(**given)

    found = [each.fields for each in unused_options(given, Settings.from_options(**given))]
    (unused,) = [fields for fields in found if fields["name"] == name]
    setting, _, value = unused["needs"].partition(" = ")
    mended = given | {setting: value}
    others = unused_options(mended, Settings.from_options(**mended))
    assert name not in {each.fields["name"] for each in others}


@pytest.mark.parametrize("given", USED, ids=str)
def test_a_keyword_with_an_effect_is_not(given: dict[str, Any]) -> None:
    assert foxir.make_settings(**given) == Settings.from_options(**given)


@pytest.mark.parametrize(("given", "name"), UNUSED, ids=str)
def test_what_lies_under_the_keywords_may_have_none(given: dict[str, Any], name: str) -> None:
    base = Settings.from_options(**given)

    assert foxir.make_settings(base, max_answers=3).max_answers == 3


def test_max_sentences_asks_for_passages_where_elements_are_scored(tmp_path) -> None:
    (tmp_path / "three.toml").write_text("max_sentences = 3\n")

    assert read_settings(tmp_path / "three.toml").passages
    assert foxir.make_settings(max_sentences=3).passages
    assert foxir.make_settings(Settings.from_options(unit="element"), max_sentences=3).passages
    assert not Settings.from_options(max_sentences=3, passages=False).passages
    assert not Settings.from_options(max_sentences=3, rank_by="structure").passages
    assert repr(Settings.from_options(max_sentences=3, passages=False)) == "Settings(unit='element', max_sentences=3)"


@pytest.mark.parametrize(
    ("former", "unit"),
    [
        ({"passages": True}, "sentence"),
        ({"passages": False}, "element"),
        ({"passages": True, "passage_focus": 0.7}, 0.7),
        ({"passages": True, "passage_focus": 0}, "sentence"),
        ({"max_sentences": 3, "passage_focus": 0.7}, 0.7),
        ({"task": "BestInContext", "passages": False}, "element"),
        ({"task": "BestInContext", "passage_focus": 0.7}, 0.7),
    ],
    ids=str,
)
def test_former_options_of_passages_are_read_as_the_unit(former: dict[str, Any], unit: str | float) -> None:
    assert foxir.make_settings(**former).unit == unit


def test_a_run_of_former_options_has_the_unit_that_they_meant() -> None:
    former = {"approach": "hybrid", "rank_by": "score", "passages": "true", "passage_focus": "0.7"}

    assert foxir.make_settings(**former).unit == 0.7
    assert foxir.make_settings(Settings.from_options(unit=0.5), passages=True).unit == 0.5


def test_a_unit_beside_passages_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"^unit is a setting of answers; passages says what they are"):
        foxir.make_settings(unit="element", passages=True)
