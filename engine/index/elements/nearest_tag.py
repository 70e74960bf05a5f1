"""The tag of an index that an unknown one was probably meant as."""

from __future__ import annotations

from engine.collection.tag_words import TAG_WORDS
from engine.index.reader import IndexReader
from engine.wording import nearest

# Letters of a tag that shortens another, at least: sec for section.
SHORTEST = 3


def nearest_tag(index: IndexReader, name: str, *, cutoff: float = 0.6) -> str | None:
    """Return the tag that an unknown one was probably meant as, None if none is similar.

    That is one with other capitals; else the most frequent one that the name is the word for, as paragraph is for p;
    else the one that shortens it or that it shortens, with most letters of it, of equals the most frequent; else the
    most similar one.

    Args:
        cutoff: as of `nearest`.
    """
    counts = index.statistics.tag_frequencies
    wanted = name.casefold()
    folded = {tag: tag.casefold() for tag in counts}
    word = wanted.removesuffix("s")
    named = [tag for tag in counts if TAG_WORDS.get(tag, "").casefold().removesuffix("s") == word]
    if named and wanted not in folded.values():
        return max(named, key=lambda tag: (counts[tag], tag))
    short = [tag for tag, each in folded.items() if each.startswith(wanted) or wanted.startswith(each)]
    short = [tag for tag in short if min(len(tag), len(wanted)) >= SHORTEST]
    if short and wanted not in folded.values():
        return max(short, key=lambda tag: (min(len(tag), len(wanted)), counts[tag], tag))
    return nearest(name, counts, cutoff=cutoff)
