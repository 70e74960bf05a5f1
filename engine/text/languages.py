"""The languages of texts: the values of xml:lang, recognition by function words, stemmers and stop words.

`languages.toml` has the codes and function words. A language is the name of its Snowball stemmer, or `none`: without a
stemmer, or unknown. For English there is a light stemmer, too. Stop words are Whoosh's lists, without importing
anything else of it, or a user's file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from threading import local
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, distinct, ranges
from engine.errors import SettingsError
from engine.records import NamedTuple
from engine.system.files import package_text
from engine.system.input_files import read_small_text

# fmt: off
Stemmer = Literal[
    "auto", "none", "light",
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]
# fmt: on
STEMMERS: tuple[str, ...] = get_args(Stemmer)
AUTO, NONE, LIGHT, *SNOWBALL = STEMMERS
_OF_THREAD = local()


@cache
def stemmer_of(name: str) -> Callable[[str], str]:
    """Return the function from a case-folded word to its stem; `auto` has none of its own."""
    return lru_cache(2**15)(lambda word: stems([word], name)[0])


def stems(words: Sequence[str], name: str) -> list[str]:
    """Return the stems of case-folded words; `auto` has none of its own.

    >>> stems(["houses", "running"], "english")
    ['hous', 'run']
    """
    if name == NONE:
        return list(words)
    if name == LIGHT:
        return list(map(light_stem, words))
    found: list[str] = _snowball(name).stemWords(words)
    return found


def light_stem(term: str) -> str:
    """Return the term without its plural s.

    Source: the S-stemmer of Harman, How effective is suffixing?, JASIS 42(1), 1991. The first rule whose suffix matches
    applies: -ies (not -eies, -aies) becomes -y, -es (not -aes, -ees, -oes) becomes -e, -s (not -us, -ss) is removed.
    """
    if len(term) < 4:
        return term
    if term.endswith("ies"):
        return term if term[-4] in "ea" else term[:-3] + "y"
    if term.endswith("es"):
        return term if term[-3] in "aeo" else term[:-1]
    if term.endswith("s"):
        return term if term[-2] in "us" else term[:-1]
    return term


def _snowball(language: str) -> Any:
    """Return this thread's stemmer of a language: it keeps the word that it works on, so threads cannot share one."""
    import snowballstemmer  # noqa: PLC0415  (needed only here)

    known: dict[str, Any] = _OF_THREAD.__dict__
    if language not in known:
        known[language] = snowballstemmer.stemmer(language)
        known[language].maxCacheSize = 0  # in C, its cache costs more than it saves: callers remember what they ask for
    return known[language]


Numbers = NDArray[np.int8]

# Values of xml:lang that leave the language open: none given, undetermined, several.
_OPEN = ("", "und", "mul")
# A function word counts UNIT, divided by the number of languages that have it, however often it occurs: letters and
# names that happen to be words of some language are repeated, but they are few. A text is in the language with the
# highest count if that is LEAD times the next one's, and one for every WORDS_PER_FUNCTION_WORD words of the text: LEAST
# at least, and ENOUGH for a text of any length.
UNIT, LEAST, WORDS_PER_FUNCTION_WORD, ENOUGH, LEAD = 2520, 1, 25, 5, 1.25


class _Languages(NamedTuple):
    """All known languages: those with a stemmer first, numbered from 1; 0 is `none`."""

    names: tuple[str, ...]
    n_stemmed: int  # `none` included
    by_code: Mapping[str, int]
    common_words: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, tuple[str, ...]]


class _Weights(NamedTuple):
    """The function words of all languages by their spellings, with the weight of each for each language."""

    spellings: Mapping[bytes, int]
    first: Rows  # of each function word its first pair of language and weight, then the number of pairs
    languages: Rows
    weights: Rows


@cache
def _languages() -> _Languages:
    known = tomllib.loads(package_text(__name__, "languages.toml"))
    stemmed = [name for name, entry in known.items() if entry.get("stemmer", True)]
    names = (NONE, *stemmed, *(name for name in known if name not in stemmed))
    by_code = {
        code: number
        for number, name in enumerate(names[1:], 1)
        for code in (name, *(code for code in known[name]["codes"]))
    }
    words = {name: tuple(entry["words"].split()) for name, entry in known.items()}
    codes = {name: tuple(entry["codes"]) for name, entry in known.items()}
    return _Languages(names, 1 + len(stemmed), by_code, words, codes)


