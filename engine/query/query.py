"""A parsed query: analysed words and phrases, each wanted, required or unwanted, and the path if there is one.

Words that have a stem in common count as one word.

In an index of several languages a word of a query means its stems in all of them, `contracting|contract`. Without
this, `contract` beside it would count the same occurrences again, as another word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from engine.errors import QueryError, QueryLimitError
from engine.notices import Notice
from engine.query.keyword_notices import keyword_notices
from engine.query.nexi.example_images import ImageReference, image_references, without_images
from engine.query.nexi.terms import all_expanded, parse_co, parse_plain
from engine.query.nexi.tree import (
    About,
    And,
    Condition,
    Fuzzy,
    Nexi,
    Or,
    Pattern,
    Reference,
    Step,
    Term,
    Word,
    with_terms,
)
from engine.query.path_or_words import is_path_or_mistake, why_words
from engine.query.query_terms import QueryTerm, analyse
from engine.records import dataclass
from engine.settings.choices import CONTENT_ONLY, STRICT_SUPPORT, STRICT_TARGET, Syntax
from engine.text.alternative_terms import EITHER
from engine.text.analyser import Analyser
from engine.threads import cached_property

# Longest query, in characters.
MAX_LENGTH = 1_000_000
# Characters of the longest queries whose parsed form is cached, and how many of them: many short ones, a few long ones.
CACHED = ((2_000, 1_024), (100_000, 4))
# Words of a question, at least: all words of a shorter query are wanted.
FEWEST_OF_QUESTION = 4

# What a reference to an image ends with.
_FILE = re.compile(r"\.\w+$")


class WordlessPathError(QueryError):
    """A path query without words, under a reading that searches for words."""


@dataclass(frozen=True)
class Query:
    """A query: its text as typed, its terms in the same order, and how its structure is interpreted.

    reading: CO, SS, SV, VS or VV.
    path: the tree of a path query without example images; None for a keyword query.
    terms: for a path query, those of its about() conditions. Under SS, SV and VS, terms matched in attributes are
        excluded, and terms under an `or` are not required.
    target_terms: under SS, the terms of the last step, which every answer is about; else empty.
    notices: signs that are read as text, hints where it looks like another query language, the words for which patterns
        stand, names that are no fields.
    function_words: words that are not terms, see `analyse`.
    whole: of a keyword query that may be a title, without unwanted terms: all words in their order, None for a stop
        word.
    expansions: patterns and misspelt words as they are typed, with the words for which each stands.
    image_references: example images, `src:...`. path_with_images, path_without_images: the tree of a path
        query with all of them, and with none; `path` has those that count.
    lists_documents: whether it has no words, and asks for all documents of its scope.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    reading: str = "CO"
    path: Nexi | None = None
    target_terms: tuple[QueryTerm, ...] = ()
    notices: tuple[Notice, ...] = ()
    function_words: frozenset[str] = field(default=frozenset(), repr=False)
    expansions: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    image_references: tuple[ImageReference, ...] = ()
    path_with_images: Nexi | None = field(default=None, repr=False)
    path_without_images: Nexi | None = field(default=None, repr=False)
    lists_documents: bool = field(default=False, repr=False)

    @property
    def may_be_question(self) -> bool:
        """Whether it is a text in natural language: keywords, and so many that not each of them is wanted."""
        return self.path is None and round(sum(min(n, 1) for n in self.word_counts.values())) >= FEWEST_OF_QUESTION

    @property
    def has_structure(self) -> bool:
        """Whether it is a path query whose structure counts: not one that is read CO or VV."""
        return self.path is not None and self.reading not in CONTENT_ONLY

    @property
    def has_strict_target(self) -> bool:
        """Whether answers must be targets of the path, or inside one (SS, SV)."""
        return self.reading in STRICT_TARGET

    @property
    def has_strict_support(self) -> bool:
        """Whether the elements that support an answer must be as the path says (SS, VS)."""
        return self.reading in STRICT_SUPPORT

    @property
    def is_strict(self) -> bool:
        """Whether targets and support are strict (SS)."""
        return self.has_strict_target and self.has_strict_support

    @cached_property
    def wanted(self) -> tuple[QueryTerm, ...]:
        """The distinct terms that raise scores, including the required ones."""
        return tuple({(t.words, t.places, t.slop): t for t in self.terms if t.sign != "-"}.values())

    @cached_property
    def required(self) -> tuple[QueryTerm, ...]:
        """The distinct terms that the article of an answer must contain."""
        return tuple(dict.fromkeys(term for term in self.terms if term.sign == "+"))

    @cached_property
    def unwanted(self) -> tuple[QueryTerm, ...]:
        """The distinct terms that no match may contain in its own text."""
        return tuple(dict.fromkeys(term for term in self.terms if term.sign == "-"))

    @cached_property
    def word_counts(self) -> Mapping[str, float]:
        """f_qt: the frequency of each word in the query, sorted by word; a phrase counts as its words that count.

        Below 1 it is the share of a word.
        """
        counts = self._counts(lambda term: [word for word in term.words if word not in term.uncounted])
        return {word: counts[word] for word in sorted(counts)}

    @cached_property
    def term_counts(self) -> Mapping[str, float]:
        """The frequency of each term in the query, unwanted ones left out; phrases are terms."""
        return self._counts(lambda term: [str(term)])

    def _counts(self, names: Callable[[QueryTerm], Iterable[str]]) -> Mapping[str, float]:
        """Return how often each name occurs; a share counts once."""
        wanted = [term for term in self.terms if term.sign != "-"]
        counts = Counter(name for term in wanted if term.share == 1 for name in names(term))
        shares: dict[str, float] = {}
        for term in dict.fromkeys(term for term in wanted if term.share < 1):
            for name in names(term):
                shares[name] = min(shares.get(name, 0.0) + term.share, 1.0)
        return {**shares, **counts}

    @cached_property
    def may_match_without_terms(self) -> bool:
        """Whether articles without any wanted term may contain answers: under SS, the path alone may be satisfied."""
        if self.lists_documents:
            return True
        if self.path is None or not self.is_strict or self.required:
            return False
        return not any(_requires_text_term(condition) for step in self.path.steps for condition in step.conditions)


