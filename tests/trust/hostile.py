"""Documents that mean harm: what each holds, and how it is refused; beside them some that are only odd."""

from __future__ import annotations

from collections.abc import Callable

MEGABYTE = 2**20
AMPLIFIED = "amplification factor exceeded: .* whatever the settings"
BAD_BYTES = "Invalid bytes in character encoding|not proper UTF-8|is not valid in"
NOT_READ = "which is not read|is not read: convert the document to UTF-8"
NUL = "Invalid character|out of allowed range|invalid character|Document is empty|Extra content"
BOUNDS = "in a document that declares entities, the parser reads at most .* whatever the settings"
UNDEFINED = "entity '[a-z0-9]+' is (external and is )?not (defined|read)"


def entity(name: str, text: str) -> str:
    return f'<!ENTITY {name} "{text}">'


def document(*declarations: str, body: str) -> bytes:
    """Return a document with an internal DTD subset."""
    return f"<!DOCTYPE a [{' '.join(declarations)}]>{body}".encode()


def powers(body: str, of: str = "lol " * 10) -> bytes:
    """Return a document in which the entity e9 stands for a thousand million of something."""
    steps = (entity(f"e{i + 1}", f"&e{i};" * 10) for i in range(9))
    return document(entity("e0", of), *steps, body=body)


ONE = entity("e", "e")
TWO_THOUSAND = " ".join(f"xmlns:n{i} CDATA 'u'" for i in range(2_000))

