"""Which elements match: words, phrases, required and unwanted terms, OR and AND."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.small_index import answers_to, index_of


def matches(tmp_path, document, query, *, operator="or", profile="none", stop="none"):
    if profile != "none":
        (tmp_path / "profile.toml").write_text(profile, "utf-8")
        profile = str(tmp_path / "profile.toml")
    index = index_of(tmp_path, {"d": document}, profile=profile, stop=stop)
    answers = answers_to(
        index, query, operator=operator, answers="matching", heuristic="document", overlap="keep", reading="CO"
    )
    return answers.paths


def test_or_takes_elements_whose_own_text_holds_a_word(tmp_path):
    document = "<a>sea<s><p>tide</p> sea <p>lamp</p></s><s><p>reef</p></s></a>"

    assert matches(tmp_path, document, "sea tide") == ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]"]


def test_own_text_may_be_anywhere_between_the_children(tmp_path):
    assert matches(tmp_path, "<a><p/>one<p/>two<p/></a>", "two") == ["/a[1]"]


def test_and_takes_the_lowest_elements_that_hold_all(tmp_path):
    document = """<a><t>sea</t>
      <s><p>sea</p><p>tide</p></s>
      <s><p>sea</p><p>sea tide</p></s>
      <s><p>tide</p></s></a>"""

    assert matches(tmp_path, document, "sea tide", operator="and") == ["/a[1]/s[1]", "/a[1]/s[2]/p[2]"]


def test_and_takes_three_words_and_phrases(tmp_path):
    document = "<a><s><p>high tide</p><p>sea</p></s><s><p>high</p><p>tide sea lamp</p></s><p>lamp</p></a>"

    assert matches(tmp_path, document, '"high tide" sea', operator="and") == ["/a[1]/s[1]"]
    assert matches(tmp_path, document, "high tide sea lamp", operator="and") == ["/a[1]/s[2]"]


def test_and_does_not_reach_across_articles(tmp_path):
    index = index_of(tmp_path, {"d": "<a><p>sea</p></a>", "e": "<a><p>tide</p></a>"})

    assert not len(answers_to(index, "sea tide", operator="and", answers="matching", reading="CO"))


def test_and_with_a_word_that_no_document_holds(tmp_path):
    assert matches(tmp_path, "<a>sea</a>", "sea nowhere", operator="and") == []


def test_an_unwanted_word_in_the_own_text_rules_an_element_out(tmp_path):
    document = "<a><s>lamp <p>sea</p></s><p>sea lamp</p><p>sea</p></a>"

    assert matches(tmp_path, document, "sea -lamp") == ["/a[1]/s[1]/p[1]", "/a[1]/p[2]"]


def test_an_unwanted_word_rules_out_the_lowest_element_with_all(tmp_path):
    # s holds both words and not the third in its own text; p, the lowest one, does
    assert matches(tmp_path, "<a><s>sea <p>sea tide lamp</p></s></a>", "sea tide -lamp", operator="and") == []


def test_an_unwanted_phrase_rules_out_by_all_its_words(tmp_path):
    document = "<a><p>sea high tide</p><p>sea high</p><p>tide sea</p></a>"

    assert matches(tmp_path, document, 'sea -"high tide"') == ["/a[1]/p[2]", "/a[1]/p[3]"]


def test_a_required_word_must_be_in_the_article(tmp_path):
    index = index_of(tmp_path, {"d": "<a><p>sea</p><p>tide</p></a>", "e": "<a><p>sea</p></a>"})

    answers = answers_to(index, "sea +tide", answers="matching", heuristic="document", reading="CO")

    assert [(answer.document, answer.path) for answer in answers] == [("d", "/a[1]/p[1]"), ("d", "/a[1]/p[2]")]


def test_a_required_word_filters_before_the_cut(tmp_path):
    # the article that holds sea most often does not hold tide; it must not take the only place
    index = index_of(tmp_path, {"d": "<a>sea sea sea</a>", "e": "<a>sea tide lamp reef</a>"})

    assert answers_to(index, "sea +tide", max_articles=1, answers="matching", reading="CO").document_ids == ["e"]
    assert answers_to(index, "sea +tide", approach="fulltext", max_answers=1, reading="CO").document_ids == ["e"]


def test_whole_articles_have_a_match_and_the_required_phrases(tmp_path):
    sources = {
        "d": "<a><p>sea, high tide</p><p>lamp</p></a>",  # the lamp is not where the sea is
        "e": "<a><p>sea lamp tide</p><p>high</p></a>",
        "f": "<a>lamp</a>",
    }
    index = index_of(tmp_path, sources)

    def found(query: str, **settings: Any) -> list[str]:
        return answers_to(index, query, approach="fulltext", **settings).document_ids

    assert found("sea -lamp") == found('sea -"lamp tide"') == found('sea +"high tide"') == ["d"]
    assert found("sea -lamp", max_answers=1) == ["d"]  # what is left out takes no place
    assert sorted(found('sea -"tide lamp"')) == ["d", "e"]
    # as the thesis ranks articles: by words
    assert sorted(found("sea -lamp", rank_by="structure")) == ["d", "e"]
    assert sorted(found('+"high tide"', rank_by="structure")) == ["d", "e"]


def test_a_required_phrase_must_be_in_the_article(tmp_path):
    index = index_of(tmp_path, {"d": "<a>sea, high tide</a>", "e": "<a>sea, tide, high</a>"})

    assert answers_to(index, 'sea +"high tide"', answers="matching", reading="CO").document_ids == ["d"]


def test_a_required_word_that_no_document_holds_leaves_nothing(tmp_path):
    assert matches(tmp_path, "<a>sea</a>", "sea +nowhere") == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("high tide", True),
        ("High, TIDE!", True),
        ("high<!-- a comment -->-tide", True),
        ("high <?an instruction?>tide", True),
        ("high <![CDATA[tide]]>", True),
        ("high <q/>tide", False),
        ("<q>high</q> tide", False),
        ("high at tide", False),
        ("tide high", False),
        ("high", False),
        ("low tide, high", False),
    ],
)
def test_a_phrase_is_adjacent_words_of_one_text_node(tmp_path, text, holds):
    assert matches(tmp_path, f"<a><p>{text}</p></a>", '"high tide"') == ["/a[1]/p[1]"] * holds


def test_a_phrase_may_hold_a_word_twice(tmp_path):
    document = "<a><p>sea sea tide</p><p>sea tide</p><p>sea sea</p></a>"

    assert matches(tmp_path, document, '"sea sea tide"') == ["/a[1]/p[1]"]


def test_a_phrase_runs_on_across_inline_tags(tmp_path):
    document = "<a><p>high <b>tide</b></p><p>high <q>tide</q></p></a>"

    assert matches(tmp_path, document, '"high tide"', profile='inline = ["b"]') == ["/a[1]/p[1]"]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("bank of england", True),
        ("bank the england", True),  # of stop words the place counts
        ("bank england", False),
        ("bank of the england", False),
        ("bank<q/>england", False),
        ("bank of <q/>england", False),
        ("bank <q/>of england", False),
    ],
)
def test_a_stop_word_inside_a_phrase_keeps_its_place(tmp_path, text, holds):
    (tmp_path / "stop.txt").write_text("of the", "utf-8")

    found = matches(tmp_path, f"<a>{text}</a>", '"bank of england"', stop=str(tmp_path / "stop.txt"))

    assert found == ["/a[1]"] * holds


def test_stop_words_at_the_ends_of_a_phrase_do_not_count(tmp_path):
    (tmp_path / "stop.txt").write_text("of the", "utf-8")

    assert matches(tmp_path, "<a>high tide</a>", '"the high tide of"', stop=str(tmp_path / "stop.txt")) == ["/a[1]"]


def test_inline_tags_hand_their_text_to_the_nearest_element_that_is_not(tmp_path):
    document = "<a><p>the <b>s</b>ea</p><b>tide</b><p>x <b>y <i>tide</i></b></p></a>"
    profile = 'inline = ["b", "i"]'

    assert matches(tmp_path, document, "sea tide", profile=profile) == ["/a[1]", "/a[1]/p[1]", "/a[1]/p[2]"]


def test_without_a_profile_no_element_is_inline(tmp_path):
    document = "<a><p>the <b>s</b>ea</p><b>tide</b><p>x <b>y <i>tide</i></b></p></a>"

    assert matches(tmp_path, document, "sea tide") == ["/a[1]/b[1]", "/a[1]/p[2]/b[1]/i[1]"]


def test_left_out_tags_do_not_match(tmp_path):
    document = "<a><note>sea <p>sea</p></note><p>sea</p></a>"

    assert matches(tmp_path, document, "sea", profile='skip = ["note"]') == ["/a[1]/p[1]"]
