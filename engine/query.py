"""A query as the engine answers it: analysed words and phrases, each wanted, required or unwanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from engine.analysis import Analyser
from engine.errors import QueryError
from engine.nexi import (
    About,
    And,
    Condition,
    Nexi,
    Or,
    Phrase,
    Reference,
    Step,
    Term,
    Word,
    is_nexi,
    parse_co,
    parse_nexi,
    without_images,
)

LONGEST_KEPT = 2000
"""Characters of the longest queries that are kept once they are parsed."""


@dataclass(frozen=True)
class QueryTerm:
    """One term of a query: a word, or the words of a phrase in their places.

    `places` are positions from the first word on; a stop word inside a phrase leaves its place empty.
    """

    words: tuple[str, ...]
    places: tuple[int, ...] = (0,)
    sign: str = ""

    @property
    def is_phrase(self) -> bool:
        """Whether the words must stand beside one another."""
        return len(self.words) > 1

    def __str__(self) -> str:
        if not self.is_phrase:
            return self.words[0]
        word_at = dict(zip(self.places, self.words, strict=True))
        return f'"{" ".join(word_at.get(place, "*") for place in range(max(self.places) + 1))}"'


@dataclass(frozen=True)
class Query:
    """What is asked: the text as it was typed, its terms in that order, and how its structure is read.

    reading: CO, SS, SV, VS or VV; path: the tree of a path query without example images, None for words. The terms of a
    path query are those of its about() parts; where structure counts (SS, SV, VS), words that it looks for in
    attributes are none of them, and words under an `or` are not required.
    target_terms: those that every answer is asked about, of the last step of a path that is read SS.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    reading: str = "CO"
    path: Nexi | None = None
    target_terms: tuple[QueryTerm, ...] = ()

    @cached_property
    def wanted(self) -> tuple[QueryTerm, ...]:
        """The terms that answers should hold, required ones among them, each once."""
        return tuple({(t.words, t.places): t for t in self.terms if t.sign != "-"}.values())

    @cached_property
    def required(self) -> tuple[QueryTerm, ...]:
        """The terms that every article of an answer holds, each once."""
        return tuple(dict.fromkeys(term for term in self.terms if term.sign == "+"))

    @cached_property
    def unwanted(self) -> tuple[QueryTerm, ...]:
        """The terms that no matching element holds in its own text, each once."""
        return tuple(dict.fromkeys(term for term in self.terms if term.sign == "-"))

    @cached_property
    def word_counts(self) -> Mapping[str, int]:
        """f_qt: how often each word is asked for, in the order of the words; a phrase is its words."""
        counts = Counter(word for term in self.terms if term.sign != "-" for word in term.words)
        return {word: counts[word] for word in sorted(counts)}

    @cached_property
    def may_hold_without_words(self) -> bool:
        """Whether articles that hold no wanted word can answer, too: a path read SS may be met without any."""
        if self.path is None or self.reading != "SS" or self.required:
            return False
        return not any(_needs_word(condition) for step in self.path.steps for condition in step.conditions)


def parse_query(text: str, analyser: Analyser, reading: str = "CO") -> Query:
    """Return the query that a text stands for under a reading.

    A text that begins with a slash is a path query (NEXI); any other is words, `"phrases"`, `+required` and `-unwanted`
    terms, which have no structure to read.
    The same queries are asked again and again, by other settings, readings and tasks: those of usual length are kept.

    Raises: QueryError for a text that cannot be read, or has no words though the reading looks for them.
    """
    parse = _parsed_before if len(text) <= LONGEST_KEPT else _parsed
    return parse(text, analyser, reading)


def _parsed(text: str, analyser: Analyser, reading: str) -> Query:
    if not is_nexi(text):
        return Query(text, analyse(parse_co(text), analyser), "CO")
    path = without_images(parse_nexi(text))
    by_words_alone = reading in ("CO", "VV")

    def terms_of(steps: Sequence[Step]) -> tuple[QueryTerm, ...]:
        found: list[QueryTerm] = []
        for about, must_hold in Nexi(tuple(steps)).asked():
            if about.is_of_attribute and not by_words_alone:
                continue
            terms = analyse(about.terms, analyser)
            if not must_hold and not by_words_alone:
                terms = tuple(replace(term, sign="") if term.sign == "+" else term for term in terms)
            found += terms
        return tuple(found)

    *support, target = path.steps
    target_terms = terms_of([target])
    terms = terms_of(support) + target_terms
    query = Query(text, terms, reading, path, target_terms if reading == "SS" else ())
    if reading != "SS" and not (any(path.abouts()) if by_words_alone else query.wanted):
        raise QueryError(
            f"the query has no about() with words to look for in the text, and the reading {reading} needs one: add "
            "[about(., words)], or read it SS."
        )
    return query


_parsed_before = lru_cache(1024)(_parsed)


def _needs_word(condition: Condition) -> bool:
    """Return whether a condition can hold only where the text holds a word that it asks for."""
    match condition:
        case About():
            return not condition.is_of_attribute
        case And(parts):
            return any(map(_needs_word, parts))
        case Or(parts):
            return all(map(_needs_word, parts))
        case _:
            return False


@lru_cache(256)
def analyse(terms: tuple[Term, ...], analyser: Analyser) -> tuple[QueryTerm, ...]:
    """Return the analysed terms; a word that the analyser splits gives several, a stop word none."""
    return tuple(_analysed(terms, analyser))


def _analysed(terms: Iterable[Term], analyser: Analyser) -> Iterator[QueryTerm]:
    words_of = cache(analyser.terms)
    for term in terms:
        match term:
            case Word(text, sign):
                yield from (QueryTerm((word,), sign=sign) for word in words_of(text) if word is not None)
            case Phrase(words, sign):
                found = [
                    (place, word) for place, word in enumerate(analyser.terms(" ".join(words))) if word is not None
                ]
                if found:
                    first = found[0][0]
                    places = tuple(place - first for place, _ in found)
                    yield QueryTerm(tuple(word for _, word in found), places, sign)
            case Reference():
                continue  # an example image has no words
