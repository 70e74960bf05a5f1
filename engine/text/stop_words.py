"""Stop words: of languages, which are Whoosh's lists, without importing anything else of it; and of a user's file."""

from __future__ import annotations

from functools import cache

from engine.errors import SettingsError
from engine.system.input_files import read_small_text


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