HOSTILE: dict[str, tuple[bytes, str]] = {  # and the reason it is left out for
    # entities
    "billion-laughs": (powers("<a>&e9;</a>"), AMPLIFIED),
    "billion-laughs-in-an-attribute": (powers("<a b='&e9;'/>"), AMPLIFIED),
    "billion-elements": (powers("<a>&e9;</a>", "<b/>"), AMPLIFIED),
    "quadratic-blow-up": (document(entity("e", "x" * 50_000), body=f"<a>{'&e;' * 50_000}</a>"), AMPLIFIED),
    "quadratic-elements": (document(entity("e", "<b/>" * 9_000), body=f"<a>{'&e;' * 9_000}</a>"), AMPLIFIED),
    "entity-loop": (document(entity("e", "&f;"), entity("f", "&e;"), body="<a>&e;</a>"), "entity reference loop"),
    "entity-in-itself": (document(entity("e", "&e;"), body="<a>&e;</a>"), "entity reference loop"),
    "parameter-entity-bomb": (
        document(
            entity("% e0", "x"), *(entity(f"% e{i + 1}", f"%e{i};" * 10) for i in range(9)), "%e9;", body="<a>sea</a>"
        ),
        UNDEFINED,
    ),
    "parameter-entities": (document(entity("% e", "<!--x-->"), "%e;" * 1_000_000, body="<a>sea</a>"), UNDEFINED),
    "attribute-defaults": (
        document(f"<!ATTLIST b {TWO_THOUSAND}>", body=f"<a>{'<b/>' * 90_000}</a>"),
        f"{AMPLIFIED}|the limit max_attributes",
    ),
    "nested-where-entities-are-declared": (document(ONE, body="<a>" * 300 + "</a>" * 300), BOUNDS),
    "text-where-entities-are-declared": (document(ONE, body=f"<a>{'x' * 11_000_000}</a>"), BOUNDS),
    "attribute-where-entities-are-declared": (document(ONE, body=f"<a b='{'x' * 11_000_000}'/>"), BOUNDS),
    # depth and names
    "nested-1001": (b"<a>" * 1_001 + b"</a>" * 1_001, "more than 1,000 deep, the limit max_depth"),
    "nested-100000": (b"<a>" * 100_000 + b"</a>" * 100_000, "more than 1,000 deep, the limit max_depth"),
    "nested-and-never-closed": (b"<a>" * 1_000_000, "more than 1,000 deep, the limit max_depth|Premature end"),
    "long-name": (b"<" + b"a" * 11_000_000 + b"/>", "Name too long"),
    "unclosed-long-name": (b"<" + b"a" * 60_000 + b"></b>", "Opening and ending tag mismatch: a{100,200}…"),
    "long-namespace": (b'<a xmlns="urn:' + b"x" * 5_000 + b'"><b/></a>', "a namespace of more than 4,096 characters"),
    "long-namespace-with-a-prefix": (b'<a><b xmlns:c="' + b"x" * 5_000 + b'"/></a>', "a namespace of more than 4,096"),
    "long-namespace-by-an-entity": (
        document(entity("e", "x" * 5_000), body="<a xmlns='&e;'/>"),
        "a namespace of more than 4,096 characters",
    ),
    # encodings
    "utf-16-without-mark": ("<a>Tür</a>".encode("utf-16-le"), NUL),
    "utf-16-big-endian-without-mark": ("<a>Tür</a>".encode("utf-16-be"), NUL),
    "utf-8-called-utf-16": (
        '<?xml version="1.0" encoding="utf-16"?><a>Tür</a>'.encode(),
        "declares utf-16, but is not in it",
    ),
    "latin-1-called-utf-8": ('<?xml version="1.0" encoding="utf-8"?><a>Tür</a>'.encode("latin-1"), BAD_BYTES),
    "utf-8-called-ascii": ('<?xml version="1.0" encoding="us-ascii"?><a>Tür</a>'.encode(), BAD_BYTES),
    "called-twice": (b'<?xml version="1.0" encoding="utf-8" encoding="utf-7"?><a/>', "XML declaration"),
    "ebcdic": ('<?xml version="1.0" encoding="ibm037"?><a>x</a>'.encode("cp037"), "EBCDIC, which is not read"),
    "unknown-encoding": (b'<?xml version="1.0" encoding="klingon"?><a/>', "'klingon' is not read"),
    "utf-7": (b'<?xml version="1.0" encoding="utf-7"?><a>+AHM-ea</a>', NOT_READ),
    "utf-7-declared-late": (b'<?xml version="1.0"' + b" " * 300 + b'encoding="UTF-7"?><a>+AHM-ea</a>', NOT_READ),
    "utf-32": ("<a>sea</a>".encode("utf-32"), NOT_READ),
    "overlong-less-than": (b"<a>\xc0\xbcb/></a>", BAD_BYTES),
    "overlong-slash": (b"<a>\xe0\x80\xaf</a>", BAD_BYTES),
    "overlong-nul": (b"<a>\xc0\x80</a>", BAD_BYTES),
    "surrogate": (b"<a>\xed\xa0\x80</a>", BAD_BYTES),
    "beyond-unicode": (b"<a>\xf4\x90\x80\x80</a>", BAD_BYTES),
    "cut-character": (b"<a>\xe2\x82</a>", BAD_BYTES),
    "no-character": (b"<a>\xef\xbf\xbf</a>", "invalid Char value 65535"),
    "reference-to-a-surrogate": (b"<a>&#xD800;</a>", "invalid xmlChar value 55296"),
    "escape": (b"<a>\x1b[2J</a>", "invalid Char value 27"),
    "escape-in-a-message": ('<a xmlns:x="\x9b2J"/>'.encode(), r"xmlns:x: '\\x9b2J' is not a valid URI"),
    # NULs
    "nul-in-text": (b"<a>x\0y</a>", NUL),
    "nul-in-a-name": (b"<a\0b/>", NUL),
    "nul-in-an-attribute": (b'<a b="\0"/>', NUL),
    "nul-first": (b"\0<a/>", NUL),
    "nul-last": (b"<a/>\0", NUL),
    "nuls": (b"\0" * 100_000, NUL),
    "reference-to-nul": (b"<a>&#0;</a>", "invalid xmlChar value 0"),
}
READ: dict[str, bytes] = {  # what is odd, but does no harm
    "200,000-attributes": b"<a " + b" ".join(b"b%x=''" % i for i in range(200_000)) + b">sea</a>",
    "attribute-of-8-megabytes": b"<a b='" + b"x" * 8 * MEGABYTE + b"'>sea</a>",
    "comment-of-20-megabytes": b"<a><!--" + b"x" * 20 * MEGABYTE + b"-->sea</a>",
    "name-of-a-megabyte": b"<a><" + b"b" * MEGABYTE + b"/>sea</a>",
    "xinclude": b'<a xmlns:xi="http://www.w3.org/2001/XInclude">sea<xi:include href="/etc/passwd" parse="text"/></a>',
}

