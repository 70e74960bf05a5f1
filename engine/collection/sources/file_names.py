"""Rules on file names: which files are documents or archives, and which document id a name gives."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable

from engine.wording import printable

# Longest name of an archive member, in characters; PATH_MAX of Linux, so no extracted file could have a longer one.
MAX_MEMBER_NAME = 4_096
# How much of a longer name a message shows.
_SHOWN_NAME = 200
# Extensions of XML vocabularies of documents; each may be followed by `.gz`. Other files can be named one by one or by
# a pattern such as '*.svg'.
# fmt: off
_VOCABULARIES = (
    "xml", "nxml", "jats", "tei", "odd", "docbook", "dbk", "dita", "ditamap", "bookmap", "xhtml", "xht", "ead", "eac",
    "mods", "mets", "osis", "usx", "fb2", "dtbook", "akn", "uslm", "cmdi", "rss", "atom", "kml", "musicxml",
    "mei", "fodt", "xlf", "xliff", "tmx", "usfx", "cnxml", "ptx",
)
# fmt: on
# Web pages, likewise: they are read as a browser does where they are not well-formed.
WEB_PAGES = (".html", ".htm", ".html.gz", ".htm.gz")
_ENDINGS = tuple(f".{name}{gz}" for name in _VOCABULARIES for gz in ("", ".gz")) + WEB_PAGES
# What hidden XML files and hidden folders are counted as.
HIDDEN = "hidden"
# What folders are counted as that are indexes of foxir.
INDEX = "foxir index"
_ARCHIVES = {
    ".zip": "zip",
    ".tar": "tar",
    ".tar.gz": "gzip",
    ".tgz": "gzip",
    ".tar.xz": "xz",
    ".txz": "xz",
    ".tar.zst": "zstd",
    ".tzst": "zstd",
    ".tar.bz2": "bzip2",
}


def is_document(name: str) -> bool:
    """Return whether the name of a file in a folder or an archive is that of an XML document.

    >>> [is_document(name) for name in ("a.xml", "A.DITA", "a.tei.gz", "a.txt", ".xml", "._a.xml")]
    [True, True, True, False, False, False]

    `._a.xml` is a file of metadata that macOS adds to archives beside `a.xml`; it is not XML.
    """
    lower = name.lower()
    return lower.endswith(_ENDINGS) and not lower.startswith("._") and lower not in _ENDINGS


def is_web_page(name: str) -> bool:
    """Return whether the name of a file is that of a web page, which need not be well-formed XML.

    >>> [is_web_page(name) for name in ("a.html", "site.zip!B.HTM", "a.htm.gz", "a.xhtml")]
    [True, True, True, False]
    """
    return name.lower().endswith(WEB_PAGES)


def strip_extension(path: str) -> str:
    """Return a path without `.gz`, and then without `.xml`: the document id, if the path is relative to the source.

    Other extensions stay, so `a.dita` and `a.ditamap` are two documents.

    >>> strip_extension("co/2000/r7108.xml"), strip_extension("a.XML.gz"), strip_extension("map.dita.gz")
    ('co/2000/r7108', 'a', 'map.dita')
    """
    for ending in (".gz", ".xml"):
        if path[-len(ending) :].lower() == ending:
            path = path[: -len(ending)]
    return path


def is_hidden(path: str) -> bool:
    """Return whether a relative path has a step that begins with a dot, as files of other programs do.

    >>> [is_hidden(path) for path in ("a.xml", ".svn/a.xml", "a/.~lock.b.xml", "a.b/c.xml")]
    [False, True, True, False]
    """
    return any(step.startswith(".") for step in path.split("/"))


def extension(name: str) -> str:
    """Return the extension by which a file that is not a document is counted, "" for a hidden file.

    >>> extension("Report.DOCX"), extension("LICENSE"), extension(".DS_Store"), extension("a.txt.gz")
    ('.docx', 'no extension', '', '.txt.gz')
    """
    if name.startswith("."):
        return ""
    stem, ending = posixpath.splitext(name.lower())
    if ending == ".gz":
        ending = posixpath.splitext(stem)[1] + ending
    return printable(ending) or "no extension"


def is_gzipped(name: str) -> bool:
    """Return whether the name is that of a gzip file."""
    return name.lower().endswith(".gz")


def archive_kind(name: str) -> str | None:
    """Return `zip`, `tar`, or the compression of a compressed tar; None if the name is not an archive's."""
    lower = name.lower()
    return next((kind for ending, kind in _ARCHIVES.items() if lower.endswith(ending)), None)


def shared_folder(paths: Iterable[str]) -> str:
    """Return the longest common folder of the files, "" if there is none; paths are all absolute or all relative.

    >>> shared_folder(["trials/a.xml", "trials/b/c.xml"]), shared_folder(["a.xml"]), shared_folder([])
    ('trials', '', '')
    """
    folders = {posixpath.dirname(path) for path in paths}
    return posixpath.commonpath(folders) if folders else ""


def relative_path(path: str, folder: str) -> str:
    """Return the path relative to a folder that contains it."""
    return path if not folder else path[len(folder) :].lstrip("/")


def invalid_name_reason(name: str) -> str | None:
    """Return why a name cannot be a document id, None if it can."""
    if name.isprintable():
        return None
    categories = {unicodedata.category(character) for character in name}
    if "Cs" in categories:
        return "its name is not UTF-8; rename it"
    if not categories.isdisjoint(("Cc", "Zl", "Zp")):
        return "its name contains a control character or a line break; rename it"
    return None


def unsafe_member_reason(member: str) -> str | None:
    """Return why an archive member of this name is skipped, None if its name is safe."""
    steps = member.replace("\\", "/").split("/")
    if not member:
        return "a member without a name"
    if len(member) > MAX_MEMBER_NAME:
        return f"a name of {len(member):,} characters in an archive"
    if steps[0] == "" or steps[0][1:] == ":":
        return "an absolute name in an archive"
    if ".." in steps:
        return "a name with '..' in an archive"
    return invalid_name_reason(member)


def shortened(name: str) -> str:
    """Return a name safe to print, cut if it is too long for a path."""
    return printable(name if len(name) <= MAX_MEMBER_NAME else f"{name[:_SHOWN_NAME]}…")
