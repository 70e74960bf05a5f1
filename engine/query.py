"""A query as the engine answers it: analysed words and phrases, each wanted, required or unwanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.analysis import Analyser
from engine.nexi import Phrase, Reference, Term, Word, parse_co


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
        return f'"{" ".join(self.words)}"' if self.is_phrase else self.words[0]


@dataclass(frozen=True)
class Query:
    """What is asked: the text as it was typed, and its distinct terms in that order."""

    text: str
    terms: tuple[QueryTerm, ...]

    @cached_property
    def wanted(self) -> tuple[QueryTerm, ...]:
        """The terms that answers should hold, required ones among them, each once."""
        return tuple({(t.words, t.places): t for t in self.terms if t.sign != "-"}.values())

    @cached_property
    def required(self) -> tuple[QueryTerm, ...]:
        """The terms that every article of an answer holds."""
        return tuple(term for term in self.terms if term.sign == "+")

    @cached_property
    def unwanted(self) -> tuple[QueryTerm, ...]:
        """The terms that no matching element holds in its own text."""
        return tuple(term for term in self.terms if term.sign == "-")

    @cached_property
    def word_counts(self) -> Mapping[str, int]:
        """f_qt: how often each word is asked for, in the order of the words; a phrase is its words."""
        counts = Counter(word for term in self.terms if term.sign != "-" for word in term.words)
        return {word: counts[word] for word in sorted(counts)}


def parse_query(text: str, analyser: Analyser) -> Query:
    """Return the query that a line of words, `"phrases"`, `+required` and `-unwanted` terms stands for.

    Raises: QueryError for a quote that is not closed or a query without a word.
    """
    return Query(text, tuple(analyse(parse_co(text), analyser)))


def analyse(terms: Iterable[Term], analyser: Analyser) -> Iterable[QueryTerm]:
    """Yield the analysed terms; a word that the analyser splits gives several, a stop word none."""
    for term in terms:
        match term:
            case Word(text, sign):
                yield from (QueryTerm((word,), sign=sign) for word in analyser.terms(text) if word is not None)
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
