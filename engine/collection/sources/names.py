"""What names say: document or not, archive or not, and the document id."""

import posixpath
import unicodedata
from collections.abc import Iterable

LONGEST = 4_096  # characters of a name in an archive; no system allows longer paths
_ENDINGS = (".xml.gz", ".xml")
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
    """Tell whether a file in a folder or an archive is an XML document, by its name.

    >>> [is_document(name) for name in ("a.xml", "A.XML", "a.xml.gz", "a.txt", ".xml", "._a.xml")]
    [True, True, True, False, False, False]

    ``._a.xml`` is what macOS puts beside ``a.xml`` in archives; it is no XML.
    """
    return name.lower().endswith(_ENDINGS) and not name.startswith("._") and without_ending(name) != ""


def without_ending(path: str) -> str:
    """Return a path without ``.xml`` or ``.xml.gz``: the document id, when the path is below the right folder.

    >>> without_ending("co/2000/r7108.xml"), without_ending("a.XML.gz"), without_ending("notes.txt")
    ('co/2000/r7108', 'a', 'notes.txt')
    """
    lower = path[-8:].lower()
    for ending in _ENDINGS:
        if lower.endswith(ending):
            return path[: -len(ending)]
    return path


def is_gzipped(name: str) -> bool:
    """Tell whether the XML in a file of this name is packed by gzip."""
    return name.lower().endswith(".gz")


def archive_kind(name: str) -> str | None:
    """Return ``zip``, ``tar``, or how a tar of this name is compressed; None for what is no archive."""
    lower = name.lower()
    return next((kind for ending, kind in _ARCHIVES.items() if lower.endswith(ending)), None)


def shared_folder(paths: Iterable[str]) -> str:
    """Return the longest folder that all files share, "" if there is none; all paths absolute, or none.

    >>> shared_folder(["trials/a.xml", "trials/b/c.xml"]), shared_folder(["a.xml"]), shared_folder([])
    ('trials', '', '')
    """
    folders = {posixpath.dirname(path) for path in paths}
    return posixpath.commonpath(folders) if folders else ""


def below(path: str, folder: str) -> str:
    """Return ``path`` as seen from ``folder``, which it is known to lie in."""
    return path if not folder else path[len(folder) :].lstrip("/")


def unfit(name: str) -> str | None:
    """Return why a name cannot be a document id, or None when it can."""
    if name.isprintable():
        return None
    categories = {unicodedata.category(character) for character in name}
    if "Cs" in categories:
        return "its name is not UTF-8; rename it"
    if not categories.isdisjoint(("Cc", "Zl", "Zp")):
        return "its name holds a control character or a line break; rename it"
    return None


def unsafe(member: str) -> str | None:
    """Return why the name of an archive's member is refused, or None when it is not."""
    steps = member.replace("\\", "/").split("/")
    if not member:
        return "a member without a name"
    if len(member) > LONGEST:
        return f"a name of {len(member):,} characters in an archive"
    if steps[0] == "" or steps[0][1:] == ":":
        return "an absolute name in an archive"
    if ".." in steps:
        return "a name with '..' in an archive"
    return unfit(member)


def printable(name: str) -> str:
    """Return a name that can be shown: what is not UTF-8, and control characters, as escapes."""
    return name if name.isprintable() else repr(name)[1:-1]


def shortened(name: str) -> str:
    """Return a name that can be shown, whatever its length."""
    return printable(name if len(name) <= LONGEST else f"{name[:200]}…")
