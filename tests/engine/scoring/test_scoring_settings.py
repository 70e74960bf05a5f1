"""The settings of scored elements: what they may be, what is refused, and in what words."""

import re

import pytest

from engine.errors import SettingsError
from engine.settings import Settings


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lambda_article", -1, "lambda_article = '-1': expected a number from 0 to 1e+06."),
        ("lambda_parent", "nan", "lambda_parent = 'nan': expected a number from 0 to 1."),
        ("density", "thick", "density = 'thick': expected a number from 0 to 1e+06."),
        ("element_k1", -1, "element_k1 = '-1': expected a number from 0 to 1e+09."),
        ("element_mu", 5, "'element_mu' is no parameter of text-blocks, which has element_b, element_k1."),
        ("block", "0.5y", "block = '0.5y': expected a number of words (40), or a multiple of the collection's usual"),
        ("shortest", "all", "shortest = 'all': expected a number of words (40), or a multiple"),
        ("passages", "yes", "passages = 'yes': expected one of off, on."),
        ("group", "articles", "group = 'articles': did you mean 'article'? expected one of none, article."),
        ("budget", 0, "budget = '0': expected a whole number from 1, or all."),
        ("best_leaves", "few", "best_leaves = 'few': expected a whole number from 1, or all."),
        ("sentences", "all", "sentences = 'all': expected a whole number from 1."),
        ("sentences", 1001, "sentences = '1001': expected at most 1,000."),
        ("scoring", "okapi", "scoring = 'okapi': scores whole documents"),
    ],
)
def test_what_is_not_legal_is_refused_in_plain_words(name, value, message):
    with pytest.raises(SettingsError, match="^" + re.escape(message)):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["articles", "limit", "sentences"])
@pytest.mark.parametrize("value", [10**10, "99999999999999999999", 10**400])
def test_counts_are_numbers_that_arrays_can_have(name, value):
    with pytest.raises(SettingsError, match=rf"^{name} = '\d+': expected at most 1,000(,000,000)?\.$"):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("name", ["matches", "per_article", "budget", "best_leaves"])
@pytest.mark.parametrize("value", [10**10, 10**400])
def test_who_wants_more_than_any_number_says_all(name, value):
    with pytest.raises(SettingsError, match=rf"^{name} = '\d+': expected at most 1,000,000,000, or all\.$"):
        Settings.from_options(**{name: value})
