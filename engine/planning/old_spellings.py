"""Words of early prints for those of today: loue for love, vpon for upon, iudge for judge, vvind for wind.

Printers before 1700 wrote u and v, and i and j, by their place in a word, and vv for w. Which of the spellings a
collection has is looked up when it is asked, so no index depends on it. The long s is an s in any search.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from engine.index.reader import IndexReader
from engine.query.nexi.tree import Word
from engine.query.query import StandsFor
from engine.text.alternative_terms import EITHER

# How each letter may be printed, and the most spellings of a word that are looked up.
PRINTED = {"u": "uv", "v": "vu", "i": "ij", "j": "ji", "w": ("w", "vv", "uu")}
MOST_SPELLINGS = 64


def old_spellings(index: IndexReader, words: Sequence[Word]) -> StandsFor:
    """Return the words that a collection has in other spellings, each with itself and these."""
    spelt = {word: spellings(word.text.lower()) for word in words if word.text.isalpha()}
    others = list(dict.fromkeys(each for of_word in spelt.values() for each in of_word[1:]))
    terms = [EITHER.join(part for part in index.analyser.terms(each) if part is not None) for each in others]
    occurs = {each for each, n in zip(others, index.document_frequencies(terms).tolist(), strict=True) if n}
    found = ((word, (word.text, *filter(occurs.__contains__, of_word[1:]))) for word, of_word in spelt.items())
    return tuple((word, each) for word, each in found if len(each) > 1)


def spellings(word: str) -> list[str]:
    """Return the spellings of a word in early prints, its own first.

    >>> spellings("love"), spellings("jug")
    (['love', 'loue'], ['jug', 'jvg', 'iug', 'ivg'])
    """
    letters = [PRINTED.get(letter, letter) for letter in word.replace("vv", "w")]
    found = ("".join(chosen) for chosen in islice(product(*letters), MOST_SPELLINGS))
    return list(dict.fromkeys((word, *found)))
