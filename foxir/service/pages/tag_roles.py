"""What a tag looks like on a page: emphasis, a cell of a table, an item of a list; any other is a block or a span.

Only names that mean the same in every vocabulary that has them are listed.
"""

from __future__ import annotations

from collections.abc import Mapping

# Inline tags -> elements of HTML.
_INLINE = {
    "em": "italic it i em emph emphasis hi foreign foreignphrase citetitle firstterm term mentioned varname var cite",
    "strong": "bold b strong guilabel guibutton",
    "sub": "sub subscript msub",
    "sup": "sup super superscript msup",
    "code": "monospace code tt literal command filename function option parameter constant methodname classname",
}
# Blocks -> roles of ARIA and classes of the style sheet.
_BLOCKS = {
    "table": "table informaltable",
    "rowgroup": "thead tbody tfoot",
    "row": "tr row",
    "cell": "td entry cell",
    "columnheader": "th",
    "list": "list ul ol itemizedlist orderedlist simplelist variablelist listItems",
    "listitem": "item li listitem list-item varlistentry def-item",
    "p": "p para simpara ip1 ip2 ip3 s abstract",
    "figure": "fig figure mediaobject",
    "quote": "disp-quote blockquote quote cit",
    "code-block": "programlisting screen preformat code-block",
    "note": "note fn footnote caution warning tip important",
    "formula": "disp-formula formula equation",
}


def _by_tag(kinds: Mapping[str, str]) -> dict[str, str]:
    return {tag: kind for kind, tags in kinds.items() for tag in tags.split()}


INLINE = _by_tag(_INLINE)
BLOCKS = _by_tag(_BLOCKS)

# The role that an element must have around it to have its own: a row outside of a table is a plain block.
PARENTS = {
    "rowgroup": ("table",),
    "row": ("table", "rowgroup"),
    "cell": ("row",),
    "columnheader": ("row",),
    "listitem": ("list",),
}
