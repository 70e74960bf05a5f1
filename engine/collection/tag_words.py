"""Words for the tags of elements that are common in the known vocabularies: `p` is a paragraph, `sec` a section."""

from __future__ import annotations

from collections.abc import Mapping

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
        "Quotation": "quote disp-quote blockquote",
        "Code": "programlisting codeblock preformat",
        "Article metadata": "article-meta front teiHeader fm",
    }.items()
    for tag in tags.split()
}
