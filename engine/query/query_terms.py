"""The terms of a query: words and phrases as the analyser of the index makes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from engine.query.nexi.tree import Phrase, Sign, Term, Word
from engine.query_limits import check_time
from engine.records import dataclass
from engine.text.analyser import Analyser


@dataclass(frozen=True)
class QueryTerm:
    """One term of a query: an analysed word, or the words of a phrase with their positions.

    `places` are positions relative to the first word; a stop word inside a phrase leaves a gap. `uncounted` are the
    function words of a phrase: they must be in their places, but do not count where it is scored as its words.
    """

    words: tuple[str, ...]
    places: tuple[int, ...] = (0,)
    sign: Sign = ""
    uncounted: frozenset[str] = frozenset()

    @property
    def is_phrase(self) -> bool:
        """Whether the term is a phrase of at least two words."""
        return len(self.words) > 1

    def __str__(self) -> str:
        if not self.is_phrase:
            return self.words[0]
        word_at = dict(zip(self.places, self.words, strict=True))
        return f'"{" ".join(word_at.get(place, "*") for place in range(max(self.places) + 1))}"'


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
    terms = list(terms)
    typed = [term for term in terms if isinstance(term, Word)]
    plain = {term.text for term in typed if not term.sign}  # texts, as terms are slow to hash
    in_capitals = {word.text for word in words_in_capitals(typed, function_words) if not word.sign}
    others = {text for text in plain if text not in in_capitals and not analyser.is_identifier(text)}
    kept = {term.text for term in typed if term.sign} | (plain - others)
    words_of_kept = _words_of(kept, analyser, frozenset())
    words_of_others = _words_of(others, analyser, function_words)
    for term in terms:
        if isinstance(term, Word):
            text, sign = term.text, term.sign
            found = words_of_others[text] if not sign and text in others else words_of_kept[text]
            for word in found:
                if word is not None:
                    yield QueryTerm((word,), sign=sign)
        elif isinstance(term, Phrase):
            check_time()
            yield from _phrase(" ".join(term.words), term.sign, analyser, function_words)


def _words_of(
    texts: Collection[str], analyser: Analyser, function_words: frozenset[str]
) -> dict[str, list[str | None]]:
    return dict(zip(texts, analyser.terms_of_each(list(texts), function_words), strict=True))


def _phrase(text: str, sign: Sign, analyser: Analyser, function_words: frozenset[str]) -> Iterator[QueryTerm]:
    """Yield the term of a phrase; none if it consists of stop words."""
    found = [(place, word) for place, word in enumerate(analyser.terms(text)) if word is not None]
    if not found:
        return
    counted = {word for word in analyser.terms_of_each([text], function_words)[0] if word is not None}
    words = tuple(word for _, word in found)
    places = tuple(place - found[0][0] for place, _ in found)
    yield QueryTerm(words, places, sign, frozenset(words) - counted if counted else frozenset())


# Operators of other query languages, which people write in capitals.
OPERATORS = frozenset({"AND", "OR", "NOT"})
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
