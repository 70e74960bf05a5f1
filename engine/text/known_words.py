"""The recent words and short texts, with their terms.

Of many words, those with one of a few terms are found without stemming.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

# Words of all texts that are known at a time.
MOST_KNOWN = 2**15
# Texts that are known at a time, and their characters.
MOST_TEXTS, LONGEST = 2**13, 40

Terms = tuple[str, ...]


class KnownWords:
    """Words and the terms that each may have, learned as they come; safe from several threads.

    Args:
        terms_of: returns the terms of each of some words.
    """

    def __init__(self, terms_of: Callable[[list[str]], Sequence[Terms]]) -> None:
        self._terms_of = terms_of
        self._known: tuple[dict[str, Terms], dict[str, list[str]]] = {}, {}  # terms by word, words by term

    def with_terms(self, words: set[str], terms: Iterable[str]) -> Mapping[str, Terms]:
        """Return the words with one of the terms, each with all its terms."""
        terms_by_word, words_by_term = self._learned(words)
        return {word: terms_by_word[word] for term in terms for word in words_by_term.get(term, ()) if word in words}

    def terms(self, words: set[str]) -> Mapping[str, Terms]:
        """Return the terms of each word."""
        terms_by_word, _ = self._learned(words)
        return {word: terms_by_word[word] for word in words}

    def _learned(self, words: set[str]) -> tuple[dict[str, Terms], dict[str, list[str]]]:
        """Return the known words extended by those given; these alone where that were too many."""
        known = self._known
        new = words.difference(known[0])
        if len(known[0]) + len(new) > MOST_KNOWN:
            self._known = known = {}, {}  # a search that reads the old ones goes on with them
            new = words
        terms_by_word, words_by_term = known
        chosen = list(new)
        for word, terms in zip(chosen, self._terms_of(chosen), strict=True):
            for term in terms:
                words_by_term.setdefault(term, []).append(word)
            terms_by_word[word] = terms  # last, as another thread may look for the word by its terms at once
        return known


class KnownTexts:
    """Short texts, such as the words of queries, and their terms, learned as they come; safe from several threads.

    Args:
        terms_of: returns the terms of each of some texts, None for those of some words.
    """

    def __init__(self, terms_of: Callable[[list[str], frozenset[str]], Sequence[Sequence[str | None]]]) -> None:
        self._terms_of = terms_of
        self._known: dict[frozenset[str], dict[str, Sequence[str | None]]] = {}  # by words left out, by text

    def terms(self, texts: Sequence[str], without: frozenset[str]) -> list[list[str | None]]:
        """Return the terms of each text, None for words `without`."""
        known = self._known.setdefault(without, {})
        new = [text for text in dict.fromkeys(texts) if text not in known]
        found: Mapping[str, Sequence[str | None]] = known
        if new:
            of_new = dict(zip(new, self._terms_of(new, without), strict=True))
            found = {text: of_new[text] if text in of_new else known[text] for text in texts}
            if sum(map(len, self._known.values())) + len(new) > MOST_TEXTS:
                self._known = {without: (known := {})}  # a search that reads the old ones goes on with them
            known |= {text: terms for text, terms in of_new.items() if len(text) <= LONGEST}
        return [list(found[text]) for text in texts]
