"""Tags of a vocabulary whose text is none for readers, by use: base64, digests, scripts, styles, terms of an index.

Rule: most elements with text have one long run of letters and digits without blanks or punctuation, again and again;
or the tag, or that around it, has a usual name of scripts or style sheets, and their text has braces or assignments; or
it has one of terms of an index, or of drafts' comments. Text in scripts that use no blanks has bytes beyond ASCII, so
it is never taken for base64.
"""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Mask
from engine.collection.inference.tag_use import TagUse
from engine.collection.inference.title_names import plain_name

# Letters and digits in a row that no word has, and the share of elements from which a tag has no text.
LONGEST_WORD, MOST = 32, 0.9
# Elements of a tag that are looked at, and bytes of each.
LOOKED_AT, BEGINNING = 50, 4000
CODE_NAMES = frozenset(("script", "scripts", "style", "styles", "stylesheet", "stylesheets", "css"))
INDEX_NAMES = frozenset(("indexterm", "indexterms", "draftcomment"))
_CODE = re.compile(rb"\{[^{}]*\}|\w\s{0,9}=\s{0,9}[^=\s][^;]{0,200};|\w\([^()]{0,200}\)\s{0,9};")
_RUNS = re.compile(rb"(?:[A-Za-z0-9+/]{%d,}={0,2}[\s\x01]+)*[A-Za-z0-9+/]+={0,2}" % LONGEST_WORD)


def find_not_text(use: TagUse) -> Mask:
    """Return the tags whose elements have no text for readers, shape (n_tags,)."""
    found = np.zeros(len(use.names), np.bool_)
    with_text = (use.own_words > 0) & ~use.is_root
    mean_bytes = use.mean(use.n_bytes, with_text)
    are_named = np.array([name.lower() in CODE_NAMES for name in use.names], np.bool_)
    are_inside = use.share(are_named[use.tag[use.parent]] & ~use.is_root, ~use.is_root) >= MOST
    for tag, name in enumerate(use.names):
        is_code = bool(are_named[tag] | are_inside[tag])
        found[tag] = plain_name(name) in INDEX_NAMES
        if mean_bytes[tag] >= LONGEST_WORD or is_code:
            rows = use.rows_of(tag, with_text)[:LOOKED_AT]
            texts = [use.text(row)[:BEGINNING].strip() for row in rows.tolist()]
            found[tag] |= sum(map(_is_code if is_code else is_no_text, texts)) >= MOST * max(1, len(texts))
    return found


def is_no_text(text: bytes) -> bool:
    """Return whether a text is of long runs of letters and digits alone.

    >>> is_no_text(b"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"), is_no_text(b"Donaudampfschiffahrtsgesellschaft")
    (True, False)
    """
    has_kinds = re.search(rb"[0-9+/]", text) is not None
    return has_kinds and len(text) >= LONGEST_WORD and _RUNS.fullmatch(text) is not None and _starts_long(text)


def _starts_long(text: bytes) -> bool:
    return re.match(rb"[A-Za-z0-9+/=]{%d}" % LONGEST_WORD, text) is not None


def _is_code(text: bytes) -> bool:
    return _CODE.search(text) is not None
