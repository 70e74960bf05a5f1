"""A query as the engine answers it: analysed words and phrases, each wanted, required or unwanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.analysis import Analyser
from engine.errors import QueryError
from engine.nexi import Nexi, Phrase, Reference, Term, Word, is_nexi, parse_co, parse_nexi


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
    """What is asked: the text as it was typed, its terms in that order, and how its structure is read.

    reading: CO, SS, SV, VS or VV; path: the tree of a path query, whose terms are those of its about() parts, None for
    words.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    reading: str = "CO"
    path: Nexi | None = None

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


def parse_query(text: str, analyser: Analyser, reading: str = "CO") -> Query:
    """Return the query that a text stands for under a reading.

    A text that begins with a slash is a path query (NEXI); any other is words, `"phrases"`, `+required` and `-unwanted`
    terms, which have no structure to read.
    Raises: QueryError for a text that cannot be read, or has no words though the reading looks for them.
    """
    if not is_nexi(text):
        return Query(text, tuple(analyse(parse_co(text), analyser)), "CO")
    path = parse_nexi(text)
    terms = [term for about in path.abouts() for term in about.terms]
    if not terms and reading != "SS":
        raise QueryError(
            f"the query has no about() with words, and the reading {reading} looks for words: add [about(., words)], "
            "or read it SS."
        )
    return Query(text, tuple(analyse(terms, analyser)), reading, path)


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
