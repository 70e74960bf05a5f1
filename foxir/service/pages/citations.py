"""Citations of a place in a document as text, BibTeX and CSL-JSON, made of its fields; the line of a card."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# Authors that a card and a citation as text name; of more, the first one and "et al."
MOST_NAMED, MOST_CITED = 2, 6
# Field -> variable of CSL, and field of BibTeX.
NAMES = {"journal": ("container-title", "journal"), "publisher": ("publisher", "publisher"), "doi": ("DOI", "doi")}
# Of what a document with a journal is one, and any other.
KINDS = {True: ("article-journal", "article"), False: ("document", "misc")}
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


def byline(fields: Mapping[str, Any]) -> str:
    """Return authors, year and journal of a document as a line, "" for a document without.

    >>> byline({"author": ["Ida Kerr", "A. Holm", "B. Lund"], "year": 1998, "journal": "Harbours"})
    'Ida Kerr et al. · 1998 · Harbours'
    """
    return " · ".join(filter(None, (_named(fields, MOST_NAMED), _year(fields), _first(fields, "journal"))))


def _named(fields: Mapping[str, Any], most: int) -> str:
    authors = _values(fields, "author")
    return f"{authors[0]} et al." if len(authors) > most else ", ".join(authors)


def citation(fields: Mapping[str, Any], title: str, where: str, link: str) -> dict[str, str]:
    """Return citations of a place in a document by their names.

    Authors stand as the document has them: nothing tells family names from others.

    Args:
        title: of the document. where: titles above the place, "" for the whole document. link: lasting, with its host.
    """
    year, authors = _year(fields), _values(fields, "author")
    kind, entry = KINDS[bool(_first(fields, "journal"))]
    parts = [_named(fields, MOST_CITED), f"({year})" if year else "", f"{title.rstrip('.')}."]
    rest = [_first(fields, "journal"), where, f"https://doi.org/{_first(fields, 'doi')}" if "doi" in fields else ""]
    text = " ".join([*filter(None, parts), *(f"{each.rstrip('.')}." for each in rest if each), link])
    csl: dict[str, Any] = {"id": link, "type": kind, "title": title, "URL": link}
    bibtex = {"title": f"{{{_tex(title)}}}"}
    if authors:
        csl["author"] = [{"literal": each} for each in authors]
        bibtex["author"] = " and ".join(f"{{{_tex(each)}}}" for each in authors)
    if year:
        csl["issued"] = {"date-parts": [[int(year)]]}
        bibtex["year"] = year
    for name, (variable, field) in NAMES.items():
        if value := _first(fields, name):
            csl[variable], bibtex[field] = value, _tex(value)
    if where:
        csl["section"], bibtex["note"] = where, _tex(where)
    bibtex["url"] = link.replace("{", "%7B").replace("}", "%7D")
    name = re.sub(r"[^a-z0-9]", "", (_first(fields, "author") or title).partition(" ")[0].lower())
    lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in bibtex.items())
    return {
        "Text": text,
        "BibTeX": f"@{entry}{{{name or 'item'}{year},\n{lines}\n}}",
        "CSL-JSON": json.dumps([csl], ensure_ascii=False, indent=2),
    }


def _tex(text: str) -> str:
    """Return text with what TeX takes for commands escaped."""
    return _ESCAPED.sub(lambda found: _COMMANDS.get(found[0], "\\" + found[0]), text)
