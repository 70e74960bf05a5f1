"""Words in capitals that are names although they are spelled like function words: `vitamin A`, `WHO`, `Mark I`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.query.nexi import Word

# Operators of other query languages, which people write in capitals.
OPERATORS = frozenset({"AND", "OR", "NOT"})
# The only word of a single letter that is always written in capitals.
PRONOUN = "I"


def words_in_capitals(words: Sequence[Word], function_words: Collection[str]) -> frozenset[Word]:
    """Return the words of a query that stand out by their capitals, so that each is a name and no function word.

    None if the whole query is in capitals. A single letter does not stand out at the beginning, and `I` only where it
    follows another name.

    Args:
        function_words: case-folded.
    """
    if not any(character.islower() for word in words for character in word.text):
        return frozenset()
    found = set()
    for before, word in zip((None, *words), words, strict=False):
        letters = "".join(filter(str.isalpha, word.text))
        if not letters.isupper() or letters in OPERATORS:
            continue
        if len(letters) > 1 or (before is not None and (letters != PRONOUN or _is_name(before, function_words))):
            found.add(word)
    return frozenset(found)


def _is_name(word: Word, function_words: Collection[str]) -> bool:
    return word.text[:1].isupper() and word.text.casefold() not in function_words
