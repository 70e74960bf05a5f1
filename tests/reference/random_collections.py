"""Small random collections, queries and settings for comparisons of searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.reference.heuristics import NAMES
from tests.reference.random_texts import texts

INLINE = ("it", "b")
SKIP = ("note",)
PROFILE = 'inline = ["it", "b"]\nskip = ["note"]\ntitles = []\nattributes = []\n'
STOP_WORDS = ("of",)

BLOCKS = ("sec", "p", "ss1", "note")
WORDS = ("sea", "tide", "lamp", "Tide", "öl", "of")

# no blank between two pieces makes one word of them, across an inline tag too
_texts = texts([*WORDS, " ", " ", ". ", "-", "<!--x-->", "<?x y?>"], max_size=6)
_elements = st.recursive(
    st.builds("<{0}>{1}</{0}>".format, st.sampled_from([*BLOCKS, *INLINE]), _texts),
    lambda inner: st.builds(
        "<{0}>{1}{2}</{0}>".format,
        st.sampled_from([*BLOCKS, *BLOCKS, *INLINE]),
        _texts,
        st.lists(st.builds("{}{}".format, inner, _texts), min_size=1, max_size=4).map("".join),
    ),
    max_leaves=10,
)
articles = st.builds(
    "<{0}>{1}{2}</{0}>".format,
    st.sampled_from(["article", "article", "it"]),  # a root is never inline
    _texts,
    st.lists(_elements, max_size=4).map("".join),
)
_ids = st.sampled_from(["a", "b", "B", "c/a", "c", "d10", "d9", "é"])
collections = st.dictionaries(_ids, articles, min_size=1, max_size=6)

_query_words = st.sampled_from(["sea", "tide", "TIDE", "lamp", "of", "öl", "seatide", "unknown", "sea-lamp"])
_query_terms = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "", "+", "-"]),
    st.one_of(
        _query_words,
        _query_words,
        st.lists(_query_words, min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
    ),
)
queries = st.lists(_query_terms, min_size=1, max_size=4).map(" ".join)

_parameters: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "pcosine": st.fixed_dictionaries(
        {},
        optional={
            "s": st.sampled_from([0.0, 0.5, 1.0]),
            "length": st.sampled_from(["weight", "tokens"]),
            "weight_bits": st.sampled_from([0, 7]),
            "query_norm": st.booleans(),
        },
    ),
    "okapi": st.fixed_dictionaries(
        {},
        optional={
            "k1": st.sampled_from([0.5, 1.95]),
            "b": st.sampled_from([0.0, 0.35, 1.0]),
            "k3": st.sampled_from([0.0, 7.0]),
        },
    ),
    "dirichlet": st.fixed_dictionaries(
        {}, optional={"mu": st.sampled_from([1.0, 14200.0]), "background": st.sampled_from(["collection", "documents"])}
    ),
}


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings under the names that the engine and the reference share; every one is named."""
    similarity = draw(st.sampled_from(sorted(_parameters)))
    drawn = {
        "approach": draw(st.sampled_from(["hybrid", "hybrid", "fulltext", "native"])),
        "similarity": similarity,
        "operator": draw(st.sampled_from(["or", "or", "and"])),
        "max_matches": draw(st.sampled_from([None, None, 1, 3])),
        "answers": draw(st.sampled_from(["oCRE", "nCRE", "matching"])),
        "heuristic": draw(st.sampled_from(NAMES)),
        "max_per_article": draw(st.sampled_from([None, None, 1, 2])),
        "max_articles": draw(st.sampled_from([500, 500, 1, 2])),
        "max_answers": draw(st.sampled_from([1500, 1500, 1, 4])),
        "overlap": draw(st.sampled_from(["keep", "remove"])),
    }
    drawn["rank_by"] = draw(st.sampled_from(["structure", "score"])) if drawn["approach"] == "fulltext" else "structure"
    return {**drawn, **draw(_parameters[similarity])}
