"""Tags of a vocabulary whose text is HTML, escaped, by use: contents of feeds, posts, descriptions of products.

Rule: a tag has escaped markup if its elements hold no others and stand in no line, and if a quarter of their texts, and
nearly all of those with tags, have tags of HTML alone, which end. Listings of programs have such text, and keep it.
"""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Mask
from engine.collection.html_reader import is_html
from engine.collection.inference.tag_use import TagUse
from engine.collection.profiles.profile import PREFORMATTED

# Share of texts that are HTML, of all and of those with tags; elements of a tag that are looked at.
SOME, MOST, LOOKED_AT = 0.25, 0.8, 200
LISTINGS = PREFORMATTED | {"example", "sample", "snippet", "source", "script", "style", "template", "input", "output"}
_ENDS = re.compile(r"</[a-zA-Z]|<(?:br|hr|img)\b|/>", re.IGNORECASE)


def find_escaped(use: TagUse) -> Mask:
    """Return the tags whose elements have escaped markup, shape (n_tags,)."""
    found = np.zeros(len(use.names), np.bool_)
    if b"&lt;" not in use.attributes.markup:
        return found
    has_words = (use.words > 0) & ~use.is_root
    are_leaves = use.share(use.end > np.arange(len(use.tag)) + 1, has_words) <= 1 - MOST
    in_line = use.share(use.in_line, has_words)
    with_own_words = has_words & (use.own_words > 0)
    for tag, name in enumerate(use.names):
        if not are_leaves[tag] or in_line[tag] > SOME or name.lower() in LISTINGS:
            continue
        rows = use.rows_of(tag, with_own_words)[:LOOKED_AT]
        texts = [use.text(row).decode("utf-8", "replace") for row in rows.tolist()]
        with_tags = [text for text in texts if re.search("<[a-zA-Z/]", text)]
        html = sum(is_html(text) and _ENDS.search(text) is not None for text in with_tags)
        found[tag] = html > 0 and html >= MOST * len(with_tags) and html >= SOME * len(texts)
    return found
