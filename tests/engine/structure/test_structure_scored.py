"""Strict targets where elements are scored: the score orders them, the structure alone chooses them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.engine.structure.test_structure_reference import PROFILED, lacks_words
from tests.reference import nexi_random
from tests.reference.nexi_random import PROFILE, STOP_WORDS
from tests.trust.soak import effort

ARTICLE = """<article><sec><st>lamp</st><p>the <it>old</it> lamp</p><p>sea<note>lamp <it>oil</it></note></p></sec>
    <sec><it>sea</it><p>tide</p></sec></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scored")
    (folder / "made.toml").write_text('inline = ["it"]\nskip = ["note"]\n')
    return index_of(folder, {"a": ARTICLE}, profile=str(folder / "made.toml"))


def found(index: IndexReader, query: str, **settings: object) -> set[tuple[str, str]]:
    settings = {"rank_by": "score", "overlap": "keep", **settings}
    return {(answer.document, answer.path) for answer in answers_to(index, query, **settings)}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("//it", ["sec[1]/p[1]/it[1]", "sec[1]/p[2]/note[1]/it[1]", "sec[2]/it[1]"]),
        ("//sec[about(., tide)]/it", ["sec[2]/it[1]"]),
        ("//p[about(., old)]//(it|st)", ["sec[1]/p[1]/it[1]"]),
        (
            "//sec[about(./st, lamp)]//(it|note)",
            ["sec[1]/p[1]/it[1]", "sec[1]/p[2]/note[1]", "sec[1]/p[2]/note[1]/it[1]"],
        ),
        ('//it[. = "sea"]', ["sec[2]/it[1]"]),
    ],
)
def test_inline_elements_and_those_that_are_left_out_are_targets_like_others(index, query, expected):
    assert found(index, query) == {("a", f"/article[1]/{path}") for path in expected}


def test_an_inline_target_has_the_score_of_its_context(index):
    explained = explain(index, "//sec[about(., tide)]/it", "a", "/article[1]/sec[2]/it[1]", Settings.from_options())

    assert explained.element is not None
    own, around, article = explained.element.details
    assert (own.facts["path"], own.value) == ("/article[1]/sec[2]/it[1]", 0)  # its word is its section's
    assert around.facts["path"] == "/article[1]/sec[2]"
    assert explained.score == pytest.approx(around.value + article.value, rel=1e-12)
    assert explained.outcome.rank == 1


ASKED = st.lists(st.tuples(nexi_random.queries(), st.sampled_from(["SS", "SV"])), min_size=8, max_size=16)


@hypothesis_settings(max_examples=effort(2, 2000, thorough=32), deadline=None)
@given(nexi_random.collections, ASKED, st.sampled_from(["exact", "classes"]))
@pytest.mark.long
def test_a_score_takes_no_target_away_and_adds_none(sources, asked, tags):
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for query, reading in asked:
            if not lacks_words(query, reading, PROFILED):
                by_structure = found(index, str(query), reading=reading, rank_by="structure", tags=tags)
                assert found(index, str(query), reading=reading, tags=tags) == by_structure, str(query)
