"""Titles and what is mostly titles are not answers, unless they are asked for, or all that there is."""

from __future__ import annotations

import pytest

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.ranking.trace import Reason
from engine.settings import Settings
from tests.engine.small_index import answers_to, index_of

TEXT = "The colony was watched from a hide for eleven weeks, and every nest had a number on a small post. " * 3
PAPER = (
    "<article><front><article-meta><title-group><article-title>Diet of herons</article-title></title-group>"
    "<abstract><p>Fish.</p></abstract></article-meta></front><body>"
    f"<sec><title>Diet of herons in winter</title><p>{TEXT} The diet was mostly eels.</p></sec>"
    f"<sec><title>Nests</title><p>{TEXT}</p></sec></body></article>"
)
NAMES = (
    "<article><front><article-meta><title-group><article-title>Heronries</article-title></title-group></article-meta>"
    "</front></article>"
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("titles"), {"paper": PAPER, "names": NAMES}, profile="jats")


def paths(index: IndexReader, query: str, **options: object) -> list[str]:
    given = {"overlap": "keep", "min_words": 0, "min_leaf_words": 0, "min_passage_words": 0, **options}
    return answers_to(index, query, **given).paths


def test_neither_titles_nor_front_matter_are_answers(index):
    found = paths(index, "diet herons")
    assert "/article[1]/body[1]/sec[1]" in found
    assert not [path for path in found if "title" in path or "front" in path]


def test_the_section_of_an_exact_title_is_an_answer_and_its_title_is_none(index):
    assert set(paths(index, "nests")) == {"/article[1]", "/article[1]/body[1]", "/article[1]/body[1]/sec[2]"}


@pytest.mark.parametrize("asked", [{"answers": "//title"}, {"inside": "//title"}])
def test_titles_that_are_asked_for_are_answers(asked, index):
    assert paths(index, "diet herons", **asked) == ["/article[1]/body[1]/sec[1]/title[1]"]


def test_a_path_query_may_have_titles_as_its_target(index):
    assert paths(index, "//title[about(., herons)]") == ["/article[1]/body[1]/sec[1]/title[1]"]


def test_passages_are_no_titles_unless_only_titles_have_the_words(index):
    assert set(paths(index, "diet", passages=True, whole_weight=0)) == {"/article[1]/body[1]/sec[1]/p[1]"}
    assert paths(index, "nests", passages=True, whole_weight=0) == ["/article[1]/body[1]/sec[2]/title[1]"]
    assert not [path for path in paths(index, "nests", passages=True) if "title" in path]


def test_a_document_of_titles_alone_has_them_as_answers(index):
    title = "/article[1]/front[1]/article-meta[1]/title-group[1]/article-title[1]"
    assert title in paths(index, "heronries")
    assert paths(index, "heronries", passages=True, whole_weight=0) == [title]


def test_titles_of_cited_works_are_no_answers_though_they_are_a_third_of_an_article(tmp_path):
    cited = "<ref><mixed-citation>Roe. <article-title>Herons that eat many eels in a cold winter</article-title>. 1957."
    references = f"<back><ref-list>{30 * f'{cited}</mixed-citation></ref>'}</ref-list></back>"
    text = f"<body><p>The herons had no eels to eat in winter, so they left the mole.</p><p>{8 * TEXT}</p></body>"
    with index_of(tmp_path, {"a": f"<article><front/>{text}{references}</article>"}, profile="jats") as index:
        found = paths(index, "herons eels winter")
        assert set(found) == {"/article[1]", "/article[1]/body[1]", "/article[1]/body[1]/p[1]"}


def test_a_short_one_of_several_like_elements_is_an_answer_to_its_title(tmp_path):
    things = ("Oak cradle", "Eel fork", "Tin lantern with a horn pane")
    tray = "".join(f"<thing><title>{thing}</title><p>Kept since 1902.</p></thing>" for thing in things)
    head = "<head><title>Eel fork</title><p>By Aud.</p></head>"
    documents = {"d": f"<tray>{head}{tray}<p>{TEXT}</p></tray>", "e": f"<tray><p>{TEXT}</p></tray>"}
    (tmp_path / "own.toml").write_text('titles = ["title"]\n')
    index = index_of(tmp_path, documents, profile=str(tmp_path / "own.toml"))

    assert [paths(index, thing, overlap="remove")[0] for thing in things] == [f"/tray[1]/thing[{n}]" for n in (1, 2, 3)]
    assert paths(index, "eel fork lantern", overlap="remove") == ["/tray[1]"]
    assert not [path for path in paths(index, "eel fork") if "head" in path or "title" in path]


@pytest.mark.parametrize("passages", [False, True])
def test_an_explanation_names_the_reason(passages, index):
    settings = Settings.from_options(passages=passages, min_leaf_words=0)
    outcome = explain(index, "diet herons", "paper", "/article[1]/body[1]/sec[1]/title[1]", settings).outcome
    assert outcome.reason is Reason.MOSTLY_TITLES
    assert "in titles" in outcome.description


@pytest.mark.parametrize(("profile", "entry"), [("dita", "dlentry"), ("html", "")])
def test_the_terms_of_definitions_are_no_titles_beside_their_text(profile, entry, tmp_path):
    of_entry = f"<{entry}>{{}}</{entry}>" if entry else "{}"
    entries = "".join(
        of_entry.format(f"<dt>keeper {number}</dt><dd>Has the lamp of tower {number}.</dd>") for number in range(15)
    )
    body = f"<section><p>{TEXT}</p></section><section><dl>{entries}</dl></section>"
    root = "topic" if profile == "dita" else "html"
    with index_of(tmp_path, {"d": f"<{root}><body>{body}</body></{root}>"}, profile=profile) as reader:
        best = answers_to(reader, "which keeper has the lamp of tower 7")[0]

        assert "section[2]" in best.path
