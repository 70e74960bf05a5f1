"""Reads one XML document safely: bytes in, canonical markup out.

The canonical markup is the root element as lxml serialises it in UTF-8: without comments and processing instructions,
CDATA and character references resolved, every `<` and `>` outside tags escaped. libxml2 parses and serialises in C;
`flat_documents.flatten` turns the markup of many documents into columns.

Nothing is fetched, no external entity is read, nothing is recovered: a document is read completely or not at all. Web
pages that are no XML are first made XML (`html_reader`). The
parser is given UTF-8 only (see `encodings`).
Limits that the document might exceed are checked before a tree of it is built (see `document_limits`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, cast

from lxml import etree

from engine.collection.document_limits import check_limits, check_namespaces, limit_exceeded, may_exceed_limits
from engine.collection.encodings import to_utf_8
from engine.collection.entities.entity_declarations import ExternalId
from engine.collection.entities.entity_references import (
    Entities,
    external_entities,
    may_have_doctype,
    resolve_references,
)
from engine.collection.html_reader import page_as_xml
from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.markup.canonical import canonical
from engine.errors import CollectionError, SettingsError
from engine.records import NamedTuple
from engine.system.input_files import GZIP_MAGIC, ZIP_MAGIC
from engine.wording import printable

# A reference that survives serialisation: an entity that the document does not define.
ENTITY_REFERENCE = re.compile(rb"&(?!amp;|lt;|gt;|quot;|#)([^;\s]*);")

DEFAULT_ENTITIES = Entities()
XINCLUDE = b"/XInclude"  # in the namespaces of 2001 and 2003
XML_ID = b"xml:id="
# In canonical markup, where `<` and `>` delimit tags only. A value that is not an NCName has a blank, a colon ...
_XML_ID_VALUE = re.compile(rb'<[^<>]* xml:id="([^"]*)"')
_NCNAME = re.compile(r"(?![\d.\-\u00b7])[\w.\-\u00b7]+")
# Depth that libxml2 does not exceed without `huge_tree`.
GUARDED_DEPTH = 257


class Markup(NamedTuple):
    """Canonical markup, with the root, its namespace and its children, which select the profile."""

    text: bytes
    root_name: str
    namespace: str
    children: frozenset[str]
    kept_entities: Mapping[str, int]  # how often references to undefined entities are kept as text
    n_inclusions: int  # xi:include elements, which are not followed
    has_wrong_ids: bool  # whether xml:id repeats a value, or has one that is not a name
    dtds: tuple[ExternalId, ...]  # those for which a catalog was asked
    is_page: bool = False  # whether it is a web page that is no XML, as an HTML parser understands it


class _NothingOutside(etree.Resolver):
    """Resolves every external resource, such as the external DTD, to an empty text."""

    def resolve(self, _system_url: str, _public_id: str, *context: Any) -> Any:
        """Return the empty text; lxml calls this before it reads an external resource."""
        return self.resolve_string("", *context, base_url=None)


class _Declarations(NamedTuple):
    """The declarations that a document may have; False only if its bytes rule them out."""

    doctype: bool
    entities: bool
    attributes: bool


def read_markup(
    raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS, entities: Entities = DEFAULT_ENTITIES
) -> Markup:
    """Return the canonical markup of a document, given its bytes.

    Args:
        name: what messages call the document.
        entities: what is known of entities that the document does not define.
    Raises: CollectionError with `name:line: reason` if it is not well-formed, refers to an unknown entity, or exceeds
        a limit.
    """
    if raw.startswith(ZIP_MAGIC):
        raise CollectionError(f"{name}:1: it is a ZIP archive and not XML: let its name end in .zip, or unpack it.")
    if raw.startswith(GZIP_MAGIC):
        raise CollectionError(f"{name}:1: it is compressed by gzip and not XML: let its name end in .gz, or unpack it.")
    page = page_as_xml(raw, name, limits)
    encoded = to_utf_8(raw, name) if page is None else page
    try:
        resolved = resolve_references(encoded, entities, limits.max_file_bytes)
    except (CollectionError, SettingsError) as error:
        raise CollectionError(f"{name}:1: {error}") from None
    encoded = resolved.encoded
    declared = _possible_declarations(encoded)

    def make_parser(*, huge_tree: bool = not declared.entities, **options: Any) -> etree.XMLParser:
        parser = etree.XMLParser(
            remove_comments=True,
            remove_pis=True,
            strip_cdata=True,
            no_network=True,
            load_dtd=False,  # the next two load it all the same, but find nothing in it
            collect_ids=False,  # else a repeated xml:id is an error
            attribute_defaults=declared.attributes,
            resolve_entities="internal",  # type: ignore[arg-type]  # the stubs lag behind lxml 5
            huge_tree=huge_tree,
            encoding="utf-8",  # of `encoded`, also where the document declares another
            **options,
        )
        parser.resolvers.add(_NothingOutside())
        return parser

    with translated_parser_errors(encoded, name, limits, declares_entities=declared.entities):
        if declared.attributes or may_exceed_limits(encoded, limits, has_entities=declared.entities):
            check_limits(encoded, name, limits, make_parser)
        root, is_guarded = _parsed(encoded, make_parser, declared)
        if declared.doctype:
            _forget_external_ids(root)
        text = canonical(root)
    check_namespaces(text, name)
    if resolved.has_references and (reference := ENTITY_REFERENCE.search(text)):
        entity = reference.group(1).decode()
        line = next((node.sourceline for node in root.iter(etree.Entity) if node.text == f"&{entity};"), None)
        raise CollectionError(f"{name}:{line or 1}: {undefined_entity(entity, encoded)}")
    if not is_guarded or limits.max_depth < GUARDED_DEPTH:
        check_depth(root, name, limits)
    n_inclusions = _n_inclusions(root) if XINCLUDE in encoded else 0
    has_wrong_ids = XML_ID in text and _has_wrong_ids(text)
    return Markup(text, *_describe(root), resolved.kept, n_inclusions, has_wrong_ids, resolved.dtds, page is not None)


def check_depth(root: etree._Element, name: str, limits: Limits) -> None:
    """Raise CollectionError if an element is nested deeper than the limits allow."""
    for element in cast(list[etree._Element], _first_deeper_than(limits.max_depth)(root)):
        raise CollectionError(f"{name}:{element.sourceline}: {limit_exceeded('max_depth', limits.max_depth)}")


def read_beginning(raw: bytes, name: str) -> Markup:
    """Return the canonical markup of the first bytes of a document, open elements closed, to count what is in it.

    Raises: CollectionError if nothing can be read of it.
    """
    parser = etree.XMLPullParser(
        ("start",), remove_comments=True, remove_pis=True, no_network=True, load_dtd=False, resolve_entities=False
    )
    with suppress(etree.XMLSyntaxError):  # what was read before it counts
        parser.feed(to_utf_8(raw, name))
    root = next((element for _, element in parser.read_events() if isinstance(element, etree._Element)), None)
    if root is None:
        raise CollectionError(f"{name}:1: no element begins in the first {len(raw):,} bytes.")
    text = ENTITY_REFERENCE.sub(b"", canonical(root))
    check_namespaces(text, name)
    return Markup(text, *_describe(root), {}, 0, False, ())


def _parsed(
    encoded: bytes, make_parser: Callable[..., etree.XMLParser], declared: _Declarations
) -> tuple[etree._Element, bool]:
    """Return the root element, and whether no element is deeper than GUARDED_DEPTH.

    Nearly all documents keep the limits that libxml2 has without `huge_tree`; deep elements are looked for in others.
    """
    try:
        return etree.fromstring(encoded, make_parser(huge_tree=False)), True
    except etree.XMLSyntaxError:
        if declared.entities:
            raise
    return etree.fromstring(encoded, make_parser()), False


def _forget_external_ids(root: etree._Element) -> None:
    """Remove the identifiers of the DTD: libxml2 adds elements and attributes to documents with those of XHTML 1.0."""
    known: Any = root.getroottree().docinfo  # the stubs lag behind
    if known.public_id is not None:
        known.public_id = None
    if known.system_url is not None:
        known.system_url = None


def _possible_declarations(encoded: bytes) -> _Declarations:
    """Return the declarations that a document in UTF-8 may have.

    libxml2 guards against entity bombs, but the guard also limits text to 10 MB per node and depth to 256. It is
    switched off only if the document certainly declares no entity.
    """
    if not may_have_doctype(encoded):
        return _Declarations(False, False, False)
    return _Declarations(True, b"<!ENTITY" in encoded, b"<!ATTLIST" in encoded)


@lru_cache(16)
def _first_deeper_than(depth: int) -> etree.XPath:
    """Return an XPath that selects the first element nested deeper than `depth`."""
    return etree.XPath(f"({'/*' * (depth + 1)})[1]")


def _n_inclusions(root: etree._Element) -> int:
    return sum(XINCLUDE.decode() in (etree.QName(each).namespace or "") for each in root.iter("{*}include"))


def _has_wrong_ids(markup: bytes) -> bool:
    values = _XML_ID_VALUE.findall(markup)
    return len(set(values)) < len(values) or not all(_NCNAME.fullmatch(value.decode()) for value in values)


def _describe(root: etree._Element) -> tuple[str, str, frozenset[str]]:
    """Return the root's local name, its namespace, and the local names of its children."""
    name = etree.QName(root)
    children = frozenset(child.tag.rpartition("}")[2] for child in root.iterchildren(etree.Element))
    return name.localname, name.namespace or "", children


