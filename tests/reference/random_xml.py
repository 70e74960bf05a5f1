"""Random XML documents, profiles and analysers, for property tests.

The documents are small and hold what is hard to read: namespaces, attributes with `<` and `>`, comments and processing
instructions inside words, CDATA, entities that hold elements, characters that case folding lengthens.
"""

from __future__ import annotations

from hypothesis import strategies as st

from engine.collection.profiles.profile import Profile
from engine.text.analyser import Analyser

NAMES = ("a", "b", "p", "i", "sec", "n:b", "n:i", "é", "a.b", "B")
LOCAL_NAMES = ("a", "b", "p", "i", "sec", "é", "a.b", "B")
PROLOG = (
    '<!DOCTYPE any [\n<!ENTITY word "wi-Fi"><!ENTITY tree "x<b>y<i>z</i></b>w"><!ENTITY nest "&tree;&word;">'
    '<!ENTITY l "&#38;#60;">\n]>\n'
)
LETTERS = "aAbBzZ019ßİıſŉΣςéèǅﬁ𝒜𐐀½²٣語のあ"
SIGNS = " \n\t-'_/.,;:!?#%()[]{}*+=|~^`$@\u0301\u0307\u00a0\u0085\u200b\u2028\ufffd😀"
TEXTS = st.text(st.sampled_from(LETTERS + LETTERS + SIGNS), min_size=1, max_size=8)
ESCAPES = [
    *("&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "]]&gt;", "&amp;amp;", "&amp;#13;", "&#13;"),
    *("&#x1D49C;", "&#97;"),
]
SPELLINGS = [
    *("\r\n", "\r", "&#xd;\n", ">", '"', "wi-fi", "o'neil", "3.14", "the", "Studies", "running", "a--b", "&#1234;"),
]
ENDS = ["End. ", "al. ", "No. ", "z.B. ", "No!\u201d ", ". (", "? ", "\u3002", "\u2026 ", "x. Y", "...\n "]
ENTITIES = ["&word;", "&tree;", "&nest;", "&l;"]
COMMENTS = ["<!---->", "<!-- a word, <b>, &und; -->", "<?pi?>", "<?pi a='>' <b> ?>"]
CDATA = ["<![CDATA[]]>", "<![CDATA[x]]>", "<![CDATA[a<b>&amp;c</b>]]>", "<![CDATA[]]]]><![CDATA[>]]>"]
PLAIN_ATTRIBUTES = ["", "", "", ' id="1"', ' xml:lang="en"', " x = '1'\n", ' xmlns:m="urn:m?a=1&amp;b=2"']
NASTY_ATTRIBUTES = [
    *(" id='>'", ' break="no"', ' break="maybe"', " x='\"' y=\"'\"", ' x="&lt;b>&amp;&quot;/"', ' x="/"'),
    *(' n:x="&#9;&#10;&#13;"', ' x="é𝒜&word;"'),
]
ATTRIBUTES = st.sampled_from(PLAIN_ATTRIBUTES) | st.sampled_from(NASTY_ATTRIBUTES)
NAMESPACES = st.sampled_from([' xmlns:n="urn:n"', ' xmlns="urn:d" xmlns:n="urn:n"', ' xmlns:n="urn:n" xmlns:o="urn:n"'])
ENCODINGS = st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"])


def _element(name: str, attributes: str, children: list[str]) -> str:
    inside = "".join(children)
    return f"<{name}{attributes}>{inside}</{name}>" if inside else f"<{name}{attributes}/>"


def contents() -> st.SearchStrategy[str]:
    """What may stand inside a root: text, elements and everything else."""
    leaves = st.one_of(TEXTS, TEXTS, *map(st.sampled_from, (ESCAPES, SPELLINGS, ENDS, ENTITIES, COMMENTS, CDATA)))
    return st.recursive(
        leaves,
        lambda inner: st.builds(_element, st.sampled_from(NAMES), ATTRIBUTES, st.lists(inner, max_size=4)),
        max_leaves=12,
    )


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """The bytes of a well-formed document."""
    name = draw(st.sampled_from(NAMES))
    root = _element(name, draw(NAMESPACES), draw(st.lists(contents(), max_size=5)))
    after = draw(st.sampled_from(["", "\n", "<!-- end -->", "<?pi end?>\n"]))
    return (PROLOG + root + after).encode(draw(ENCODINGS))


def profiles() -> st.SearchStrategy[Profile]:
    """Profiles in which any tag may be inline, a break, or left out."""
    roles = st.tuples(*(st.sampled_from(["", "", "inline", "break", "skip"]) for _ in LOCAL_NAMES))
    return roles.map(
        lambda chosen: Profile(
            "made",
            inline=frozenset(
                name for name, role in zip(LOCAL_NAMES, chosen, strict=True) if role in ("inline", "break")
            ),
            breaks=frozenset(name for name, role in zip(LOCAL_NAMES, chosen, strict=True) if role == "break"),
            skip=frozenset(name for name, role in zip(LOCAL_NAMES, chosen, strict=True) if role == "skip"),
        )
    )


def analysers() -> st.SearchStrategy[Analyser]:
    """Analysers of every kind; the stop words are words that the documents hold."""
    return st.builds(
        Analyser,
        name=st.sampled_from(["default", "zettair"]),
        stem=st.sampled_from(["none", "none", "light", "english"]),
        stop_words=st.sampled_from([frozenset(), frozenset({"the", "a", "x", "fi"})]),
    )
