"""The settings of scored elements: what they may be, what is refused, and in what words."""

from __future__ import annotations

import re

import pytest

from engine.errors import SettingsError
from engine.settings import Settings


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("article_weight", -1, "article_weight = '-1': expected a number from 0 to 1e+06."),
        ("parent_weight", "nan", "parent_weight = 'nan': expected a number from 0 to 1."),
        ("focus", 2, "focus = '2': expected a number from 0 to 1, or auto."),
        ("coverage", "thick", "coverage = 'thick': expected a number from 0 to 100."),
        ("element_k1", -1, "element_k1 = '-1': expected a number from 0 to 1e+09."),
        ("element_mu", 5, "'element_mu' is not a parameter of adaptive, which has element_b, element_k1."),
        (
            "block_words",
            "0.5y",
            "block_words = '0.5y': expected a number of words (40), or a multiple of the collection's usual",
        ),
        ("max_words", -1, "max_words = '-1': expected"),
        ("max_articles", "few", "max_articles = 'few': expected"),
        ("min_words", "all", "min_words = 'all': expected a number of words (40), or a multiple"),
        ("passages", "yes", "passages = 'yes': expected true or false (on or off)."),
        ("group_by_article", "article", "group_by_article = 'article': expected true or false (on or off)."),
        ("word_budget", 0, "word_budget = '0': expected a whole number from 1 to 1,000,000,000, or all."),
        ("max_sentences", "all", "max_sentences = 'all': expected a whole number from 1 to 1,000."),
        ("max_sentences", 1001, "max_sentences = '1001': expected a whole number from 1 to 1,000."),
        ("element_similarity", "okapi", "element_similarity = 'okapi': scores whole documents"),
    ],
)
def test_what_is_not_legal_is_refused_in_plain_words(name, value, message):
    with pytest.raises(SettingsError, match="^" + re.escape(message)):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["max_answers", "max_sentences"])
@pytest.mark.parametrize("value", [10**10, "99999999999999999999", 10**400])
def test_counts_are_numbers_that_arrays_can_have(name, value):
    with pytest.raises(
        SettingsError, match=rf"^{name} = '\d+…?': expected a whole number from 1 to 1,000(,000,000)?\.$"
    ):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["max_matches", "max_articles", "max_per_article", "word_budget"])
@pytest.mark.parametrize("value", [10**10, 10**400])
def test_who_wants_more_than_any_number_says_all(name, value):
    with pytest.raises(
        SettingsError, match=rf"^{name} = '\d+…?': expected a whole number from 1 to 1,000,000,000, or all\.$"
    ):
        Settings.from_options(**{name: value})