SMALL = ["max_text=1M", "max_elements=100000", "max_attributes=100000", "max_file_bytes=200M"]
LARGE: dict[str, tuple[Callable[[int], bytes], str]] = {  # what would unfold to 20 to 60 times the bytes that are asked
    "words": (lambda size: b"<a>" + b"a " * (size // 2) + b"</a>", "max_text"),
    "one-word": (lambda size: b"<a>" + b"a" * size + b"</a>", "max_text"),
    "references": (lambda size: b"<a>" + b"&#97;" * (size // 5) + b"</a>", "max_text"),
    "less-than-signs": (lambda size: b"<a><![CDATA[" + b"<" * size + b"]]></a>", "max_text"),
    "attribute": (lambda size: b"<a b='" + b'"' * size + b"'/>", "max_text"),
    "elements": (lambda size: b"<a>" + b"<b/>" * (size // 4) + b"</a>", "max_elements"),
    "tags": (lambda size: b"<a>" + b"".join(b"<b%x/>" % i for i in range(size // 9)) + b"</a>", "max_elements"),
    "attributes": (lambda size: b"<a>" + b"<b c='' d=''/>" * (size // 14) + b"</a>", "max_attributes"),
    "attributes-of-one": (
        lambda size: b"<a " + b" ".join(b"b%x=''" % i for i in range(size // 10)) + b"/>",
        "max_attributes",
    ),
    "namespaces": (
        lambda size: b"<a " + b" ".join(b"xmlns:b%x='u'" % i for i in range(size // 15)) + b"/>",
        "max_attributes",
    ),
    "entities": (
        lambda size: document(
            entity("e", "<b/>" * 1_000), body=f"<a>{'<c>and text</c>' * (size // 20)}{'&e;' * (size // 4_000)}</a>"
        ),
        "max_elements",
    ),
    "not-utf-8": (
        lambda size: (
            '<?xml version="1.0" encoding="utf-16"?><a>'.encode("utf-16") + "<b/>".encode("utf-16-le") * (size // 8)
        ),
        "max_elements",
    ),
    "encoding-declared-late": (
        lambda size: (
            b'<?xml version="1.0"'
            + b" " * 300
            + b'encoding="Shift_JIS"?><a>'
            + "灯".encode("shift_jis")
            + b"<b/>" * (size // 4)
            + b"</a>"
        ),
        "max_elements",
    ),
}

OUTWARD = [
    '<!DOCTYPE a SYSTEM "{}"><a>sea</a>',
    '<!DOCTYPE a PUBLIC "-//made//EN" "{}"><a>sea</a>',
    '<!DOCTYPE a SYSTEM "{}" [<!ENTITY x "y">]><a>sea &x;</a>',
    '<!DOCTYPE a SYSTEM "{}"><a>sea &x;</a>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "{}">]><a>sea &x;</a>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "{}">]><a b="&x;">sea</a>',
    '<!DOCTYPE a [<!ENTITY x PUBLIC "-//made//EN" "{}">]><a>sea &x;</a>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "{}" NDATA n><!NOTATION n SYSTEM "{}">]><a>sea</a>',
    '<!DOCTYPE a [<!ENTITY % x SYSTEM "{}"> %x;]><a>sea</a>',
    '<!DOCTYPE a [<!ENTITY % x SYSTEM "{}"> <!ENTITY % y "<!ENTITY z SYSTEM \'{}?%x;\'>"> %y;]><a>sea &z;</a>',
    '<!DOCTYPE a [<!ATTLIST b c ENTITY #IMPLIED><!ENTITY x SYSTEM "{}" NDATA n>]><a><b c="x"/>sea</a>',
    '<a xmlns:xi="http://www.w3.org/2001/XInclude">sea<xi:include href="{}"/></a>',
    '<a xmlns:xi="http://www.w3.org/2001/XInclude">sea<xi:include href="{}" parse="text"/></a>',
    '<a xmlns:xi="http://www.w3.org/2003/XInclude">sea<xi:include href="{}"/></a>',
    '<?xml-stylesheet href="{}" type="text/xsl"?><?xml-model href="{}"?><a>sea</a>',
    '<?oasis-xml-catalog catalog="{}"?><!DOCTYPE a SYSTEM "{}"><a>sea</a>',
    '<a xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:schemaLocation="u {}">sea</a>',
    '<a xml:base="{}" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="{}" xlink:actuate="onLoad">sea</a>',
]
