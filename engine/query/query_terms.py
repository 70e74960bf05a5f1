"""The terms of a query: words and phrases as the analyser of the index makes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, product

from engine.query.nexi.tree import Either, Fuzzy, Pattern, Phrase, Sign, Term, Word
from engine.query_limits import check_time
from engine.records import dataclass
from engine.text.alternative_terms import ANY_END, EITHER, as_phrase, with_form
from engine.text.analyser import Analyser
from engine.threads import cached_property


@dataclass(frozen=True)
class QueryTerm:
    """One term of a query: an analysed word, or the words of a phrase with their positions.

    `places` are positions relative to the first word; a stop word inside a phrase leaves a gap. `uncounted` are the
    function words of a phrase: they must be in their places, but do not count where it is scored as its words. `slop`:
    further words that may be among those of a phrase, which are then in any order; None in their places. `share`: below
    1 for one of several terms for which a word with weighted synonyms stands. `is_within`: whether another term finds
    all that it finds.
    """

    words: tuple[str, ...]
    places: tuple[int, ...] = (0,)
    sign: Sign = ""
    uncounted: frozenset[str] = frozenset()
    slop: int | None = None
    share: float = 1.0
    is_within: bool = False

    @cached_property
    def is_phrase(self) -> bool:
        """Whether the term is a phrase of at least two words."""
        return len(self.words) > 1

    def __str__(self) -> str:
        if not self.is_phrase:
            return self.words[0]
        word_at = dict(zip(self.places, self.words, strict=True))
        slop = "" if self.slop is None else f"~{self.slop}"
        return f'"{" ".join(word_at.get(place, "*") for place in range(max(self.places) + 1))}"{slop}'


def analyse(
    terms: tuple[Term, ...], analyser: Analyser, function_words: frozenset[str] = frozenset()
) -> tuple[QueryTerm, ...]:
    """Return the analysed terms; a word that the analyser splits gives several, a stop word gives none.

    Args:
        function_words: words, case-folded, that give no term either, unless they have a sign, are in an identifier
            (`in_array`) or stand out by their capitals (`vitamin A`), or no wanted term would remain; in a phrase
            beside other words they do not count.
    """
    without = tuple(_analysed(terms, analyser, function_words))
    if not function_words or any(term.sign != "-" for term in without):
        return without
    return tuple(_analysed(terms, analyser, frozenset()))


def _analysed(terms: Iterable[Term], analyser: Analyser, function_words: frozenset[str]) -> Iterator[QueryTerm]:
    terms = [Word(term.text, term.sign) if isinstance(term, Pattern | Fuzzy) else term for term in terms]
    terms = [_with_groups(term) if isinstance(term, Word) and not term.is_exact else term for term in terms]
    typed = [term for term in terms if isinstance(term, Word) and not term.is_exact]
    plain = {term.text for term in typed if not term.sign}  # texts, as terms are slow to hash
    in_capitals = {word.text for word in words_in_capitals(typed, function_words) if not word.sign}
    others = {text for text in plain if text not in in_capitals and not analyser.is_identifier(text)}
    kept = {term.text for term in typed if term.sign} | (plain - others)
    words_of_kept = _words_of(kept, analyser, frozenset())
    words_of_others = _words_of(others, analyser, function_words)
    either: dict[int, str] = {}  # by object, as equal terms of a query are one
    for term in terms:
        check_time()
        if isinstance(term, Either) or (isinstance(term, Word) and term.is_exact):
            if id(term) not in either:
                either[id(term)] = EITHER.join(dict.fromkeys(_alternatives(term, analyser)))
            if either[id(term)]:
                yield QueryTerm((either[id(term)],), sign=term.sign)
        elif isinstance(term, Word):
            text, sign = term.text, term.sign
            found = words_of_others[text] if not sign and text in others else words_of_kept[text]
            for word in found:
                if word is not None:
                    yield QueryTerm((word,), sign=sign)
        elif isinstance(term, Phrase):
            yield from _phrase(term, analyser, function_words)


# A number with its digits in groups, and one without; one of a year is in no groups.
_IN_GROUPS = re.compile(r"\W*([1-9]\d{0,2}(?:([,.'\u2019\u00a0\u202f\u2009])\d{3})(?:\2\d{3})*)\W*")
_IN_ONE = re.compile(r"\W*([1-9]\d{3,11})\W*")
_YEARS = range(1000, 2101)


def _with_groups(word: Word) -> Term:
    """Return a number as any of its spellings, `50000` and `50,000`; another word as it is.

    >>> str(_with_groups(Word("50000"))), str(_with_groups(Word("50,000", "+"))), str(_with_groups(Word("1914")))
    ('(50000 | 50,000)', '+(50000 | 50,000)', '1914')
    """
    found = _IN_GROUPS.fullmatch(word.text) or _IN_ONE.fullmatch(word.text) if not word.text.isalpha() else None
    if found is None or (found[1].isdecimal() and int(found[1]) in _YEARS):
        return word
    number = re.sub(r"\D", "", found[1])
    return Either((Word(number), Word(f"{int(number):,}")), word.sign)


# Phrases that a phrase of words with alternatives is, in one term.
MOST_PHRASES = 64
# Alternatives that are analysed together, between two looks at the clock.
AT_ONCE = 1000


def _alternatives(term: Either | Word, analyser: Analyser) -> Iterator[str]:
    """Yield the terms for which a group or an exact word stands; function words are terms, too."""
    parts = iter(term.parts if isinstance(term, Either) else (term,))
    while some := list(islice(parts, AT_ONCE)):
        check_time()
        texts = [" ".join(part.words) if isinstance(part, Phrase) else part.text for part in some]
        for part, found in zip(some, analyser.terms_of_each(texts), strict=True):
            if isinstance(part, Phrase):
                has_alternatives = any(EITHER in word for word in part.words)
                terms = _terms_in_phrase(part.words, analyser) if has_alternatives else found
                yield from _composed_phrase(terms, part.slop)
            elif isinstance(part, Word) and part.is_exact and analyser.has_stems:
                forms = zip(found, analyser.forms_of(part.text), strict=True)
                yield from _composed_phrase([_in_form(word, form) for word, form in forms], None)
            else:
                yield from _composed_phrase(found, None)


def _in_form(word: str | None, form: str | None) -> str | None:
    """Return a word in one form; a letter of a script without spaces has no forms."""
    return word if word is None or form is None or word.endswith(ANY_END) else with_form(word, form)


def _composed_phrase(words: Sequence[str | None], slop: int | None) -> Iterator[str]:
    """Yield the term of a word, or the phrases of the alternatives of each of several words."""
    found = {place: word for place, word in enumerate(words) if word is not None}
    if len(found) < 2:
        yield from (part for word in found.values() for part in word.split(EITHER))
        return
    first = min(found)
    parts = [word.split(EITHER) for word in found.values()]
    for chosen in islice(product(*parts), MOST_PHRASES):
        yield as_phrase({place - first: word for place, word in zip(found, chosen, strict=True)}, slop)


def _terms_in_phrase(words: Sequence[str], analyser: Analyser) -> list[str | None]:
    """Return the terms of a phrase in order, None for a stop word; those of alternatives, `a|b`, are joined."""
    if not any(EITHER in word for word in words):
        return analyser.terms(" ".join(words))
    found: list[str | None] = []
    for word in words:
        if EITHER not in word:
            found += analyser.terms(word)
            continue
        single = [terms[0] for terms in analyser.terms_of_each(word.split(EITHER)) if len(terms) == 1]
        known = dict.fromkeys(part for term in single if term is not None for part in term.split(EITHER))
        found.append(EITHER.join(known) or None)
    return found


def _words_of(
    texts: Collection[str], analyser: Analyser, function_words: frozenset[str]
) -> dict[str, list[str | None]]:
    return dict(zip(texts, analyser.terms_of_each(list(texts), function_words), strict=True))


def _phrase(phrase: Phrase, analyser: Analyser, function_words: frozenset[str]) -> Iterator[QueryTerm]:
    """Yield the term of a phrase; none if it consists of stop words."""
    text = " ".join(phrase.words)
    terms = _terms_in_phrase(phrase.words, analyser)
    found = [(place, word) for place, word in enumerate(terms) if word is not None]
    if not found:
        return
    counted = {word for word in analyser.terms_of_each([text], function_words)[0] if word is not None}
    counted.update(word for word in terms if word is not None and EITHER in word)
    words = tuple(word for _, word in found)
    places = tuple(place - found[0][0] for place, _ in found)
    uncounted = frozenset(words) - counted if counted else frozenset()
    yield QueryTerm(words, places, phrase.sign, uncounted, phrase.slop if len(words) > 1 else None)


# Operators of other query languages, which people write in capitals.
OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})
# The only word of a single letter that is always written in capitals.
PRONOUN = "I"


def words_in_capitals(words: Sequence[Word], function_words: Collection[str]) -> frozenset[Word]:
    """Return the words of a query that stand out by their capitals, so that each is a name and no function word.

    None if the whole query is in capitals, or if there are no function words. A single letter does not stand out at the
    beginning, and `I` only where it follows another name.

    Args:
        function_words: case-folded.
    """
    if not function_words or not any(character.islower() for word in words for character in word.text):
        return frozenset()
    found = set()
    for before, word in zip((None, *words), words, strict=False):
        if word.text.islower():
            continue
        letters = "".join(filter(str.isalpha, word.text))
        if not letters.isupper() or letters in OPERATORS:
            continue
        if len(letters) > 1 or (before is not None and (letters != PRONOUN or _is_name(before, function_words))):
            found.add(word)
    return frozenset(found)


def _is_name(word: Word, function_words: Collection[str]) -> bool:
    return word.text[:1].isupper() and word.text.casefold() not in function_words