# What libxml2 adds to its messages; the options it names cannot be set here.
_LIBXML_ADVICE = re.compile(r",? (try|use) XML_PARSE_HUGE( option)?|, see xmlCtxtSetMaxAmplification\.")
_UNDEFINED_ENTITY = re.compile("Entity '(.+)' not defined")
_EXCESSIVE_DEPTH = re.compile(r"Excessive depth in document: (\d+)")
_PARSER_LIMIT = re.compile("too long|too big|huge|Huge|Buffer size limit")
_PARSER_LIMIT_ADVICE = (
    "in a document that declares entities, the parser reads at most 256 levels and 10 MB in one piece, whatever the "
    "settings: expand the entities before indexing."
)
_AMPLIFICATION_ADVICE = (
    "entities and default attributes may make a document at most five times as large, whatever the settings: expand "
    "them before indexing."
)
_SECOND_ROOT = "Extra content at the end of the document"
_SECOND_ROOT_ADVICE = (
    'a document has one root element: begin each of several in a file with an XML declaration, <?xml version="1.0"?>, '
    "or put all into one element and split it (--split)."
)
# Characters of a document or a parser message that are shown.
_MAX_SHOWN = 200


@contextmanager
def translated_parser_errors(raw: bytes, name: str, limits: Limits, *, declares_entities: bool) -> Iterator[None]:
    """Raise CollectionError with `name:line: reason` for every error that the parser raises inside the context."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "not well-formed")
        reason = _one_line(_LIBXML_ADVICE.sub("", reason))
        if undefined := _UNDEFINED_ENTITY.fullmatch(reason):
            reason = undefined_entity(undefined[1], raw)
        elif excessive := _EXCESSIVE_DEPTH.fullmatch(reason):
            reason = _too_deep(int(excessive[1]), limits, declares_entities=declares_entities)
        elif reason == _SECOND_ROOT:
            reason += f": {_SECOND_ROOT_ADVICE}"
        elif "amplification" in reason:
            reason += f": {_AMPLIFICATION_ADVICE}"
        elif _PARSER_LIMIT.search(reason) and declares_entities:
            reason += f": {_PARSER_LIMIT_ADVICE}"
        raise CollectionError(f"{name}:{line}: column {column}: {reason}") from None
    except MemoryError:
        raise CollectionError(f"{name}:1: not enough memory to read the document: split it.") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise CollectionError(f"{name}:1: {error}") from None


def undefined_entity(entity: str, raw: bytes) -> str:
    """Return the reason for skipping a document that refers to an entity whose text it does not define."""
    is_external = entity in external_entities(raw)
    entity = _one_line(entity)
    if f"%{entity};".encode() in raw and f"&{entity};".encode() not in raw:
        return _external_parameter_entity(entity)
    if is_external:
        remedy = "is external and is not read: define its text in the document"
    else:
        remedy = "is not defined in the document: define it there"
    return (
        f"entity '{entity}' {remedy}, in a file of entities, or in a local DTD of a catalog, or keep such references "
        "as text (undefined entities: keep)."
    )


_UNDEFINED_IN = re.compile(r"(?:document \d+ of it: )?(?:column \d+: )?entity '(.*?)' is not defined in the document: ")


def undefined_entity_in(reason: str) -> str | None:
    """Return the entity that a document was skipped for, as it does not define it; None for any other reason."""
    found = _UNDEFINED_IN.match(reason)
    return found[1] if found else None


def _external_parameter_entity(entity: str) -> str:
    return (
        f"parameter entity '{entity}' is not read: remove it, and declare what the document needs in its internal DTD "
        "subset."
    )


def _too_deep(depth: int, limits: Limits, *, declares_entities: bool) -> str:
    """Return the reason for skipping a document nested deeper than `depth`, the parser's limit."""
    if depth > limits.max_depth:
        return limit_exceeded("max_depth", limits.max_depth)
    advice = _PARSER_LIMIT_ADVICE if declares_entities else "flatten the document."
    return f"elements nested more than {depth:,} deep: {advice}"


def _one_line(text: str) -> str:
    """Return a text from a document or the parser, safe to print on one line."""
    line = " ".join(text.split())
    return printable(line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…")
