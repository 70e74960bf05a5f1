"""A budget in the tokens of a language model: answers chosen so that their texts fit, counted by the model's tokenizer.

foxir's own `word_budget` counts words. A model counts in its own tokens, so the counting function is the user's, or
comes from one of the libraries of tokenizers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from engine.errors import ArgumentError
from engine.imported_function import imported_function
from engine.notices import Notice
from engine.wording import shown
from foxir import arguments
from foxir.results.answers import Answers

TokenCounter = Callable[[str], int]
Found = TypeVar("Found")


# Budgets of words that are tried for one of tokens.
MOST_TRIES = 6


class CountedTexts(NamedTuple):
    """The tokens of texts, best first, and the places of those that fit: one that does not fit is passed over."""

    n_tokens: list[int]
    places: list[int]

    def of_kept(self) -> list[int]:
        """Return the tokens of the texts that fit."""
        return [self.n_tokens[place] for place in self.places]

    def notices(self, budget: int | None) -> list[Notice]:
        """Return the notice that no text fits, if there is one."""
        fields = {"budget": budget, "shortest": min(self.n_tokens, default=0)}
        return [Notice("too_many_tokens", fields)] if self.n_tokens and not self.places else []


def counted_texts(texts: Iterable[str], budget: int | None, count_tokens: TokenCounter) -> CountedTexts:
    """Return texts counted, and which fit into a number of tokens together.

    Raises: ArgumentError where the function returns no whole number from 0 up.
    """
    n_tokens, places, left = [checked_count(count_tokens(text)) for text in texts], list[int](), budget
    for place, n in enumerate(n_tokens):
        if left is None or n <= left:
            places.append(place)
            left = None if left is None else left - n
    return CountedTexts(n_tokens, places)


def best_within(
    best: Callable[[int | None], tuple[Found, CountedTexts]], n_words: int | None, n_tokens: int | None
) -> tuple[Found, CountedTexts]:
    """Return the best within a number of words, or of fewer until the first fits and half of the tokens is filled."""
    found, counted = best(n_words)
    tried = counted
    for _ in range(MOST_TRIES if n_words and n_tokens else 0):
        fits_all = len(tried.places) == len(tried.n_tokens)
        if fits_all or not n_words or not n_tokens or (0 in tried.places and 2 * sum(tried.of_kept()) >= n_tokens):
            break
        n_words = min(n_words - 1, ceil(n_words * n_tokens / sum(tried.n_tokens)))
        if n_words:
            of_fewer, tried = best(n_words)
            found, counted = (of_fewer, tried) if tried.places else (found, counted)
    return found, counted


def within_tokens(answers: Answers, budget: int, count_tokens: TokenCounter) -> Answers:
    """Return the answers whose texts fit into a number of tokens, best first: one that does not fit is passed over.

    >>> within_tokens(index.search("fog signal", word_budget=200), 200, tokenizer.count)   # doctest: +SKIP

    Ask for the answers with `word_budget`: they do not overlap then, and large ones give way to their parts.

    Args:
        budget: tokens of all texts together, at least 1.
        count_tokens: returns the number of tokens of a text.

    Raises: ArgumentError where the budget is not positive, or the function returns no whole number from 0 up.
    """
    texts = (answer.readable_text for answer in answers)
    return answers.at(counted_texts(texts, arguments.count("budget", budget), count_tokens).places)


# Characters of a token of English text, about, in the encodings of common models.
CHARACTERS_PER_TOKEN = 4


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, where no tokenizer is known: one for each 4 characters begun.

    >>> estimated_tokens("fog signal")
    3
    """
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def token_counter(name: str) -> TokenCounter:
    """Return a function that counts tokens.

    Args:
        name: the file of a tokenizer ("tokenizer.json", read by the package tokenizers); the name of an encoding of
            tiktoken ("cl100k_base"), which must be on this machine; or a function as "module:function".

    Raises: ArgumentError for what cannot be loaded, with the reason.
    """
    if ":" in arguments.text("name", name):
        return _tried(name, imported_function(name, "tokenizer"))
    return _tokenizer_file(Path(name)) if name.endswith(".json") else _encoding(name)


def _tried(name: str, count_tokens: TokenCounter) -> TokenCounter:
    """Return a function that counts tokens; raises ArgumentError if it does not count those of a word."""
    try:
        count = count_tokens("lighthouse")
    except Exception as error:
        raise ArgumentError(
            f"tokenizer {name}: {type(error).__name__}: {error}: expected a function of a text that returns its number "
            "of tokens."
        ) from None
    checked_count(count)
    return count_tokens


def checked_count(count: object) -> int:
    """Return what a counting function returned; raises ArgumentError for anything but a whole number from 0 up."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise ArgumentError(
            f"count_tokens: expected a whole number of tokens from 0 up, got {shown(count)}: return "
            "len(tokenizer.encode(text)), for example."
        )
    return int(count)


def _tokenizer_file(file: Path) -> TokenCounter:
    try:
        tokenizers = import_module("tokenizers")
    except ImportError:
        raise ArgumentError(f"tokenizer {file}: needs the package tokenizers: pip install tokenizers") from None
    if not file.is_file():
        raise ArgumentError(f"tokenizer {file}: there is no such file.")
    try:
        loaded = tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the package raises Exception itself
        raise ArgumentError(f"tokenizer {file}: not a file of the package tokenizers: {error}") from None
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def _encoding(name: str) -> TokenCounter:
    try:
        tiktoken = import_module("tiktoken")
    except ImportError:
        raise ArgumentError(
            f"tokenizer {shown(name)}: an encoding needs the package tiktoken (pip install tiktoken); else "
            "give a file tokenizer.json or module:function."
        ) from None
    if name not in (known := tiktoken.list_encoding_names()):
        raise ArgumentError(f"tokenizer {shown(name)}: the encodings of tiktoken are {', '.join(known)}.")
    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # whatever the download of its file raises
        raise ArgumentError(
            f"tokenizer {name}: tiktoken cannot load it ({type(error).__name__}): its file must be on this machine, "
            "in the folder that TIKTOKEN_CACHE_DIR names."
        ) from None
    return lambda text: len(encoding.encode_ordinary(text))
