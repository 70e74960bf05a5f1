"""From a word of a query to the terms of an index that it stands for."""

from __future__ import annotations

from engine.index.postings.article_terms import ArticleTerms
from engine.text.alternative_terms import ANY_END, EITHER


def stands_for_several(word: str) -> bool:
    """Return whether a word of a query stands for several terms: `haus|häuser`, or all that begin with its letter."""
    return EITHER in word or word.endswith(ANY_END)


def expanded(word: str, terms: ArticleTerms) -> list[str]:
    """Return the distinct terms of a segment that a query word denotes; those without `*` even if they are unknown."""
    found: dict[str, None] = {}
    for part in word.split(EITHER):
        if part.endswith(ANY_END):
            found.update(dict.fromkeys(term.decode() for term in terms.with_prefix(part[:-1].encode())))
        else:
            found[part] = None
    return list(found)
