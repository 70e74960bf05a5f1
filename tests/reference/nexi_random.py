"""Small random collections with attributes and numbers, path queries, and settings to ask them with."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.query.nexi.tree import About, And, Comparison, Condition, Nexi, Not, Or, Phrase, RelativePath, Step, Word
from tests.reference.heuristics import NAMES
from tests.reference.random_texts import texts

INLINE = ("it",)
SKIP = ("note",)
ATTRIBUTES = ("kind", "no", "id")
CLASSES = {"ss1": "sec", "ip": "p"}
STOP_WORDS = ("of",)
PROFILE = """inline = ["it"]
skip = ["note"]
attributes = ["kind", "no"]
[classes]
sec = ["ss1"]
p = ["ip"]
"""

TAGS = ("sec", "ss1", "p", "p", "ip", "yr", "note", "it")
WORDS = ("sea", "sea", "tide", "lamp", "1998")

_texts = texts(
    [*WORDS, *WORDS, "öl", "of", "2003", " ", ", ", "<!--sea-->", "&amp;"], min_size=1, max_size=4, between=" "
)
_tight_texts = texts([*WORDS, " ", "-"], max_size=3)
_attributes = st.sampled_from(
    [
        *("", "", "", ' kind="sea lamp"', ' kind="tide"', ' no="1998"', ' alt="x no=" kind="1998"'),
        *(" no='7' kind='a &quot;sea&quot; &lt;'", ' id="sea" kind="öl of lamp"', ' xml:kind="lamp" no="-3.5"'),
    ]
)
_leaves = st.builds("<{0}{1}>{2}</{0}>".format, st.sampled_from(TAGS), _attributes, st.one_of(_texts, _tight_texts))
_elements = st.recursive(
    _leaves,
    lambda inner: st.builds(
        "<{0}{1}>{2}{3}</{0}>".format,
        st.sampled_from(["sec", "sec", *TAGS]),
        _attributes,
        _texts,
        st.lists(st.builds("{}{}".format, inner, _texts), min_size=1, max_size=4).map("".join),
    ),
    max_leaves=8,
)
articles = st.builds(
    "<{0}{1}>{2}{3}</{0}>".format,
    st.sampled_from(["article", "article", "article", "sec"]),
    _attributes,
    _texts,
    st.lists(_elements, min_size=1, max_size=4).map("".join),
)
collections = st.dictionaries(st.sampled_from("abcdefg"), articles, min_size=2, max_size=5)

# --- queries

_names = st.sampled_from(
    [
        *((), (), (), ("article",), ("sec",), ("sec",), ("p",), ("ss1",), ("yr",), ("it",)),
        *(("sec", "p"), ("ip", "yr", "sec")),
    ]
)
_axes = st.sampled_from(["//", "//", "//", "//", "/"])
_attribute_steps = st.builds(Step, _axes, st.sampled_from([("kind",), ("no",), ("id",)]), st.just(True))
_plain_steps = st.builds(Step, _axes, _names)


def _paths(*, attributes: bool) -> st.SearchStrategy[RelativePath]:
    here: list[Step] = []
    steps = st.one_of(st.just(here), st.lists(_plain_steps, max_size=2))
    ends = st.one_of(st.just(here), st.just(here), _attribute_steps.map(lambda step: [step]))
    return st.builds(lambda above, end: RelativePath((*above, *end)), steps, ends if attributes else st.just(here))


_words = st.sampled_from(["sea", "sea", "tide", "tide", "Lamp", "Lamp", "1998", "öl", "of", "unknown", "sea-tide"])
_signs = st.sampled_from(["", "", "", "", "", "", "+", "-"])
_terms = st.lists(
    st.one_of(
        st.builds(Word, _words, _signs), st.builds(Phrase, st.lists(_words, min_size=1, max_size=3).map(tuple), _signs)
    ),
    min_size=1,
    max_size=3,
).map(tuple)
_numbers = st.sampled_from([1998.0, 2003.0, 2000.0, 7.0, -3.5])
_strings = st.sampled_from(["sea lamp", "tide", "1998", "sea", ""])
_operators = st.sampled_from(["=", "!=", "<", ">", "<=", ">="])


def abouts(*, attributes: bool = True) -> st.SearchStrategy[Condition]:
    """about() alone."""
    return st.builds(About, _paths(attributes=attributes), _terms)


def only_abouts() -> st.SearchStrategy[Condition]:
    """about() of elements, joined by and/or alone."""
    return _joined(abouts(attributes=False))


def _joined(conditions: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    parts = st.lists(conditions, min_size=2, max_size=3).map(tuple)
    return st.one_of(conditions, conditions, st.builds(And, parts), st.builds(Or, parts))


_comparisons = st.builds(Comparison, _paths(attributes=True), _operators, st.one_of(_numbers, _strings))
_simple = st.one_of(abouts(), abouts(), _comparisons)
conditions = st.one_of(_joined(_simple), _joined(st.one_of(_simple, st.builds(Not, _joined(_simple)))))


def steps(condition: st.SearchStrategy[Condition] = conditions) -> st.SearchStrategy[Step]:
    """A step with no condition, one, or two."""
    none: tuple[Condition, ...] = ()
    one, some = condition.map(lambda only: (only,)), st.lists(condition, max_size=2).map(tuple)
    return st.builds(Step, _axes, _names, st.just(False), st.one_of(st.just(none), one, one, some))


@st.composite
def queries(draw: st.DrawFn) -> Nexi:
    """A path query of one to three steps; the last may lead to an attribute."""
    n_steps = draw(st.sampled_from([1, 1, 2, 2, 3]))
    found = [draw(steps()) for _ in range(n_steps)]
    if draw(st.sampled_from([*[False] * 9, True])):
        found.append(draw(_attribute_steps))
    return Nexi(tuple(found))


# --- settings


@st.composite
def settings(draw: st.DrawFn, reading: str) -> dict[str, Any]:
    """Settings that go with a reading, under the names that the engine and the reference share."""
    kinds = ["oCRE", "nCRE", "matching", *(["target"] * 4 if reading in ("SS", "SV") else [])]
    return {
        "reading": reading,
        "answers": draw(st.sampled_from(kinds)),
        "tags": draw(st.sampled_from(["exact", "exact", "classes"])),
        "approach": draw(st.sampled_from(["hybrid", "hybrid", "native"])),
        "similarity": "pcosine",
        "operator": draw(st.sampled_from(["or", "or", "or", "and"])),
        "max_matches": draw(st.sampled_from([None, None, None, 1, 3])),
        "heuristic": draw(st.sampled_from(NAMES)),
        "max_per_article": draw(st.sampled_from([None, None, None, 1])),
        "max_articles": draw(st.sampled_from([500, 500, 2])),
        "max_answers": draw(st.sampled_from([1500, 1500, 3])),
        "overlap": draw(st.sampled_from(["keep", "keep", "remove"])),
    }


@st.composite
def asked(draw: st.DrawFn) -> list[tuple[Nexi, dict[str, Any]]]:
    """75 queries with settings: a few steps alone and one below the other, each read in all four ways."""
    some = draw(st.lists(steps(), min_size=3, max_size=3))
    attribute = draw(_attribute_steps)
    paths = [
        *((step,) for step in some),
        *((above, below) for above in some for below in some),
        *((step, attribute) for step in some[:2]),
        tuple(some),
    ]
    under = [draw(settings(reading)) for reading in ("SS", "SS", "SV", "VS", "VV")]
    return [(Nexi(path), chosen) for path in paths for chosen in under]
