"""Citations of a place in a document as text, BibTeX and CSL-JSON, by what it says of itself; the line of a card."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.arrays import Rows, distinct, places_of
from engine.index.reader import IndexReader
from foxir.service.pages.document_view import REFERENCES, DocumentView

# Authors that a card and a citation as text name; of more, the first one and "et al."
MOST_NAMED, MOST_CITED = 2, 6
# Field, or part of its place in a journal -> variable of CSL, and field of BibTeX.
NAMES = {
    "journal": ("container-title", "journal"),
    "publisher": ("publisher", "publisher"),
    "doi": ("DOI", "doi"),
    "volume": ("volume", "volume"),
    "issue": ("issue", "number"),
    "pages": ("page", "pages"),
}
# Parts of a name, by the tag, beside the family name, and of the place in a journal.
FAMILY = ("surname", "snm", "family")
NAME_PARTS = {
    "given": ("given-names", "forename", "firstname", "othername", "fnm", "given"),
    "suffix": ("suffix", "lineage", "genName"),
}
ORDER = ("given", "family", "suffix")  # of a name as people write it
PART_OF_NAME = {tag: part for part, tags in {"family": FAMILY, **NAME_PARTS}.items() for tag in tags}
# Parts of names that are looked at for the line of a card, from the beginning of the document.
MOST_PARTS = 16
# The attribute of a name of JATS with the order of its parts, and that of names with the family name first.
STYLE, EASTERN = "name-style", "eastern"
NOTHING: Mapping[str, str] = {}
SOURCE_PARTS = {
    "volume": ("volume", "volno", "volumenum"),
    "issue": ("issue", "issno", "issuenum"),
    "first": ("fpage",),
    "last": ("lpage",),
    "pages": ("page-range", "elocation-id", "pp", "pagenums", "artpagenums"),
}
# The element of TEI for such a part, its attribute, and the values of this.
BIBL_SCOPE, UNIT, UNITS = "biblScope", "unit", {"volume": "volume", "issue": "issue", "page": "pages", "pp": "pages"}
# What stands before a volume, an issue or pages: "Vol. ", "pp. ".
_MARK = re.compile(r"^(vol(ume)?|no|issue|number|pp?|pages?)\b[.\s]*", re.IGNORECASE)
# What is about other documents.
OTHERS = REFERENCES | {"product", "related-article", "related-object"}
# Of what a document with a journal is one, and any other.
KINDS = {True: ("article-journal", "article"), False: ("document", "misc")}
# What BibTeX takes for a border of parts of a name, or of names.
_APART = re.compile(r",|\band\b", re.IGNORECASE)
_ESCAPED = re.compile(r"[\\{}$&%#_~^]")
_COMMANDS = {
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _values(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name, [])
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def _first(fields: Mapping[str, Any], name: str) -> str:
    return next(iter(_values(fields, name)), "")


def _year(fields: Mapping[str, Any]) -> str:
    found = (_first(fields, "year"), _first(fields, "date")[:4])
    return next((each for each in found if re.fullmatch("-?[0-9]{1,6}", each)), "")


def byline(fields: Mapping[str, Any], shown: Mapping[str, str] = NOTHING) -> str:
    """Return authors, year and journal of a document as a line, "" for a document without.

    shown: names of authors as people write them, by the texts that fields have for them.

    >>> byline({"author": ["Kerr Ida", "A. Holm", "B. Lund"], "year": 1998}, {"Kerr Ida": "Ida Kerr"})
    'Ida Kerr et al. · 1998'
    """
    authors = _listed([shown.get(each, each) for each in _values(fields, "author")], MOST_NAMED)
    return " · ".join(filter(None, (authors, _year(fields), _first(fields, "journal"))))


def given_names_first(reader: IndexReader, documents: Rows) -> list[dict[str, str]]:
    """Return the first names in each document that have the family name before others, and how people write them.

    By the texts that fields have for them: "Kerr Ida" as "Ida Kerr". Names in the eastern order stay as they are.
    """
    elements, every = reader.elements, distinct(documents)
    is_part = elements.is_tag(PART_OF_NAME)
    rows = elements.with_tags(places_of(is_part).tolist(), every)
    of_rows = elements.document(rows)
    is_first = np.arange(len(rows)) - of_rows.searchsorted(of_rows) < MOST_PARTS
    rows, of_rows = rows.compress(is_first), of_rows.compress(is_first)
    styled, styles = elements.attributes([STYLE], every)
    eastern = {row for row, style in zip(styled.tolist(), styles, strict=True) if style == EASTERN}
    names: dict[tuple[int, int], list[tuple[str, str]]] = {}
    columns = (column.tolist() for column in (of_rows, elements.parent(rows), elements.tag(rows)))
    for document, name, tag, text in zip(*columns, reader.texts_of(rows), strict=True):
        if name not in eastern:
            part = PART_OF_NAME[elements.tags[tag]]
            names.setdefault((document, name), []).append((part, " ".join(text.split())))
    shown: dict[int, dict[str, str]] = {document: {} for document in every.tolist()}
    for (document, _), parts in names.items():
        text = " ".join(each for _, each in parts)
        shown[document][text] = " ".join(each for _, each in sorted(parts, key=lambda part: ORDER.index(part[0])))
    return [shown[document] for document in documents.tolist()]


def _listed(authors: Sequence[str], most: int) -> str:
    return f"{authors[0]} et al." if len(authors) > most else ", ".join(authors)


@dataclass(frozen=True)
class Source:
    """What a document says of its place in a journal, "" for nothing, and of names.

    names: the parts of names, with the keys of CSL, by the texts that fields have for them.
    """

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    volume: str = ""
    issue: str = ""
    pages: str = ""


NO_SOURCE = Source()


def source_of(view: DocumentView) -> Source:
    """Return what a document says of itself; of one of an unknown vocabulary, nothing."""
    places = [place for place, is_metadata in enumerate(view.is_metadata) if is_metadata]
    parts: dict[str, str] = {}
    rows, values = view.reader.elements.attributes([UNIT], np.array([view.number]))
    units = dict(zip((rows - view.first_row).tolist(), values, strict=True))
    by_tag = {tag: part for part, tags in SOURCE_PARTS.items() for tag in tags}
    names: dict[str, Mapping[str, str]] = {}
    for place in places:
        tag, parent = view.tags[place], view.parents[place]
        part = UNITS.get(units.get(place, ""), "") if tag == BIBL_SCOPE else by_tag.get(tag, "")
        if part and view.tags[parent] not in OTHERS:
            parts.setdefault(part, _MARK.sub("", view.line(place)))
        if tag in FAMILY:
            name = _name(view, parent, place)
            for text in (view.line(parent), view.line(place)):
                names[text] = {"literal": text} if names.get(text, name) != name else name  # two of one family
    pages = "-".join(dict.fromkeys(filter(None, (parts.get("first"), parts.get("last"))))) or parts.get("pages", "")
    return Source(names, parts.get("volume", ""), parts.get("issue", ""), pages.replace("–", "-"))


def _name(view: DocumentView, place: int, family: int) -> Mapping[str, str]:
    """Return the parts of a name."""
    found = {"family": view.line(family)}
    for part, tags in NAME_PARTS.items():
        if texts := [view.line(child) for child in view.children(place) if view.tags[child] in tags]:
            found[part] = " ".join(texts)
    return found


def citation(
    fields: Mapping[str, Any],
    title: str,
    where: str,
    link: str,
    source: Source = NO_SOURCE,
) -> dict[str, str]:
    """Return citations of a place in a document by their names.

    Authors stand as the document has them where nothing tells family names from others.

    Args:
        title: of the document. where: titles above the place, "" for the whole document. link: lasting, with its host.
        source: what the document says of itself.
    """
    year = _year(fields)
    authors = [source.names.get(each, {"literal": each}) for each in _values(fields, "author")]
    kind, entry = KINDS[bool(_first(fields, "journal"))]
    volume = f"{source.volume}({source.issue})" if source.issue else source.volume
    journal = ": ".join(
        filter(None, (" ".join(filter(None, (_first(fields, "journal"), volume))), source.pages.replace("-", "–")))
    )
    rest = [journal, where, f"https://doi.org/{_first(fields, 'doi')}" if "doi" in fields else ""]
    parts = [_listed([*map(_in_text, authors)], MOST_CITED), f"({year})" if year else "", f"{title.rstrip('.')}."]
    text = " ".join([*filter(None, parts), *(f"{each.rstrip('.')}." for each in rest if each), link])
    csl: dict[str, Any] = {"id": link, "type": kind, "title": title, "URL": link}
    bibtex = {"title": f"{{{_tex(title)}}}"}
    if authors:
        csl["author"] = authors
        bibtex["author"] = " and ".join(map(_in_bibtex, authors))
    if year:
        csl["issued"] = {"date-parts": [[int(year)]]}
        bibtex["year"] = year
    for name, (variable, of_bibtex) in NAMES.items():
        if value := getattr(source, name, "") or _first(fields, name):
            csl[variable] = value
            bibtex[of_bibtex] = _tex(value.replace("-", "--") if name == "pages" else value)
    if where:
        csl["section"], bibtex["note"] = where, _tex(where)
    bibtex["url"] = link.replace("{", "%7B").replace("}", "%7D")
    first = next(iter(authors[0].values())) if authors else title
    name = re.sub(r"[^a-z0-9]", "", first.partition(" ")[0].lower())
    lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in bibtex.items())
    return {
        "Text": text,
        "BibTeX": f"@{entry}{{{name or 'item'}{year},\n{lines}\n}}",
        "CSL-JSON": json.dumps([csl], ensure_ascii=False, indent=2),
    }


def _in_text(name: Mapping[str, str]) -> str:
    return name.get("literal") or " ".join(name[part] for part in ("given", "family", "suffix") if part in name)


def _in_bibtex(name: Mapping[str, str]) -> str:
    """Return a name as BibTeX reads it: "Family, Given", "Family, Jr, Given"; in braces what it must not take apart."""
    if "literal" in name:
        return f"{{{_tex(name['literal'])}}}"
    parts = (name[part] for part in ("family", "suffix", "given") if part in name)
    return ", ".join(f"{{{_tex(each)}}}" if _APART.search(each) else _tex(each) for each in parts)


def _tex(text: str) -> str:
    """Return text with what TeX takes for commands escaped."""
    return _ESCAPED.sub(lambda found: _COMMANDS.get(found[0], "\\" + found[0]), text)