# Of words, patterns and misspelt words without signs, the words for which each stands.
StandsFor = tuple[tuple[Word | Pattern | Fuzzy, tuple[str, ...]], ...]
Parse = Callable[[str, Analyser, str, Syntax, frozenset[str], StandsFor], Query]


def is_path_query(text: str, syntax: Syntax = "auto") -> bool:
    """Return whether a text is read as a path query; under the syntax `auto`, `path_or_words` decides."""
    return syntax == "path" or (syntax == "auto" and is_path_or_mistake(text))


def parse_query(
    text: str,
    analyser: Analyser,
    reading: str = "CO",
    syntax: Syntax = "auto",
    function_words: frozenset[str] = frozenset(),
    stands_for: StandsFor = (),
) -> Query:
    """Parse a path query (NEXI) or keywords.

    A path query (NEXI) is parsed strictly. Any other text is a keyword query, for which the reading is CO, and which
    is not refused: words, `"phrases"`, `+required` and `-unwanted` terms; under the syntax `plain`, words alone.

    Args:
        function_words: words that are dropped, see `analyse`. stands_for: words in place of others (`expanded`).
    Raises: QueryLimitError for a text longer than any query; QueryError if the text is blank, or a path query that
        cannot be parsed, or has no terms although the reading needs some.
    """
    if len(text) > MAX_LENGTH:
        raise QueryLimitError(f"the query has {len(text):,} characters: at most {MAX_LENGTH:,} are read.")
    return _parsed(text, analyser, reading, syntax, function_words, stands_for)


def cached_by_length(parse: Parse) -> Parse:
    """Return the function with a cache of its queries, as runs repeat the same ones under many settings."""
    caches = tuple((longest, lru_cache(most)(parse)) for longest, most in CACHED)

    def cached(text: str, *how: Any) -> Query:
        *_, stands_for = how
        for longest, cache in () if stands_for else caches:
            if len(text) <= longest:
                return cache(text, *how)
        return parse(text, *how)

    return cached


@cached_by_length
def _parsed(
    text: str, analyser: Analyser, reading: str, syntax: Syntax, function_words: frozenset[str], stands_for: StandsFor
) -> Query:
    if not text.strip():
        raise QueryError("the query is empty: write some words, such as fog signal.")
    if not is_path_query(text, syntax):
        return _keywords(text, analyser, syntax, function_words, stands_for)
    from engine.query.nexi.parser import parse_nexi  # noqa: PLC0415  (most queries are words)

    with_images = parse_nexi(text)
    if stands_for:
        with_images = with_terms(with_images, partial(all_expanded, stands_for=dict(stands_for).get))
    path, images = without_images(with_images), tuple(image_references(with_images))
    by_words_alone = reading in CONTENT_ONLY

    def terms_of(steps: Sequence[Step]) -> tuple[QueryTerm, ...]:
        found: list[QueryTerm] = []
        for about, must_hold in Nexi(tuple(steps)).abouts_and_necessity():
            if about.is_of_attribute and not by_words_alone:
                continue
            terms = analyse(about.terms, analyser, function_words)
            if not must_hold and not by_words_alone:
                terms = tuple(replace(term, sign="") if term.sign == "+" else term for term in terms)
            found += terms
        return tuple(found)

    *support, target = path.steps
    target_terms = terms_of([target])
    terms = terms_of(support) + target_terms
    query = Query(
        text,
        terms,
        reading,
        path,
        target_terms if reading == "SS" else (),
        function_words=function_words,
        image_references=images,
        path_with_images=with_images if images else None,
        path_without_images=path if images else None,
    )
    if reading != "SS" and not images and not (any(path.abouts()) if by_words_alone else query.wanted):
        raise WordlessPathError(
            f"the query has no about() with words to search the text for, which the reading {reading} needs: add "
            "[about(., words)], or use the reading SS."
        )
    return query


