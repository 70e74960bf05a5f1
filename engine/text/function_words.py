"""Function words: words such as `the` or `what`, which carry the grammar of a question and not its subject.

A word is one in a collection if it is in the list of a language that the collection is written in. Which these are is
counted, not assumed: the commonest words of a language occur in most documents written in it.
`engine.query.query_terms` drops them from queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.text.alternative_terms import EITHER
from engine.text.analyser import Analyser
from engine.text.languages import NONE, all_language_names, common_words, language_codes, stop_words

# Commonest words of a language that are counted.
N_COUNTED = 10
# A language is used in a collection if it is in this share of the documents, and of those of the commonest language.
LEAST_SHARE, LEAST_OF_COMMONEST = 0.05, 0.2
# Function words that a question has of its language, and how many times as many as of any other one.
LEAST_IN_QUESTION, LEAD = 3, 1.5


def used_languages(
    names: Sequence[str], n_documents: int, document_frequencies: Callable[[Sequence[str]], Sequence[int]]
) -> tuple[str, ...]:
    """Return the languages of a collection, from the frequencies of the commonest words of each.

    Of these, three quarters must be in enough documents: in a collection of another language many of them occur as
    names, letters, or words of that language (`a`, `do`, `se`).

    Args:
        names: of the languages that come into question.
        document_frequencies: takes words, returns the number of documents that contain each.
    """
    frequencies = {name: _lower_quartile(document_frequencies(counted_words(name))) for name in names}
    commonest = max(frequencies.values(), default=0)
    least = max(LEAST_SHARE * n_documents, LEAST_OF_COMMONEST * commonest, 1)
    return tuple(name for name, frequency in frequencies.items() if frequency >= least)


def _lower_quartile(frequencies: Sequence[int]) -> int:
    return sorted(frequencies)[len(frequencies) // 4]


def counted_words(language: str) -> Sequence[str]:
    """Return the commonest words of a language, by which it is recognised in a collection."""
    return common_words(language)[:N_COUNTED]


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language, case-folded: those it is recognised by, and Whoosh's stop words.

    >>> sorted(function_words("english") & {"the", "what", "sea"})
    ['the', 'what']
    """
    of_whoosh = (stop_words(code) for code in language_codes(language))
    return frozenset(common_words(language)).union(*(map(str.casefold, words) for words in of_whoosh))


def function_words_in(
    analyser: Analyser, n_documents: int, document_frequencies: Callable[[Sequence[str]], NDArray[np.int64]]
) -> frozenset[str]:
    """Return the function words of the languages of a collection, unstemmed.

    Args:
        document_frequencies: takes terms, returns the number of documents that contain each.
    """

    def frequencies(words: Sequence[str]) -> list[int]:
        alternatives = analyser.known_words.terms(set(words))
        terms = [EITHER.join(alternatives[word]) for word in words]
        known = list(dict.fromkeys(term for term in terms if term))
        found = dict(zip(known, document_frequencies(known).tolist(), strict=True))
        return [found.get(term, 0) for term in terms]

    known = [name for name in analyser.languages if name != NONE] if analyser.is_multilingual else all_language_names()
    counted = list(dict.fromkeys(word for name in known for word in counted_words(name)))
    frequency = dict(zip(counted, frequencies(counted), strict=True))
    languages = used_languages(known, n_documents, lambda words: [frequency[word] for word in words])
    return analyser.folded_words(word for name in languages for word in function_words(name))


def function_words_of(question: str, analyser: Analyser) -> frozenset[str]:
    """Return the function words of the language of a question, unstemmed; none where it does not show one.

    Collections of names and titles alone show no language, but are asked in one.
    """
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", question)}
    if len(words) < LEAST_IN_QUESTION:
        return frozenset()
    counted = sorted((len(words & function_words(name)), name) for name in all_language_names())
    (second, _), (most, name) = counted[-2:]
    if most < max(LEAST_IN_QUESTION, LEAD * second):
        return frozenset()
    return analyser.folded_words(function_words(name))
