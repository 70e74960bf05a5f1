"""Finds the image files that documents refer to: in the folders or archives of their sources, and nowhere else."""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.sources.archives import Member
from engine.collection.sources.document_entry import DocumentEntry
from engine.collection.sources.file_names import archive_kind
from engine.collection.sources.folders import kind_of_file
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.platform import open_regular

# Tried in this order where a reference has none of them; some publishers leave the extension out.
EXTENSIONS = (".jpg", ".png", ".gif", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")
# Between the path of an archive and that of an image in it.
INSIDE = "!"
# http://, file:, data: and the like; nothing is fetched.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


class ImageFile(NamedTuple):
    """An image file: its path relative to the folder of its source, with `/`, and its absolute path.

    member: of an image in an archive, where its bytes are; its path is that of the archive, `!`, and its own.
    """

    key: str
    path: str
    member: DocumentEntry | None = None

    def read(self, limit: int) -> bytes:
        """Return the bytes of the file, at most one more than the limit; raises OSError if it cannot be read."""
        if self.member is None:
            with open_regular(self.path, follow=True) as file:
                return file.read(limit + 1)
        if self.member.size > limit:
            raise OSError(errno.EFBIG, f"{self.member.size:,} bytes (limit max_image_bytes=N)")
        try:
            return self.member.read(limit)
        except CollectionError as error:
            raise OSError(errno.EIO, str(error).removeprefix(f"{self.member.name}: ").rstrip(".")) from None


class NoImageFile(NamedTuple):
    """A reference that leads to no image file.

    kind: `missing`; `elsewhere`, for an address or a path out of the source; `refused`, for what is there but is not
    read: then key is its path, and reason says why.
    """

    kind: str
    key: str = ""
    reason: str = ""


MISSING, ELSEWHERE = NoImageFile("missing"), NoImageFile("elsewhere")


class ImageFiles:
    """Finds image files; each folder is listed once, so that references to missing files cost little."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._names: dict[str, frozenset[str]] = {}
        self._limits = limits

    def find(self, entry: DocumentEntry, reference: str) -> ImageFile | NoImageFile:
        """Return the image that a document refers to, or why there is no such file inside its source.

        A reference is relative to the file of the document; one that begins with / is relative to the folder of the
        source, or to the top of the archive. Links are followed if they lead to a file inside that folder.
        """
        if _SCHEME.match(reference):
            return ELSEWHERE
        found = MISSING
        for name, endings in _spellings(reference):
            for tried in (
                self._in_archive(entry, name, endings) if entry.place else self._in_folder(entry, name, endings)
            ):
                if isinstance(tried, ImageFile):
                    return tried
                found = tried if found is MISSING else found
        return found

    def _in_folder(self, entry: DocumentEntry, name: str, endings: Sequence[str]) -> Iterator[ImageFile | NoImageFile]:
        """Yield the files that exist of a name with each of the endings."""
        root = entry.root
        base = root if name.startswith("/") else os.path.dirname(entry.byte_range.path)
        path = os.path.normpath(os.path.join(base, name.lstrip("/")))
        if not _is_inside(path, root):
            yield ELSEWHERE
            return
        folder, file = os.path.split(path)
        names = self._listed(folder)
        for each in (path + ending for ending in endings if file + ending in names):
            key = os.path.relpath(each, root).replace(os.sep, "/")
            real = os.path.realpath(each)
            reason = _refusal(real, os.path.realpath(root))
            yield ImageFile(key, real) if reason is None else NoImageFile("refused", key, reason)

    def _in_archive(self, entry: DocumentEntry, name: str, endings: Sequence[str]) -> Iterator[ImageFile | NoImageFile]:
        """Yield the files that exist of a name with each of the endings."""
        if entry.place is None:
            return
        base = "" if name.startswith("/") else posixpath.dirname(entry.place.member)
        path = posixpath.normpath(posixpath.join(base, name.lstrip("/")))
        if path.startswith("../"):
            yield ELSEWHERE
            return
        archive = entry.byte_range.path
        images = _images_in(archive, self._limits, is_zip=entry.place.is_zip)
        for each in (path + ending for ending in endings if path + ending in images):
            key, member = f"{entry.place.archive}{INSIDE}{each}".replace(os.sep, "/"), images[each]
            if member.skip_reason is not None:
                yield NoImageFile("refused", key, f"it is {member.skip_reason}")
            else:
                yield _image_in(archive, key, member)

    def _listed(self, folder: str) -> frozenset[str]:
        names = self._names.get(folder)
        if names is None:
            try:
                names = frozenset(os.listdir(folder))
            except (OSError, ValueError):
                names = frozenset()
            self._names[folder] = names
        return names


def _refusal(real: str, root: str) -> str | None:
    """Return why a path is not read, from which links were resolved; None for a regular file inside the source."""
    if not _is_inside(real, root):
        return "it is a link that leads out of the source"
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        return "it is a link that leads nowhere"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISDIR(mode):
        return "it is a folder"
    return None if stat.S_ISREG(mode) else f"it is {kind_of_file(mode)}"


def image_at(root: str, key: str, opened: str = "") -> ImageFile | None:
    """Return the image of a key that `ImageFiles.find` gave, None if it is no longer there.

    Args:
        opened: path of the archive of the document, or of its decompressed copy; found by the key where it is not
            given, and then of a zip or an uncompressed tar only.
    """
    real = os.path.realpath(os.path.join(root, key))
    if os.path.isfile(real) and _is_inside(real, os.path.realpath(root)):
        return ImageFile(key, real)
    for place in (at for at, sign in enumerate(key) if sign == INSIDE):
        kind, archive = archive_kind(key[:place]), os.path.realpath(os.path.join(root, key[:place]))
        if kind and os.path.isfile(archive) and _is_inside(archive, os.path.realpath(root)):
            is_zip = kind == "zip"
            if not opened and kind not in ("zip", "tar"):
                return None
            member = _images_in(opened or archive, DEFAULT_LIMITS, is_zip=is_zip).get(key[place + 1 :])
            if member is not None and member.skip_reason is None:
                return _image_in(opened or archive, key, member)
    return None


def is_in_compressed_tar(key: str) -> bool:
    """Return whether an image is where only a build finds it, which decompresses the archive."""
    places = [at for at, sign in enumerate(key) if sign == INSIDE]
    return any(archive_kind(key[:place]) not in (None, "zip", "tar") for place in places)


def _image_in(archive: str, key: str, member: Member) -> ImageFile:
    entry = DocumentEntry("", key, "", member.size, 0, member.byte_range)
    return ImageFile(key, f"{archive}{INSIDE}{member.path}", entry)


def _images_in(archive: str, limits: Limits, *, is_zip: bool) -> Mapping[str, Member]:
    """Return the images of an archive by path; none if it cannot be read."""
    from engine.collection.sources import archives  # noqa: PLC0415  (imports tarfile and zipfile)

    try:
        status = os.stat(archive)
        return _listed_images(archive, status.st_mtime_ns, status.st_size, limits, is_zip)
    except (CollectionError, OSError, *archives.DAMAGES):
        return {}


@lru_cache(maxsize=4)
def _listed_images(archive: str, mtime_ns: int, n_bytes: int, limits: Limits, is_zip: bool) -> Mapping[str, Member]:
    from engine.collection.sources import archives  # noqa: PLC0415

    return archives.image_members(archive, limits, is_zip=is_zip, extensions=EXTENSIONS)


def _spellings(reference: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the names that a reference may mean, as written and without percent signs, fragment and query.

    With each, what may have been left out at its end.
    """
    written = reference.strip().replace("\\", "/")
    names = list(dict.fromkeys([written, unquote(written), unquote(re.split("[?#]", written)[0])]))
    for name in names:
        if posixpath.basename(name) not in ("", ".", ".."):
            yield name, ("",) if name.lower().endswith(EXTENSIONS) else ("", *EXTENSIONS)


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(os.path.normpath(folder), ""))
