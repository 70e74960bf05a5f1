"""Titles in attributes of elements: `<section name="Fresh water">`.

They are titles only where people read them: the text of an element, and so its words and offsets, is without them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from engine.arrays import Numbers
from engine.collection.inference.title_names import NAME_END, plain_name
from engine.index.reader import IndexReader

NAMES = ("title", "heading", "headline", "head", "topic", "subject", "caption", "label", "displayname", "name")
# Titles that a document has at least in an attribute of another name that ends in `name`, all of them different.
SEVERAL = 3
# Characters of a title at most.
LONGEST = 120
# A name of one word, which begins with a capital letter and is not numbered, as by a program; what no title has.
ONE_WORD, CODE = (
    re.compile(r"[^\W\d_a-z][^\W_]+(?:[-'’][^\W_]+)*(?<!\d)"),
    re.compile(r"[_\\#{}<>=@|~]|[^\W\d][.:][^\W\d]"),
)


def attribute_titles(index: IndexReader, documents: Numbers) -> Mapping[int, str]:
    """Return the titles in attributes of elements that contain others, in documents (ascending), by element."""
    elements = index.elements
    found: dict[int, str] = {}
    usual = [name for name in elements.attribute_names if plain_name(name) in NAMES]
    others = [name for name in elements.attribute_names if name not in usual and NAME_END.match(plain_name(name))]
    for names in filter(None, (usual, *([name] for name in others))):
        rows, values = elements.attributes(names, documents)
        contains_others = (elements.end(rows) > rows + 1) & ~elements.is_inline(rows) & (elements.n_words(rows) > 0)
        places = np.flatnonzero(contains_others)
        of_documents = zip(places.tolist(), elements.document(rows.take(places)).tolist(), strict=True)
        each = [(document, int(rows[at]), values[at]) for at, document in of_documents if is_title(values[at])]
        n_titles = Counter(document for document, _, _ in each)
        n_of_kinds = Counter(document for document, _ in {(document, value) for document, _, value in each})
        for document, row, value in each:
            if names is usual or n_titles[document] == n_of_kinds[document] >= SEVERAL:
                found.setdefault(row, " ".join(value.split()))
    return found


@lru_cache(4096)
def is_title(value: str) -> bool:
    """Return whether the value of an attribute is one for people: several words, or one that begins with a capital.

    >>> [is_title(value) for value in ("2.1 Fresh water", "Introduction", "intro", "Table12", "fig:one", "2", "a1 a2")]
    [True, True, False, False, False, False, False]
    """
    words = value.split()
    if len(words) < 2:
        return ONE_WORD.fullmatch(value.strip()) is not None
    is_short = len(value) <= LONGEST and CODE.search(value) is None
    return is_short and 2 * sum(map(str.isalpha, value)) > sum(map(len, words))
