"""Words for the tags of elements that are common in the known vocabularies: `p` is a paragraph, `sec` a section.

With them an unknown tag in a query is compared with those of an index.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.index.reader import IndexReader
from engine.wording import nearest

TAG_WORDS: Mapping[str, str] = {
    tag: words
    for words, tags in {
        "Paragraph": "p para ip1 simpara",
        "Section": "sec section div sect1 sect2 ss1 ss2",
        "Table": "table informaltable simpletable tbl",
        "Table with its caption": "table-wrap",
        "Table row": "tr row",
        "Figure": "fig figure",
        "List": "list ul ol itemizedlist orderedlist",
        "List item": "list-item li item listitem",
        "Abstract": "abstract",
        "Title": "article-title title title-group head",
        "Caption": "caption figcaption",
        "Acknowledgements": "ack",
        "Supplement": "supplementary-material",
        "References": "ref-list listBibl bibliography",
        "Reference": "ref biblStruct bibl biblioentry",
        "Article": "article TEI",
        "Table footnotes": "table-wrap-foot",
        "Speech": "sp",
        "Verses": "lg",
        "Verse": "l verse-line",
        "Formula": "disp-formula",
        "Footnote": "fn footnote",
        "Short description": "shortdesc",
        "Quotation": "quote disp-quote blockquote",
        "Code": "programlisting codeblock preformat",
        "Article metadata": "article-meta front teiHeader fm",
    }.items()
    for tag in tags.split()
}


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