def typed_terms(text: str, syntax: Syntax) -> tuple[Term, ...]:
    """Return the terms of a query as they are typed, those of all about() of a path query; QueryError as `parse_query`.

    >>> typed_terms("//sec[not(about(., light*))]", "auto")
    (Pattern(text='light*', sign='', is_exact=False),)
    """
    if not is_path_query(text, syntax):
        return parse_plain(text) if syntax == "plain" else parse_co(text)
    from engine.query.nexi.parser import parse_nexi  # noqa: PLC0415  (most queries are words)

    return tuple(chain.from_iterable(about.terms for about in parse_nexi(text).all_abouts()))


def _keywords(
    text: str, analyser: Analyser, syntax: Syntax, function_words: frozenset[str], stands_for: StandsFor
) -> Query:
    """Return a keyword query; of nothing but references to no file, such as `src:eth0`, one of plain words."""
    is_plain = syntax == "plain"
    parsed = parse_plain(text) if is_plain else parse_co(text)
    if not is_plain and not any(map(_is_word_or_file, parsed)):
        parsed = parse_plain(text)
    why_no_path = why_words(text) if syntax == "auto" else None
    notices = () if is_plain else keyword_notices(text, parsed, why_no_path)
    if stands_for:
        parsed = all_expanded(parsed, dict(stands_for).get)
    references = (term for term in parsed if isinstance(term, Reference) and term.sign != "-")
    return Query(
        text,
        analyse(parsed, analyser, function_words),
        "CO",
        notices=notices,
        function_words=function_words,
        image_references=tuple(ImageReference(reference.source) for reference in references),
    )


def _is_word_or_file(term: Term) -> bool:
    """Return whether a term is a word, a phrase, or a reference to the name of a file."""
    return not isinstance(term, Reference) or _FILE.search(term.source) is not None


def _requires_text_term(condition: Condition) -> bool:
    """Return whether a condition can only be true if the text contains one of its terms."""
    match condition:
        case About():
            return not condition.is_of_attribute
        case And(parts):
            return any(map(_requires_text_term, parts))
        case Or(parts):
            return all(map(_requires_text_term, parts))
        case _:
            return False


def with_shared_stems(query: Query) -> Query:
    """Return the query with words that have an alternative in common, and the same sign, as the same term.

    Unwanted words and phrases stay as they are. The alternatives of a term are in the order in which they come first.
    """
    if query.path is not None or not any(EITHER in term.words[0] for term in query.terms):
        return query
    words_by_sign: dict[str, list[str]] = {}
    for term in query.terms:
        if term.sign != "-" and len(term.words) == 1:
            words_by_sign.setdefault(term.sign, []).append(term.words[0])
    united = {sign: _united(words) for sign, words in words_by_sign.items()}
    linked = frozenset(chain.from_iterable(united.values()))
    if not linked:
        return query
    terms = [_with_word(term, united) if term.words[0] in linked else term for term in query.terms]
    return replace(query, terms=tuple(terms))


@cached_by_length
def parse_with_shared_stems(
    text: str, analyser: Analyser, reading: str, syntax: Syntax, function_words: frozenset[str], stands_for: StandsFor
) -> Query:
    """Return the query of `parse_query`, with words that have a stem in common as the same term."""
    return with_shared_stems(parse_query(text, analyser, reading, syntax, function_words, stands_for))


def _with_word(term: QueryTerm, united: Mapping[str, Mapping[str, str]]) -> QueryTerm:
    word = united[term.sign].get(term.words[0]) if term.sign in united and len(term.words) == 1 else None
    return term if word is None or word == term.words[0] else replace(term, words=(word,))


def _united(words: Iterable[str]) -> dict[str, str]:
    """Return for each word that has an alternative in common with another one those of all that are linked to it."""
    stems_of = {word: word.split(EITHER) for word in words}
    n_words = Counter(chain.from_iterable(stems_of.values()))
    shared = {stem for stem, n in n_words.items() if n > 1}
    stems_of = {word: stems for word, stems in stems_of.items() if not shared.isdisjoint(stems)}
    group_of: dict[str, list[str]] = {}  # by alternative
    for word, stems in stems_of.items():
        linked = [group_of[stem] for stem in stems if stem in group_of]
        group = list(dict.fromkeys([member for group in linked for member in group] + [word])) if linked else [word]
        group_of.update({stem: group for member in group for stem in stems_of[member]})
    groups = {word: group_of[stems[0]] for word, stems in stems_of.items()}
    return {word: _joined(stems_of[member] for member in group) for word, group in groups.items()}


def _joined(stems: Iterable[Iterable[str]]) -> str:
    return EITHER.join(dict.fromkeys(chain.from_iterable(stems)))
