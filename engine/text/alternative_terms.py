"""Query words that match any of several index terms, or what is made of terms: their notation, and what matches one.

    häuser|haus     one term or the other
    \u8336*             every term that begins so: a single letter of a script without spaces
    len=lens        the term, where the text has this form of it
    fog signal~5    a phrase of terms, with `*` in the place of a stop word; with up to five other words, in any order

The last two are composed: an index has no postings of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.records import NamedTuple

# Separates alternatives, such as a word and its stem in an index of several languages: häuser|haus.
EITHER = "|"
# Ends a prefix, which matches every term that starts with it: a single letter of a script without spaces.
ANY_END = "*"
# Between a term and one of its forms.
FORM = "="
# Between the terms of a phrase; before the number of other words that may be among them.
THEN, WITHIN = " ", "~"
GAP = "*"


class ComposedTerm(NamedTuple):
    """What a composed term is made of: the terms of a phrase in their places, perhaps in certain forms, or one term.

    form: of the term, None for any. slop: further words among those of the phrase, None for words in their places.
    """

    words: tuple[str, ...]
    places: tuple[int, ...] = (0,)
    slop: int | None = None
    form: str | None = None


def stands_for_several(word: str) -> bool:
    """Return whether a word of a query stands for several terms, or for a composed one."""
    return EITHER in word or word.endswith(ANY_END) or is_composed(word)


def is_composed(word: str) -> bool:
    """Return whether one of the alternatives of a word is composed."""
    return FORM in word or THEN in word


def composed(part: str) -> ComposedTerm | None:
    """Return what an alternative is made of, None for a term of the index.

    >>> composed("fog * signal~5")
    ComposedTerm(words=('fog', 'signal'), places=(0, 2), slop=5, form=None)
    """
    if THEN not in part:
        term, is_form, form = part.partition(FORM)
        return ComposedTerm((term,), form=form) if is_form else None
    phrase, is_near, slop = part.partition(WITHIN)
    found = [(place, word) for place, word in enumerate(phrase.split(THEN)) if word != GAP]
    words, places = tuple(word for _, word in found), tuple(place for place, _ in found)
    return ComposedTerm(words, places, int(slop) if is_near else None)


def with_form(word: str, form: str) -> str:
    """Return the notation of a word, with all its alternatives, in one form."""
    return EITHER.join(f"{term}{FORM}{form}" for term in word.split(EITHER))


def as_phrase(words: Mapping[int, str], slop: int | None = None) -> str:
    """Return the notation of a phrase of terms by place, from 0."""
    text = THEN.join(words.get(place, GAP) for place in range(max(words) + 1))
    return text if slop is None else f"{text}{WITHIN}{slop}"


def simple_terms(word: str) -> list[str]:
    """Return the terms of the index that a word is made of, the beginnings of terms, `\u8336*`, among them."""
    found: dict[str, None] = {}
    for part in word.split(EITHER):
        made_of = composed(part)
        words = (part,) if made_of is None else made_of.words
        found.update(dict.fromkeys(word.partition(FORM)[0] for word in words))
    return list(found)


def term_matches(word: str, terms: Collection[str], form: str = "") -> bool:
    """Return whether one of the terms of a word of a text, or its form, matches a word of a query.

    >>> term_matches("haus|häuser", {"haus"}), term_matches("\u8336*", {"\u8336\u9053"}), term_matches("haus", {"hau"})
    (True, True, False)
    >>> term_matches("len=lens", {"len"}, "lens"), term_matches("len=lens", {"len"}, "len")
    (True, False)
    """
    for wanted in word.split(EITHER):
        if FORM in wanted:
            term, _, wanted_form = wanted.partition(FORM)
            if term in terms and form == wanted_form:
                return True
        elif wanted.endswith(ANY_END):
            if any(term.startswith(wanted[:-1]) for term in terms):
                return True
        elif wanted in terms:
            return True
    return False
