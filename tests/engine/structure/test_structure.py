"""Path queries over a few articles, worked out by hand."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from engine.answers.topic_run import run_topics
from engine.errors import QueryError, SettingsError
from engine.explain.explain import explain
from engine.index.locator import element_paths
from engine.index.texts.element_texts import element_texts
from engine.query.nexi.parser import parse_nexi
from engine.settings import Settings
from engine.settings.tasks import named_settings, task_settings
from engine.structure.predicates import predicates_met
from engine.topics import read_topics
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, index_of

ARTICLES = {
    "a": """<article><fm><yr>1998</yr><au><snm>Ekman</snm></au></fm><bdy>
        <sec><st>lamp</st><p>the sea</p><ss1><p>a lamp by the sea</p></ss1></sec>
        <sec kind="notes  on  lamps"><st>tide</st><p>tide tables</p><p>fog</p></sec></bdy></article>""",
    "b": """<article><fm><yr> 2004 </yr></fm><bdy>
        <sec kind="table"><p>sea</p></sec><sec><p>lamp oil</p></sec></bdy></article>""",
    "c": "<article><fm><yr>May 2004</yr></fm><bdy><sec><p>oil</p></sec></bdy></article>",
}
PROFILE = 'attributes = ["kind"]\n[classes]\nsec = ["ss1"]\n'


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("structure")
    profile = folder / "made.toml"
    profile.write_text(PROFILE)
    return index_of(folder, ARTICLES, profile=str(profile))


def found(index, query, **settings):
    """Answers as `a bdy/sec[1]`, grouped by article, in document order."""
    settings = {"heuristic": "document", "approach": "native", **settings}
    paths = [f"{answer.document} {answer.path}" for answer in answers_to(index, query, **by_structure(**settings))]
    return [path.replace("/article[1]/", "").replace("/article[1]", "/").replace("bdy[1]/", "") for path in paths]


# --- the readings

LAMPS = "//article[about(., tide)]//sec[about(., lamp)]"


def test_the_four_readings_of_one_query(index):
    # strict target, strict support: sections about lamps in the article that is about tides
    assert found(index, LAMPS, reading="SS") == ["a sec[1]"]
    # strict target: sections with lamp or tide, in any article
    assert found(index, LAMPS, reading="SV") == ["a sec[1]", "a sec[2]", "b sec[2]"]
    # strict support: what the words lead to, in the article that is about tides; all its matches lie in bdy
    assert found(index, LAMPS, reading="VS", answers="matching") == [
        *["a sec[1]/st[1]", "a sec[1]/ss1[1]/p[1]", "a sec[2]/st[1]", "a sec[2]/p[1]"]
    ]
    # all vague: the words
    assert (
        found(index, LAMPS, reading="VV")
        == found(index, "tide lamp")
        == ["a bdy[1]", "a sec[1]", "a sec[2]", "b sec[2]/p[1]"]
    )


def test_a_path_query_is_read_ss_by_default(index):
    answers = answers_to(index, LAMPS, **by_structure())

    assert answers.interpretation == answers.settings.reading == "SS"
    assert answers.settings.answers == "target"
    assert answers_to(index, "tide", **by_structure()).settings.answers == "oCRE"


def test_answers_of_a_strict_target_are_target_elements_only(index):
    assert found(index, "//article//(st|ss1)[about(., lamp)]") == ["a sec[1]/st[1]", "a sec[1]/ss1[1]"]
    assert found(index, "//ss1[about(., lamp sea oil)]", reading="SV") == ["a sec[1]/ss1[1]"]


def test_without_a_condition_of_the_target_all_targets_below_the_support_are_answers_those_with_terms_first(index):
    query = "//article[about(., fog)]//p"
    ranked = [answer.path for answer in answers_to(index, query, **by_structure(heuristic="TPF"))]

    assert len(ranked) == 4
    assert ranked[0] == "/article[1]/bdy[1]/sec[2]/p[2]"
    # the others hold no term: by T all are 0, then the longer path, then document order
    assert ranked[1:] == [f"/article[1]/bdy[1]/sec[{end}" for end in ("1]/ss1[1]/p[1]", "1]/p[1]", "2]/p[1]")]
    assert found(index, query)[-1] == "a sec[2]/p[2]"  # unless document order is asked for


def test_cres_of_a_strict_target_lie_in_targets(index):
    # matches of `sea lamp`: st, p and ss1/p of the first section; its CREs are sec[1] (twice)
    query = "//article//sec[about(., sea lamp)]"
    assert found(index, query, answers="matching")[:3] == ["a sec[1]/st[1]", "a sec[1]/p[1]", "a sec[1]/ss1[1]/p[1]"]
    assert found(index, query, answers="oCRE") == ["a sec[1]"]  # in b the LCA is bdy, above both sections
    assert found(index, query, answers="nCRE") == ["a sec[1]", "a sec[1]/ss1[1]/p[1]", "b sec[1]/p[1]", "b sec[2]/p[1]"]


def test_runs_with_structure_differ_between_ocre_and_ncre(index):
    query = "//article//sec[about(., sea lamp)]"
    old, new = (
        [(answer.document, answer.path) for answer in answers_to(index, query, **named_settings(name))]
        for name in ("oCRE-+S-PTF", "nCRE-+S-PTF")
    )

    assert set(old) < set(new)


# --- paths


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("/article[about(., fog)]", ["a /"]),
        ("/sec[about(., fog)]", []),  # the root is not a sec
        ("//article/sec[about(., sea)]", []),  # a child, not a descendant
        ("//article/bdy/sec[about(., sea)]", ["a sec[1]", "b sec[1]"]),
        ("//sec//*[about(., fog)]", ["a sec[2]/p[2]"]),  # properly below
        ("//*[about(., fog)]", ["a /", "a bdy[1]", "a sec[2]", "a sec[2]/p[2]"]),
        ("//sec[about(.//p, lamp)]", ["a sec[1]", "b sec[2]"]),
        ("//sec[about(./p, lamp)]", ["b sec[2]"]),
        ("//sec[about(./*/p, lamp)]", ["a sec[1]"]),
        ("//x:sec[about(., fog)]", ["a sec[2]"]),  # local names are compared
        ("//SEC[about(., fog)]", []),
        ("//sec[about(., lamp) or about(., fog)]", ["a sec[1]", "a sec[2]", "b sec[2]"]),
        ("//sec[about(., lamp) and about(., sea)]", ["a sec[1]"]),
        ("//sec[about(., lamp)][about(., sea)]", ["a sec[1]"]),
        ("//sec[about(., lamp sea) and not(about(., the))]", ["b sec[1]", "b sec[2]"]),
        ("//sec[not(about(., lamp)) and about(., sea)]", ["b sec[1]"]),
        ('//p[about(., "the sea")]', ["a sec[1]/p[1]", "a sec[1]/ss1[1]/p[1]"]),
        ('//p[about(., "tables sea")]', []),
        ("//p[about(., sea -lamp)]", ["a sec[1]/p[1]", "b sec[1]/p[1]"]),
        ("//p[about(., +fog sea)]", ["a sec[1]/p[1]", "a sec[1]/ss1[1]/p[1]", "a sec[2]/p[2]"]),  # + is the article's
    ],
)
def test_strict_paths(index, query, expected):
    assert found(index, query) == expected


def test_all_terms_of_an_about_are_needed_where_matches_hold_all(index):
    assert found(index, "//sec[about(., lamp sea)]", operator="or") == ["a sec[1]", "b sec[1]", "b sec[2]"]
    assert found(index, "//sec[about(., lamp sea)]", operator="and") == ["a sec[1]"]


def test_classes_of_tags_are_used_on_request(index):
    query = "//sec[about(., lamp)]"

    assert found(index, query) == ["a sec[1]", "b sec[2]"]
    assert found(index, query, tags="classes") == ["a sec[1]", "a sec[1]/ss1[1]", "b sec[2]"]
    assert found(index, "//ss1[about(., fog)]", tags="classes") == ["a sec[2]"]


# --- values


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (".//yr > 1998", ["b"]),
        (".//yr >= 1998", ["a", "b"]),
        (".//yr = 2004", ["b"]),
        (".//yr < 2000.5", ["a"]),
        (".//yr != 1998", ["b", "c"]),  # a text that is not a number differs from every number
        ('.//yr = "2004"', ["b"]),
        ('.//yr = "May 2004"', ["c"]),
        ('./fm/yr < "2"', ["a"]),  # strings compare by code point: 1998, not 2004, not May
        ('.//snm = "ekman"', []),
        (".//@kind != 5", ["a", "b"]),
        ('.//@kind = "notes on lamps"', ["a"]),
        ('./@kind = "table"', []),
        ('.//sec/@kind = "table"', ["b"]),
        ('.//@other = "table"', []),
        ("not(.//yr = 1998)", ["b", "c"]),
    ],
)
def test_comparisons(index, condition, expected):
    assert found(index, f"//article[{condition}]") == [f"{name} /" for name in expected]
    with_words = found(index, f"//article[{condition}]//sec[about(., lamp tide oil)]")
    assert sorted({answer[0] for answer in with_words}) == expected


def test_texts_that_are_kept_and_texts_that_are_too_long_to_be_compare_alike(tmp_path):
    blank = " " * 5000
    years = {"long": f"<a><y>{blank}2001</y><y>1999</y></a>", "short": "<a><y>2001</y><y/><y>2001</y></a>"}
    opened = index_of(tmp_path, {**years, "none": "<a><y>MMI</y></a>"})

    for _ in range(2):  # the second time, the texts of two documents are known
        assert found(opened, "//y[. > 2000]") == ["long /a[1]/y[1]", "short /a[1]/y[1]", "short /a[1]/y[3]"]
        assert found(opened, "//a[.//y < 2000]") == ["long /a[1]"]
        assert found(opened, '//y[. = ""]') == ["short /a[1]/y[2]"]


def test_words_are_looked_for_in_attributes(index):
    assert found(index, "//sec[about(./@kind, lamps table) or about(., tide)]") == ["a sec[2]", "b sec[1]"]
    assert found(index, "//sec[about(.//@kind, table) and about(., sea)]") == ["b sec[1]"]
    assert found(index, '//sec[about(., tide) and about(./@kind, "notes lamps")]') == []


def test_words_of_attributes_are_no_words_of_the_text_where_structure_counts(index):
    notes = "//sec[about(./@kind, +notes) and about(., tide sea)]"

    assert found(index, "//sec[about(./@kind, notes)]") == ["a sec[2]"]  # no text holds the word
    assert found(index, notes) == ["a sec[2]"]
    assert found(index, notes, reading="SV") == ["a sec[1]", "a sec[2]", "b sec[1]"]
    assert found(index, notes, reading="VS") == found(index, "tide sea")
    assert found(index, notes, reading="VV") == found(index, "+notes tide sea") == []
    assert [str(term) for term in answers_to(index, notes).query.terms] == ["tide", "sea"]


@pytest.mark.parametrize("reading", ["SV", "VS"])
@pytest.mark.parametrize("condition", ["about(./@kind, table)", "about(., -sea)", "not(about(., sea))"])
def test_readings_that_look_for_words_need_one_to_look_for(index, reading, condition):
    with pytest.raises(QueryError, match=r"no about.. with words to search the text for"):
        answers_to(index, f"//sec[{condition}]", reading=reading)


def test_what_the_path_leads_to_without_a_word_comes_after_the_articles_that_hold_one(index):
    query = "//article[about(., fog) or .//yr > 2000]"

    assert [answer.document for answer in answers_to(index, query, **by_structure())] == [
        "a",
        "b",
    ]  # c is of no year that is a number
    assert found(index, query) == ["a /", "b /"]
    assert found(index, "//article[about(., +fog) or .//yr > 2000]") == ["a /", "b /"]
    assert answers_to(index, "//sec[about(., fog)]", **by_structure()).ranked.documents.tolist() == [
        0
    ]  # nowhere else can it hold


def test_a_required_word_under_an_or_is_required_for_its_alternative_alone(index):
    assert found(index, "//article[about(., +fog oil)]") == ["a /"]
    assert found(index, "//article[about(., +fog oil) or .//yr > 2010]") == ["a /"]  # b and c hold oil, but no fog
    assert found(index, "//article[about(., +fog) or about(., +oil)]") == ["a /", "b /", "c /"]
    assert found(index, "//article[about(., +fog) and about(., +oil)]") == []
    assert found(index, "//article[not(about(., +fog oil))]") == ["b /", "c /"]
    either = "//article[about(., +fog) or about(., +oil)]//p"
    assert found(index, either, reading="VV") == found(index, "+fog +oil") == []
    assert found(index, either, reading="SV") == ["a sec[2]/p[2]", "b sec[2]/p[1]", "c sec[1]/p[1]"]


def test_where_nothing_ranks_elements_they_are_in_document_order(index):
    paths = [
        f"{answer.document} {answer.path}" for answer in answers_to(index, "//bdy/sec", **by_structure(heuristic="MpE"))
    ]

    assert paths == [
        *("a /article[1]/bdy[1]/sec[1]", "a /article[1]/bdy[1]/sec[2]"),
        *("b /article[1]/bdy[1]/sec[1]", "b /article[1]/bdy[1]/sec[2]", "c /article[1]/bdy[1]/sec[1]"),
    ]
    settings = Settings.from_options(**by_structure(heuristic="MpE"))
    assert explain(index, "//bdy/sec", "b", "/article[1]/bdy[1]/sec[2]", settings).outcome.rank == 4


def test_a_path_to_an_attribute_answers_with_the_elements_that_have_it(index):
    assert found(index, "//article[about(., sea)]//@kind") == ["a sec[2]", "b sec[1]"]
    assert found(index, "//article[about(., sea)]//sec[about(., sea)]/@kind") == ["b sec[1]"]


# --- queries that a reading cannot take


def test_a_strict_reading_needs_no_words(index):
    assert found(index, "//article//ss1") == ["a sec[1]/ss1[1]"]
    for reading in ("CO", "SV", "VS", "VV"):
        with pytest.raises(
            QueryError, match=f"no about.. with words to search the text for, which the reading {reading}"
        ):
            answers_to(index, "//article//ss1", reading=reading)


@pytest.mark.parametrize("reading", ["SS", "SV", "VS"])
def test_words_have_no_structure_to_read(index, reading):
    with pytest.raises(QueryError, match=f"reading {reading} needs a path query"):
        answers_to(index, "sea", reading=reading)


def test_settings_that_exclude_one_another(index):
    with pytest.raises(SettingsError, match="fulltext ranks whole articles"):
        answers_to(index, "//sec[about(., sea)]", reading="SS", approach="fulltext")
    with pytest.raises(SettingsError, match="only SS and SV have a strict target"):
        answers_to(index, "//sec[about(., sea)]", reading="VV", answers="target")
    with pytest.raises(QueryError, match="needs a path query"):
        answers_to(index, "sea", answers="target")


# --- tasks


def test_whole_articles_are_ranked_by_the_words_of_a_path_query(index):
    by_path = answers_to(index, LAMPS, **named_settings("Zettair"))
    by_words = answers_to(index, "tide lamp", **named_settings("Zettair"))

    assert [answer.path for answer in by_path] == ["/article[1]"] * 2
    assert by_path.rsv.tolist() == by_words.rsv.tolist()
    assert by_path.interpretation == "VV"


@pytest.mark.parametrize("query", ["sea lamp", "//sec[about(., sea lamp)]"])
def test_in_context_answers_do_not_overlap_and_there_is_one_an_article_unless_more_are_asked_for(index, query):
    grouped = answers_to(index, query, **{**task_settings("RelevantInContext"), "max_per_article": 3})
    best = answers_to(index, query, **task_settings("BestInContext"))

    for answers in (grouped, best):
        documents = answers.documents.tolist()
        assert documents == sorted(documents, key=documents.index)  # an article's answers stand together
    ends = index.elements.end(grouped.elements)
    inside = (grouped.elements[:, None] > grouped.elements) & (grouped.elements[:, None] < ends)
    assert not inside.any()
    assert len(grouped) > len(best)
    assert len(set(best.documents.tolist())) == len(best) == 2


def test_the_best_entry_is_where_the_leaf_with_most_terms_begins(index):
    by_leaves = {**task_settings("BestInContext"), "rank_by": "structure", "passages": "off", "answers": "matching"}
    answers = answers_to(index, "sea lamp", **{**by_leaves, "heuristic": "TPF"})
    by_document = {answer.document: answer.path for answer in answers}

    assert by_document["a"] == "/article[1]/bdy[1]/sec[1]/ss1[1]/p[1]"  # it holds both
    replaced = answers_to(index, "sea lamp", **{**by_leaves, "heuristic": "document"})
    assert {answer.document: answer.path for answer in replaced}["a"] == "/article[1]/bdy[1]/sec[1]/st[1]"


def test_focussed_removes_overlap_from_strict_answers(index):
    query = "//*[about(., fog)]"

    assert len(answers_to(index, query, **task_settings("COS.Thorough"))) == 4
    assert len(answers_to(index, query, **task_settings("COS.Focussed"))) == 1


def test_matches_cut_the_targets_where_these_are_the_answers(index):
    assert found(index, "//p[about(., sea lamp)]", max_matches=3) == [
        "a sec[1]/p[1]",
        "a sec[1]/ss1[1]/p[1]",
        "b sec[1]/p[1]",
    ]


# --- runs


def test_a_run_over_topics_of_several_kinds_says_how_each_was_read(index, tmp_path):
    file = tmp_path / "topics.txt"
    file.write_text("7\ttide lamp\n8\t//sec[about(., lamp)]\n9\tsea\n", "utf-8")
    topics = read_topics(file).topics

    def described(topics, **settings):
        run, problems = run_topics(index, topics, Settings.from_options(**by_structure(**settings)), run_id="r")
        assert problems == []
        return run.description, run.settings["reading"]

    assert described(topics) == ("foxir over 3 documents; topics read CO: 7 9, SS: 8", "auto")
    assert described(topics[:1]) == ("foxir over 3 documents; every topic read CO", "auto")
    assert described(topics[1:2], reading="SV") == ("foxir over 3 documents", "SV")


# --- explanations


def test_every_part_of_a_path_query_says_what_meets_it(index):
    query = "//article[about(., tide) and .//yr > 2000.5]//sec[about(., lamp)]//p"
    answers = answers_to(index, query, **by_structure(reading="VS"))
    row_of = {path: row for row, path in enumerate(_paths(index))}
    asked = np.array([row_of["a", "/article[1]/bdy[1]/sec[1]/p[1]"], row_of["b", "/article[1]/bdy[1]/sec[2]/p[1]"]])

    parts = predicates_met(index, answers.query, answers.settings, asked)

    root = [row_of["a", "/article[1]"], row_of["b", "/article[1]"]]
    sections = [row_of["a", "/article[1]/bdy[1]/sec[1]"], row_of["b", "/article[1]/bdy[1]/sec[2]"]]
    support = "//article[about(., tide) and .//yr > 2000.5]"
    assert [(part.step, part.text, part.is_target, part.met_by.tolist()) for part in parts] == [
        (1, support, False, [-1, -1]),
        (1, "about(., tide) and .//yr > 2000.5", False, [-1, -1]),
        (1, "about(., tide)", False, [root[0], -1]),
        (1, ".//yr > 2000.5", False, [-1, root[1]]),
        (2, f"{support}//sec[about(., lamp)]", False, [-1, -1]),
        (2, "about(., lamp)", False, sections),
        (3, f"{support}//sec[about(., lamp)]//p", True, [-1, -1]),
    ]
    assert [part.in_article.tolist() for part in parts] == [[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [1, 1], [0, 0]]
    assert predicates_met(index, answers_to(index, "sea", **by_structure()).query, answers.settings, asked) == []


def _paths(index):
    rows = np.arange(int(index.elements.row_base[-1]))
    names = [index.ids[document] for document in index.elements.document(rows).tolist()]
    return list(zip(names, element_paths(index, rows), strict=True))


def test_the_tree_of_a_query_goes_with_it(index):
    assert answers_to(index, LAMPS, **by_structure()).query.path == parse_nexi(LAMPS)
    assert Settings.from_options(reading="SV").to_dict()["answers"] == "target"


def test_texts_of_nested_elements_are_read_bit_by_bit(tmp_path):
    """The text of each contains those below: together they are many times as long as the document."""
    index = index_of(tmp_path, {"d": f"{'<s>' * 300}{'sea ' * 10_000}<n>7</n>{'</s>' * 300}"})
    rows = np.arange(301)

    tracemalloc.start()
    lengths = [len(text) for text in element_texts(index, rows)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lengths == [40_001] * 300 + [1]
    assert most < 4_000_000  # read at once, they take 12 MB
    assert [answer.path.count("/") for answer in answers_to(index, "//s[.//n = 7]", overlap="keep")] == [*range(1, 301)]
