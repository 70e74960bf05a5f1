"""Replaces references to entities that a document does not define, in its bytes, before it is parsed.

The parser sees character references and text instead, so all its guards and limits apply to the replaced document. Line
numbers do not change. References to external parameter entities are removed: like an external DTD, they are not read.

Named entities that documents may use without defining them, and the treatment of others.

foxir knows the character entities of HTML and ISO. A file of declarations and a catalog of local DTDs may add others.
A document's own definitions come first, then those of the file, of the catalog, and of the standards. A document with a
DTD that is not read may mean something else by a name: of the standards, it has the entities of XHTML then, unless its
DTD is known to declare those of ISO.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from pathlib import Path

from engine.collection.entities.entity_declarations import (
    CDATA,
    COMMENT,
    INSTRUCTION,
    REFERENCE,
    STRING,
    Catalog,
    ExternalId,
    find_declarations,
    read_declarations,
)
from engine.errors import CollectionError, SettingsError
from engine.records import NamedTuple, dataclass
from engine.system.files import package_text

AUTO, REFUSE, KEEP = "auto", "refuse", "keep"
UNDEFINED = (AUTO, REFUSE, KEEP)
# Environment variable of libxml2: paths of catalogs, separated by blanks.
CATALOGS = "XML_CATALOG_FILES"
# Defined by XML itself.
PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))
# Longest replacement of one reference, in characters, with all that it refers to in turn.
LONGEST = 1 << 20
# Depth of entities that refer to entities.
DEEPEST = 40

_MARKUP = re.compile(rf"""{COMMENT}|{CDATA}|{INSTRUCTION}|<(?>[^<>"']|"[^"]*"|'[^']*')*+>""", re.DOTALL)
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


@cache
def standard_entities() -> Mapping[str, str]:
    """Return the replacement of every character entity of HTML 5 and of the ISO sets, as XML text.

    >>> standard_entities()["eacute"], standard_entities()["alpha"], standard_entities()["agr"]
    ('&#233;', '&#945;', '&#945;')
    """
    from html.entities import html5  # noqa: PLC0415  (a large table, and few documents need it)

    characters = {name[:-1]: text for name, text in html5.items() if name.endswith(";")}
    lines = package_text(__name__, "iso_entities.txt").splitlines()
    characters |= {name: chr(int(code, 16)) for name, code in (line.split() for line in lines if line[0] != "#")}
    return {
        name: "".join(_ESCAPES.get(character, f"&#{ord(character)};") for character in text)
        for name, text in characters.items()
    }


# Public identifiers of DTDs, and of sets that an internal subset includes, that declare the entities of ISO.
_WITH_ISO = re.compile(
    r"-//OASIS//DTD (?:Simplified )?DocBook|-//NLM//|-//TEI|-//OASIS//.*DITA|ISO 8879|-//W3C//(?:ENTITIES|DTD MathML)"
    r"|[-+]//(?:ISBN|IDN|OASIS)//.*(?:ENTITIES|ISO)|-//OASIS//ENTITIES"
)


def has_iso_entities(external: Sequence[ExternalId]) -> bool:
    """Return whether a document may use the entities of HTML 5 and ISO, given the DTDs and sets that it names."""
    return not external or any(_WITH_ISO.match(each.public) for each in external)


@cache
def xhtml_entities() -> frozenset[str]:
    """Return the names of the entities that XHTML declares."""
    from html.entities import name2codepoint  # noqa: PLC0415

    return frozenset(name2codepoint)


@dataclass(frozen=True)
class Entities:
    """The replacements of references to entities that a document does not define.

    declared: replacement texts by name, which may refer to other entities. catalog: where documents' DTDs are.
    undefined: `refuse` a document with any other reference, or `keep` the reference as text; `auto` keeps those of
    documents that name a DTD or an external entity, which may define them and is not read.
    """

    declared: Mapping[str, str] = field(default_factory=dict, hash=False)
    catalog: Catalog = field(default_factory=Catalog)
    undefined: str = REFUSE

    def __post_init__(self) -> None:
        if self.undefined not in UNDEFINED:
            raise SettingsError(f"undefined entities '{self.undefined}': expected one of {', '.join(UNDEFINED)}.")

    def replacement(
        self, name: str, own: frozenset[str], of_dtd: Mapping[str, str], *, with_iso: bool = True
    ) -> str | None:
        """Return the XML that replaces a reference, None if the entity is unknown.

        Args:
            own: names that the document itself defines; references to them are left to the parser.
            of_dtd: replacement texts from the document's DTD.
            with_iso: whether the names of HTML 5 and ISO are known, and not those of XHTML alone.
        Raises: CollectionError if the entity refers to itself, or its replacement is too long.
        """
        return self._expanded(name, own, of_dtd, (), with_iso=with_iso)

    def _expanded(
        self, name: str, own: frozenset[str], of_dtd: Mapping[str, str], above: tuple[str, ...], *, with_iso: bool
    ) -> str | None:
        if name in own or name in PREDEFINED:
            return f"&{name};"
        if name in above or len(above) > DEEPEST:
            raise CollectionError(f"entity '{name}' refers to itself, or entities are nested more than {DEEPEST} deep.")
        text = self.declared.get(name, of_dtd.get(name))
        if text is None:
            return standard_entities().get(name) if with_iso or name in xhtml_entities() else None
        pieces, last, length = list[str](), 0, 0
        for reference in REFERENCE.finditer(text):
            inner = self._expanded(reference[1], own, of_dtd, (*above, name), with_iso=with_iso)
            inner = inner if inner is not None else reference[0]
            pieces += text[last : reference.start()], inner
            last = reference.end()
            length += len(inner)
            if length > LONGEST:
                raise CollectionError(f"entity '{name}' expands to more than {LONGEST:,} characters.")
        return _on_one_line("".join([*pieces, text[last:]]))


def _on_one_line(text: str) -> str:
    """Return XML without line breaks, so that the lines of a document that it is put into keep their numbers.

    In text, a line break becomes a reference to the character; inside tags and other markup, a blank.
    """
    pieces, last = list[str](), 0
    for markup in _MARKUP.finditer(text := text.replace("\r", "")):
        pieces += text[last : markup.start()].replace("\n", "&#10;"), markup[0].replace("\n", " ")
        last = markup.end()
    return "".join([*pieces, text[last:].replace("\n", "&#10;")])


def make_entities(
    file: str | Path | None = None, catalogs: Sequence[str | Path] = (), undefined: str = REFUSE
) -> Entities:
    """Return the entities of a file of declarations, and of catalogs: those given, else those of XML_CATALOG_FILES.

    Raises: SettingsError if one of them cannot be read or is malformed.
    """
    declared = read_declarations(Path(file)) if file else {}
    usual = [path for path in os.environ.get(CATALOGS, "").split() if Path(path).is_file()]
    return Entities(declared, Catalog.read(catalogs or usual), undefined)


# A reference to an entity other than those of XML itself, and one to a parameter entity. Apart, as an expression whose
# first byte is known is found far faster.
_SUSPECT, _SUSPECT_PARAMETER = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)"), re.compile(rb"%[\w:.-]+;")
# What contains no references, or a reference; compiled where it is used.
_IN_CONTENT = rf"(?s:{COMMENT}|{CDATA}|{INSTRUCTION}|{REFERENCE.pattern})"
_IN_SUBSET = re.compile(
    rf"{COMMENT}|{INSTRUCTION}|(?P<start><!ENTITY\s+[^%\s]\S*\s+)(?P<value>{STRING})|{STRING}|%(?P<unread>[^\s;%]+);",
    re.DOTALL,
)
_BEFORE_DOCTYPE = re.compile(r"\ufeff?(?>\s+|<!--.*?-->|<\?.*?\?>)*+", re.DOTALL)
# The same in bytes; how a root element begins.
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?(?>[ \t\r\n]+|<!--.*?-->|<\?.*?\?>)*+", re.DOTALL)
_ROOT = re.compile(rb"<[^!?]")
_DOCTYPE = re.compile(
    rf"<!DOCTYPE\s+[^\s>\[]+\s*(?:PUBLIC\s+(?P<public>{STRING})\s*(?P<second>{STRING})?|SYSTEM\s+(?P<system>{STRING}))?"
)
_IN_DOCTYPE = re.compile(rf"{COMMENT}|{INSTRUCTION}|{STRING}|[\[\]>]", re.DOTALL)


class Resolved(NamedTuple):
    """A document with references replaced, and how many references to each undefined entity are kept as text.

    has_references: whether references to entities other than those of XML may have been there. dtds: those for which a
    catalog was asked.
    """

    encoded: bytes
    kept: Counter[str]
    has_references: bool = True
    dtds: tuple[ExternalId, ...] = ()


class _Prolog(NamedTuple):
    """Where the internal subset begins and ends, where the document type declaration ends, and the DTD it names."""

    subset_begin: int
    subset_end: int
    end: int
    dtd: ExternalId


def resolve_references(encoded: bytes, entities: Entities, most: int) -> Resolved:
    """Return a document in UTF-8 with the references replaced that `entities` knows.

    Args:
        most: bytes that the document may have.
    Raises: CollectionError if an entity refers to itself, or the document would become longer than `most`.
    """
    if not _SUSPECT.search(encoded) and not (may_have_doctype(encoded) and _SUSPECT_PARAMETER.search(encoded)):
        return Resolved(encoded, Counter(), has_references=False)
    try:
        text = encoded.decode("utf-8")
    except UnicodeDecodeError:  # the parser says where
        return Resolved(encoded, Counter())
    prolog = _prolog(text)
    subset = text[prolog.subset_begin : prolog.subset_end]
    replacer = _Replacer(subset, prolog.dtd, entities, most - len(encoded))
    pieces = [
        text[: prolog.subset_begin],
        _IN_SUBSET.sub(replacer.in_subset, subset),
        text[prolog.subset_end : prolog.end],
        re.sub(_IN_CONTENT, replacer.in_content, text[prolog.end :]),
    ]
    return Resolved("".join(pieces).encode(), replacer.kept, dtds=replacer.dtds)


def may_have_doctype(encoded: bytes) -> bool:
    """Return whether a document in UTF-8 may have a document type declaration: whether one is where it begins.

    False only if its bytes rule it out: the root element begins before.
    """
    begin = _PROLOG.match(encoded)
    return not (begin and _ROOT.match(encoded, begin.end()))


def external_entities(encoded: bytes) -> set[str]:
    """Return the general entities that a document in UTF-8 declares as external: `<!ENTITY name SYSTEM "file">`."""
    text = encoded.decode("utf-8", "replace")
    prolog = _prolog(text)
    declared = find_declarations(text[prolog.subset_begin : prolog.subset_end])
    return declared.names - declared.texts.keys()


class _Replacer:
    """Replaces references in one document."""

    def __init__(self, subset: str, dtd: ExternalId, entities: Entities, room: int) -> None:
        self.kept: Counter[str] = Counter()
        self._declared = find_declarations(subset)
        self._entities = entities
        self._room = room
        externals = tuple(each for each in (dtd, *self._declared.used) if each.public or each.system)
        self.dtds = externals if entities.catalog else ()
        is_partly_unread = bool(externals) or len(self._declared.names) > len(self._declared.texts)
        self._keeps = entities.undefined == KEEP or (entities.undefined == AUTO and is_partly_unread)
        self._of_dtd = entities_of_dtds(entities.catalog, externals) if entities.catalog else {}
        self._with_iso = has_iso_entities(externals)
        self._known: dict[str, str | None] = {}

    def in_content(self, match: re.Match[str]) -> str:
        """Return the replacement of a reference; comments, CDATA sections and instructions stay."""
        return self._replaced(match[1]) if match[1] else match[0]

    def in_subset(self, match: re.Match[str]) -> str:
        """Return the replacement of a piece of the internal subset: references in entities, and to unread entities."""
        if match["unread"] in self._declared.unread:
            return ""
        if match["value"]:
            value: str = REFERENCE.sub(lambda reference: self._replaced(reference[1]), match["value"])
            return f"{match['start']}{value}"
        return match[0]

    def _replaced(self, name: str) -> str:
        if name in PREDEFINED or name in self._declared.texts:
            return f"&{name};"
        if name not in self._known:
            # A name that the document declares as an external entity hides the standard entity of that name.
            is_external = name in self._declared.names
            is_unknown = is_external and name not in self._entities.declared and name not in self._of_dtd
            own = frozenset(self._declared.texts)
            self._known[name] = None
            if not is_unknown:
                self._known[name] = self._entities.replacement(name, own, self._of_dtd, with_iso=self._with_iso)
        found = self._known[name]
        if found is None:
            if not self._keeps:
                return f"&{name};"  # the parser refuses it
            found = self._kept(name)
        elif self._keeps:
            found = re.sub(_IN_CONTENT, self._in_replacement, found)
        self._room -= len(found) - len(name) - 2
        if self._room < 0:
            raise CollectionError("its entities make the document longer than the limit max_file_bytes.")
        return found

    def _in_replacement(self, match: re.Match[str]) -> str:
        """Return a piece of the text of an entity; as text, if it is a reference to an undefined one."""
        name = match[1]
        return match[0] if not name or name in PREDEFINED or name in self._declared.texts else self._kept(name)

    def _kept(self, name: str) -> str:
        """Return a reference to an undefined entity as text, counted."""
        self.kept[name] += 1
        return f"&amp;{name};"


@lru_cache(64)
def entities_of_dtds(catalog: Catalog, externals: tuple[ExternalId, ...]) -> Mapping[str, str]:
    """Return the entities declared in the local files of the external ids."""
    found: dict[str, str] = {}
    for external in externals:
        path = catalog.locate(external)
        if path is not None:
            found = {**read_declarations(path, catalog.locate), **found}
    return found


def _prolog(text: str) -> _Prolog:
    before = _BEFORE_DOCTYPE.match(text)
    begin = before.end() if before else 0
    none = _Prolog(begin, begin, begin, ExternalId("", ""))
    head = _DOCTYPE.match(text, begin)
    if head is None:
        return none
    system = head["system"] or head["second"] or "''"
    dtd = ExternalId((head["public"] or "''")[1:-1], system[1:-1])
    opened = -1
    closed = -1
    for token in _IN_DOCTYPE.finditer(text, head.end()):
        if token[0] == "[" and opened < 0:
            opened = token.end()
        elif token[0] == "]" and closed < 0:
            closed = token.start()
        elif token[0] == ">" and (opened < 0 or closed >= 0):
            subset = (opened, closed) if opened >= 0 else (token.start(), token.start())
            return _Prolog(*subset, token.end(), dtd)
    return none  # not closed: the parser says so
