"""The encodings of documents: which are read, and how the bytes of a document become UTF-8.

Every document is converted to UTF-8 before it is parsed, and its declaration of an encoding is ignored from then on.
Limits can therefore be checked on the bytes: the tags and declarations in them are those that the parser finds.
"""

from __future__ import annotations

import codecs
import re

from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.wording import printable


class Encoding(NamedTuple):
    """An encoding that documents may have: its name, Python's name of it, and further names."""

    name: str
    codec: str
    aliases: tuple[str, ...] = ()


# Number of the ISO-8859 part, by the number of the Latin alphabet.
_LATIN = {1: 1, 2: 2, 3: 3, 4: 4, 5: 9, 6: 10, 7: 13, 8: 14, 9: 15, 10: 16}
_LATIN_NAMES = {part: (f"latin{number}", f"l{number}") for number, part in _LATIN.items()}

ENCODINGS = (
    Encoding("UTF-8", "utf-8", ("utf8",)),
    Encoding("UTF-16", "utf-16", ("utf16", "utf-16le", "utf-16be", "iso-10646-ucs-2", "ucs-2")),
    Encoding("US-ASCII", "ascii", ("ascii", "iso646-us", "ansi_x3.4-1968")),
    *(
        Encoding(
            f"ISO-8859-{part}", f"iso8859-{part}", (f"iso8859-{part}", f"iso_8859-{part}", *_LATIN_NAMES.get(part, ()))
        )
        for part in (*range(1, 12), *range(13, 17))
    ),
    *(Encoding(f"windows-{page}", f"cp{page}", (f"cp{page}", f"cp-{page}")) for page in range(1250, 1259)),
    Encoding("windows-874", "cp874", ("cp874",)),
    Encoding("TIS-620", "tis-620", ("tis620",)),
    Encoding("KOI8-R", "koi8-r"),
    Encoding("KOI8-U", "koi8-u"),
    Encoding("Shift_JIS", "shift_jis", ("shift-jis", "sjis", "x-sjis", "ms_kanji")),
    Encoding("windows-31J", "cp932", ("cp932", "ms932")),
    Encoding("EUC-JP", "euc_jp", ("eucjp",)),
    Encoding("ISO-2022-JP", "iso2022_jp"),
    Encoding("GB2312", "gb2312", ("euc-cn", "euccn")),
    Encoding("GBK", "gbk", ("cp936", "windows-936")),
    Encoding("GB18030", "gb18030"),
    Encoding("Big5", "big5", ("big-5", "cn-big5")),
    Encoding("Big5-HKSCS", "big5hkscs"),
    Encoding("EUC-KR", "euc_kr", ("euckr", "ks_c_5601-1987")),
    Encoding("windows-949", "cp949", ("cp949", "uhc")),
)
_BY_NAME = {name.lower(): encoding for encoding in ENCODINGS for name in (encoding.name, *encoding.aliases)}
_UTF_8, _UTF_16 = ENCODINGS[:2]
# Codecs in which bytes below 128 may be something else than ASCII.
_NO_ASCII = ("utf-16", "iso2022_jp")

# An XML declaration by its grammar; the parser refuses what deviates from it.
_DECLARATION = re.compile(
    rb"""(?:\xef\xbb\xbf)?<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"[^"<>]*"|'[^'<>]*')"""
    rb"""[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"<>]*)"|'([^'<>]*)')"""
)
_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_UNMARKED = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
# How documents begin that are not read: the byte order marks of UTF-32, `<` in UTF-32, `<?xm` in EBCDIC.
_FOREIGN = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"<\0\0\0", "UTF-32"),
    (b"\0\0\0<", "UTF-32"),
    (b"\x4c\x6f\xa7\x94", "EBCDIC"),
)
# Bytes that are decoded at a time, so that no second copy of a large document is made.
_CHUNK = 1 << 20
_ADVICE = "convert the document to UTF-8; docs/formats.md lists the encodings."
# Characters of a declared name that a message shows.
_SHOWN = 40


def to_utf_8(raw: bytes, name: str) -> bytes:
    """Return a document's bytes in UTF-8; the same object if they are UTF-8 already.

    A byte order mark decides, then the XML declaration; without both, the encoding is UTF-8. UTF-8 itself is not
    checked here, because the parser does it.

    Args:
        name: what messages call the document.
    Raises: CollectionError for an encoding that is not in `ENCODINGS`, and for bytes that are invalid in it.
    """
    for start, foreign in _FOREIGN:
        if raw.startswith(start):
            raise CollectionError(f"{name}:1: encoded in {foreign}, which is not read: {_ADVICE}")
    for mark, codec in _MARKS:
        if raw.startswith(mark):
            return _decoded(raw, len(mark), codec, "UTF-16", name)
    for start, codec in _UNMARKED:
        if raw.startswith(start):
            return _decoded(raw, 0, codec, "UTF-16", name)
    declared = _DECLARATION.match(raw)
    if declared is None or raw.startswith(codecs.BOM_UTF8):
        return raw
    label = (declared[1] if declared[1] is not None else declared[2]).decode("ascii", "replace")
    encoding = _BY_NAME.get(label.lower())
    line = raw.count(b"\n", 0, declared.end()) + 1
    if encoding is None:
        raise CollectionError(f"{name}:{line}: the encoding {printable(label[:_SHOWN])!r} is not read: {_ADVICE}")
    if encoding is _UTF_16:
        raise CollectionError(f"{name}:{line}: declares {label}, but is not in it: declare the encoding that it has.")
    if encoding is _UTF_8 or (encoding.codec not in _NO_ASCII and raw.isascii()):
        return raw
    return _decoded(raw, 0, encoding.codec, encoding.name, name)


def _decoded(raw: bytes, begin: int, codec: str, encoding: str, name: str) -> bytes:
    """Return the bytes from `begin` on, converted from a codec to UTF-8."""
    decoder = codecs.getincrementaldecoder(codec)()
    converted = bytearray()
    for place in range(begin, len(raw), _CHUNK):
        try:
            converted += decoder.decode(raw[place : place + _CHUNK], place + _CHUNK >= len(raw)).encode()
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(codec, "ignore")
            line = converted.count(b"\n") + before.count("\n") + 1
            wrong = " ".join(f"0x{byte:02X}" for byte in error.object[error.start : error.end])
            reason = f"{wrong} is not valid in {encoding}: declare the encoding that the document has."
            raise CollectionError(f"{name}:{line}: {reason}") from None
        except UnicodeEncodeError:
            line = converted.count(b"\n") + 1
            raise CollectionError(f"{name}:{line}: a surrogate, which is not a character, in {encoding}.") from None
    return bytes(converted)
