"""Reads web pages that are not well-formed XML: HTML in, well-formed XHTML out, as a browser would understand it.

The parser is Lexbor's (`selectolax`), which follows the HTML standard: of 29 pages with broken tags it gives the tree
of the standard for all, at 26 MB/s; html5lib for 28, at 0.1 MB/s; libxml2 (`lxml.html`) at 15 MB/s, with headings
in headings, and text in tables that stands before them.

The result is read like any other XML document, within the same limits. Offsets, paths and the markup of elements are
those of the result.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.parsers import expat

from engine.collection.encodings import to_utf_8
from engine.collection.entities.entity_references import Entities, resolve_references
from engine.collection.limits import Limits, limit_hint
from engine.collection.sources.file_names import is_web_page
from engine.errors import CollectionError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

XHTML = "http://www.w3.org/1999/xhtml"
# Where a page may say how it is encoded, and how.
SNIFFED = 4096
_CHARSET = re.compile(
    rb"""<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([^\s"'/>;]+)|<\?xml\s[^>]{0,200}?encoding=["']([^"']+)"""
)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Encodings of the web that are read as a larger one, as the Encoding Standard has it.
_LARGER = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874"}
_LARGER |= {"gb2312": "gbk", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
# Characters that XML does not have; U+000C is white space of HTML.
_NO_XML = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_TEXT = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"))
_IN_TAG = (*_IN_TEXT, ('"', "&quot;"), ("\n", "&#10;"), ("\t", "&#9;"))
# By the characters that it cannot begin with, which compiles faster.
_NAME = re.compile(r"(?![\U000f0000-\U0010ffff])[^\x00-@\[-^`{-\xbf][\w.\-\u00b7]*")
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)")
# Elements that a parser opens again in each block until they are closed.
_FORMATS = frozenset(b"a b big code em font i nobr s small strike strong tt u".split())
# Elements that end where another begins, and those without content: they say nothing of depth.
_ENDING = frozenset(
    b"html head body p li dt dd tr td th thead tbody tfoot option optgroup rb rt rp rtc colgroup area base br col "
    b"embed frame hr img input keygen link meta param source track wbr".split()
)
# An attribute of a tag, as the HTML standard finds them; and a tag with its attributes.
_ATTRIBUTE = rb"""(?:[^\s/>=]|=)[^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?"""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_WHOLE_TAG = re.compile(rb"<[a-zA-Z][^\s/>]*((?:[\s/]+|" + _ATTRIBUTE + rb")*)")
# Attributes of a tag: a parser compares each with all before it.
MOST_OF_TAG = 10_000
# A script, where nothing in it is one, or a comment.
_SCRIPT = re.compile(r"(<script\b[^<>]*>)[^<-]*(?:(?:<(?!/?script|!--)|-(?!->))[^<-]*)*(?=</script)", re.IGNORECASE)
# How much deeper a page may seem than it is, and elements that may be opened again in all.
SLACK, MOST_REOPENED = 4, 2_000_000


def page_as_xml(raw: bytes, name: str, limits: Limits) -> bytes | None:
    """Return a web page as XML in UTF-8; None for a file that is none by its name, or that is well-formed XML.

    Raises: CollectionError for a file that is no text, and for a page that a parser cannot read in a reasonable time.
    """
    if not is_web_page(name) or _is_well_formed(raw, name, limits):
        return None
    if b"\0" in raw[:SNIFFED] and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CollectionError(f"{name}:1: it is no text: expected a web page.")
    text = _checked(_decoded(raw), name, limits)
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (few collections have such pages)

    return "".join(_serialised(LexborHTMLParser(text).root)).encode()


# A tag of HTML in text, by its name; and a reference to a character.
_ELEMENTS = (
    "a|abbr|address|article|aside|b|big|blockquote|br|caption|center|cite|code|col|dd|del|dfn|div|dl|dt|em|figcaption|"
    "figure|font|footer|h[1-6]|header|hr|i|iframe|img|ins|kbd|li|main|mark|nav|ol|p|pre|q|s|samp|section|small|span|"
    "strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video"
)
_HTML_TAG = re.compile(rf"</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:[a-zA-Z][a-zA-Z0-9]{1,30}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ANY_TAG = re.compile(r"</?[a-zA-Z][^\s<>/]*(?:\s[^<>]*)?/?>")


def is_escaped_markup(text: str) -> bool:
    """Return whether a text of an element, read as HTML, is another one: it has tags of HTML, or references.

    >>> is_escaped_markup("<p>A fox</p>"), is_escaped_markup("a < b & c"), is_escaped_markup("Ears &amp; tails")
    (True, False, True)
    """
    return ("<" in text and _HTML_TAG.search(text) is not None) or ("&" in text and _REFERENCE.search(text) is not None)


def is_html(text: str) -> bool:
    """Return whether a text has a tag of HTML, and no tags of other names, as a listing of other markup has.

    >>> is_html("A <b>red</b> fox<br>"), is_html("<p><fox/></p>"), is_html("Fox &amp; hare")
    (True, False, False)
    """
    tags = _ANY_TAG.findall(text)
    return bool(tags) and all(map(_HTML_TAG.fullmatch, tags))


def fragment_as_xml(text: str, name: str, limits: Limits) -> bytes:
    """Return a text of HTML as the body of a page, as XML in UTF-8.

    Raises: CollectionError for a text that a parser cannot read in a reasonable time.
    """
    text = _checked(text, name, limits)
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (few collections have such text)

    return "".join(_serialised(LexborHTMLParser(f"<!DOCTYPE html><body>{text}").body)).encode()


def _is_well_formed(raw: bytes, name: str, limits: Limits) -> bool:
    try:
        encoded = to_utf_8(raw, name)
        if b"<!ENTITY" in encoded:
            return True
        resolved = resolve_references(encoded, Entities(), limits.max_file_bytes).encoded
        expat.ParserCreate("utf-8", " ").Parse(resolved, True)
    except (expat.ExpatError, CollectionError):
        return False
    return True


def _decoded(raw: bytes) -> str:
    """Return the text of a page, decoded by its mark or its declaration, else as UTF-8, else as windows-1252."""
    for mark, codec in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(codec, "replace")
    found = _CHARSET.search(raw[:SNIFFED])
    label = (found[1] or found[2]).decode("ascii", "replace") if found else ""
    try:
        codec = codecs.lookup(label or "utf-8").name
    except LookupError:
        codec = "utf-8"
    codec = _LARGER.get(codec, codec)
    try:
        return raw.decode("utf-8" if codec.startswith("utf") else codec, "strict" if not label else "replace")
    except (UnicodeDecodeError, LookupError):
        return raw.decode("cp1252", "replace")


def _checked(text: str, name: str, limits: Limits) -> str:
    """Return a page that a parser can read; without its scripts, which are not indexed, if it cannot with them."""
    try:
        _check_nesting(text.encode("utf-8", "replace"), name, limits)
    except CollectionError:  # a script may compare `i<n`, which looks like a tag
        if (without := _SCRIPT.sub(r"\1", text)) == text:
            raise
        _check_nesting(without.encode("utf-8", "replace"), name, limits)
        return without
    return text


def _check_nesting(encoded: bytes, name: str, limits: Limits) -> None:
    """Raise CollectionError for a page whose tags open more elements than it has, nest far too deep, or are long."""
    for found in _WHOLE_TAG.finditer(encoded):
        written = found[1]
        if len(written) > MOST_OF_TAG and len(_ATTRIBUTES.findall(written)) > MOST_OF_TAG:
            raise CollectionError(f"{name}:1: a tag with more than {MOST_OF_TAG:,} attributes: shorten it.")
    opened: dict[bytes, int] = {}
    depth = formats = reopened = 0
    for is_end, written in _TAG.findall(encoded):
        tag = written.lower()
        if tag in _ENDING:
            reopened += 0 if is_end else formats
            if reopened > MOST_REOPENED:
                raise CollectionError(
                    f"{name}:1: {formats:,} elements such as <b> are not closed, and each opens again in every "
                    "paragraph: close them."
                )
            continue
        if is_end and not opened.get(tag):
            continue
        step = -1 if is_end else 1
        opened[tag] = opened.get(tag, 0) + step
        depth += step
        formats += step if tag in _FORMATS else 0
        reopened += 0 if is_end or tag in _FORMATS else formats
        if depth > SLACK * limits.max_depth:
            raise CollectionError(
                f"{name}:1: elements nested more than {limits.max_depth:,} deep, {limit_hint('max_depth')}: flatten "
                "the page."
            )


def _serialised(root: LexborNode | None) -> Iterator[str]:
    """Yield an element of a page as XHTML. Names lose their prefixes and what XML does not have in names."""
    node, depth, names = root, 0, list[str]()
    while node is not None:
        tag, child = node.tag or "", None
        if tag == "-text":
            yield _escaped(node.text(deep=False))
        elif tag[:1] not in ("-", "!"):
            names.append(_name(tag) or "unknown")
            yield f"<{names[-1]}{_attributes(node.attributes, is_root=not depth)}>"
            child = node.child
            if child is None:
                yield f"</{names.pop()}>"
        if child is not None:
            node, depth = child, depth + 1
            continue
        while depth and node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            yield f"</{names.pop()}>"
        node = node.next if depth and node is not None else None


def _attributes(attributes: dict[str, str | None], *, is_root: bool) -> str:
    written = {"xmlns": XHTML} if is_root else {}
    for given, value in attributes.items():
        if given.startswith("xmlns"):
            continue
        name = given if given == "xml:lang" else _name(given)
        if name and name not in written:
            written[name] = value or ""
    return "".join(f' {name}="{_escaped(value, in_tag=True)}"' for name, value in written.items())


def _name(given: str) -> str:
    """Return the local part of a name, "" if it is none in XML."""
    local = given.rpartition(":")[2]
    if _NAME.fullmatch(local):
        return local
    local = re.sub(r"[^\w.\-\u00b7]", "_", local)
    return local if _NAME.fullmatch(local) else ""


def _escaped(text: str, *, in_tag: bool = False) -> str:
    text = _NO_XML.sub("\ufffd", text.replace("\x0c", " "))
    for character, reference in _IN_TAG if in_tag else _IN_TEXT:
        text = text.replace(character, reference)
    return text