def language_names() -> tuple[str, ...]:
    """Return `none` and the languages with a stemmer, by number."""
    known = _languages()
    return known.names[: known.n_stemmed]


def all_language_names() -> tuple[str, ...]:
    """Return the languages that can be recognised, those without a stemmer included."""
    return _languages().names[1:]


def language_codes(language: str) -> tuple[str, ...]:
    """Return the codes of a language; none of an unknown one.

    >>> language_codes("english")
    ('en', 'eng')
    """
    return _languages().codes.get(language, ())


def common_words(language: str) -> tuple[str, ...]:
    """Return frequent function words of a language, case-folded, the commonest first; none of an unknown one.

    >>> common_words("english")[:3]
    ('the', 'of', 'and')
    """
    return _languages().common_words.get(language, ())


@cache
def language_number(tag: str) -> int | None:
    """Return the number of the language that a value of xml:lang names: 0 without a stemmer, None if it is left open.

    >>> names = language_names()
    >>> names[language_number("de-AT")], names[language_number("ENG")], names[language_number("zh")]
    ('german', 'english', 'none')
    >>> language_number("") is None
    True
    """
    known = _languages()
    code = tag.strip().lower().replace("_", "-").partition("-")[0]
    if code in _OPEN:
        return None
    number = known.by_code.get(code, 0)
    return number if number < known.n_stemmed else 0


def recognised_languages(surfaces: Sequence[bytes], words: Rows, documents: Rows, n_documents: int) -> Numbers:
    """Return the number of each document's language, by its different function words; 0 if none is clearly ahead.

    Args:
        surfaces: distinct words, UTF-8. words: of each occurrence, the index of its surface.
        documents: of each occurrence, the document, ascending.
    """
    known, weights = _languages(), _weights()
    n_languages = len(known.names)
    function = np.fromiter(map(weights.spellings.get, surfaces, repeat(-1)), np.int64, len(surfaces))
    found = np.flatnonzero(function[words] >= 0) if len(function) else np.empty(0, np.int64)
    n_function_words = len(weights.first) - 1
    document, word = np.divmod(distinct(documents[found] * n_function_words + function[words[found]]), n_function_words)
    counts = np.diff(weights.first)[word]
    pairs = ranges(weights.first[word], counts)
    keys = np.repeat(document, counts) * n_languages + weights.languages[pairs]
    scores = np.bincount(keys, weights.weights[pairs], n_documents * n_languages).reshape(n_documents, n_languages)
    order = np.sort(scores, axis=1)
    highest, second = order[:, -1], order[:, -2]
    n_words = np.bincount(documents, minlength=n_documents)
    needed = np.clip(n_words / WORDS_PER_FUNCTION_WORD, LEAST, ENOUGH)
    is_clear = (highest >= needed * UNIT) & (highest >= LEAD * second)
    best = np.argmax(scores, axis=1)
    chosen: Numbers = np.where(is_clear & (best < known.n_stemmed), best, 0).astype(np.int8)
    return chosen


@cache
def _weights() -> _Weights:
    known = _languages()
    languages_of: dict[str, list[int]] = {}
    for number, name in enumerate(known.names):
        for word in sorted(known.common_words.get(name, ())):
            languages_of.setdefault(word, []).append(number)
    spellings = {
        spelling.encode(): number
        for number, word in enumerate(languages_of)
        for spelling in (word.upper(), word.capitalize(), word)
    }
    sizes = list(map(len, languages_of.values()))
    return _Weights(
        spellings,
        np.cumsum([0, *sizes]),
        np.array([number for numbers in languages_of.values() for number in numbers], np.int64),
        np.repeat([UNIT // size for size in sizes], sizes),
    )


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, given by its code of two letters; none of one that Whoosh does not know.

    >>> "the" in stop_words("en")
    True
    """
    from engine.whoosh import stoplists  # noqa: PLC0415  (large, and not always needed)

    return frozenset(stoplists.get(language, ()))


def stop_list(stop: str) -> frozenset[str]:
    """Return the stop words of an option: none, english, or a file with one word per line.

    Raises: SettingsError for a file that cannot be read.
    """
    if stop == "none":
        return frozenset()
    if stop == "english":
        return stop_words("en")
    try:
        words = read_small_text(stop).split()
    except OSError as error:
        raise SettingsError(
            f"stop list '{stop}' cannot be read ({error.strerror}): use none, english, or a UTF-8 file with one word "
            "per line."
        ) from None
    return frozenset(word.casefold() for word in words)
