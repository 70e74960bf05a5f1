"""Reads and writes regular files, never links, pipes or devices; the reasons of errors in plain words.

An index may come from a stranger, so links in it are not followed. Links in sources are followed, to regular files
only. Files are replaced atomically. Data files beside a module are read wherever the package is, in a folder or in a
zip archive; `importlib.resources` does the same, but its import takes longer than a search.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from engine.system.held_folder import HeldFolder
from engine.system.platform import open_regular
from engine.wording import nearest

# Names of a folder among which one that is similar to a missing one is looked for.
MOST_NAMES = 1000


def plain_reason(path: str | os.PathLike[str], error: OSError) -> str:
    """Return the reason of an error with a file or folder, as a clause: `there is no such file, but 'topics.txt'`."""
    place = Path(path)
    if error.strerror and error.strerror != os.strerror(error.errno or 0):  # in plain words already
        return error.strerror
    if error.errno == errno.ENOENT:
        return missing(place)
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return not_a_folder(place) or error.strerror or str(error)
    reasons = {
        errno.EISDIR: "it is a folder, not a file",
        errno.EACCES: "you have no permission for it",
        errno.EPERM: "you have no permission for it",
        errno.ELOOP: "it is a link that leads to itself",
    }
    return reasons.get(error.errno or 0) or error.strerror or str(error)


def unwritable(path: str | os.PathLike[str], error: OSError) -> str:
    """Return the message about a file that cannot be written: the reason and the remedy."""
    advice = "Free disk space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "Choose another place"
    return f"{os.fspath(path)}: cannot be written: {plain_reason(path, error)}. {advice}."


def missing(place: Path, what: str = "file") -> str:
    """Return the reason for a missing file or folder, with the file that is in its place."""
    if not (place.parent.is_dir() or place.is_symlink()):
        return f"there is no folder '{place.parent}'"
    return f"there is no such {what}{in_place_of(place)}"


def in_place_of(place: Path) -> str:
    """Return a clause on the place of a missing file: a link, no folder, a similar name; else ""."""
    if place.is_symlink():
        return f", but a link to '{place.readlink()}', which is not there"
    folder = place.parent
    if not folder.is_dir():
        return f", for there is no folder '{folder}'"
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES)]
    except OSError:
        return ""
    near = nearest(place.name, names, cutoff=0.8)
    return f", but '{folder / near}'" if near else ""


def not_a_folder(place: Path) -> str:
    """Return the first part of a path that is no folder, "" if there is none."""
    for part in (*reversed(place.parents), place):
        if part.is_symlink() and not part.exists():
            return f"'{part}' is a link to '{part.readlink()}', which is not there"
        if part.exists() and not part.is_dir():
            return f"'{part}' is a file, not a folder"
    return ""


# Largest file that `read_regular` reads; far larger than any manifest, segment description or report.
MAX_BYTES = 1 << 30


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file; raises OSError as `open_regular` does, and if it exceeds `MAX_BYTES`."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_BYTES:
            raise OSError(errno.EFBIG, f"it has more than {MAX_BYTES:,} bytes")
        return file.read(size)


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[Path]:
    """Yield a temporary file name, whose file replaces another on success: it is written whole or not at all.

    Other processes see the old file or the new one, never a part of it; after a power failure, too, unless without
    `sync`. On an error the temporary file is removed. Its
    name ends with the suffix of the file. A device or a pipe, such as /dev/null, is not replaced: what was written is
    copied to it. The folder is that to which the path leads now, wherever it leads meanwhile.

    Raises: IsADirectoryError for a folder, OSError for a file in an index, before anything is written.
    """
    if index := index_around(path):
        raise OSError(errno.EPERM, f"it would be in the index '{index}'", str(path))
    if path.name in ("", "..") or (path.is_dir() and not path.is_symlink()):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if _is_stream(path):
        import tempfile  # noqa: PLC0415  (most files are regular)

        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, f"written{path.suffix}")
            yield written
            with written.open("rb") as file, path.open("wb") as stream:
                shutil.copyfileobj(file, stream)
        return
    # Renaming within a folder is atomic. The process id keeps two processes from sharing a temporary file.
    with HeldFolder(path.parent) as folder:
        temporary = folder.real / f".{path.name}.{os.getpid()}{path.suffix}"
        folder.remove([temporary.name])
        try:
            yield temporary
            if sync:
                with temporary.open("rb+") as file:
                    os.fsync(file.fileno())
            folder.rename(temporary.name, path.name)
        except BaseException:
            with suppress(OSError):  # the first error matters
                folder.remove([temporary.name])
            raise


# What an index has, and a sharded one.
OF_INDEX = (("manifest.json", "segments"), ("shards.json", "shard-0000"))


def index_around(path: Path) -> Path | None:
    """Return the index in whose folder a file would be written, None where there is none."""
    folder = Path(os.path.realpath(path.parent))
    around = (each for each in (folder, *folder.parents) for names in OF_INDEX if _has(each, names))
    return next(around, None)


def _has(folder: Path, names: Sequence[str]) -> bool:
    return all(os.path.exists(folder / name) for name in names)


def _is_stream(path: Path) -> bool:
    """Return whether a path, or its target, is a device, a pipe or a socket."""
    with suppress(OSError):
        mode = path.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def replace_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write a file atomically, as `replacing` does.

    A link of that name is replaced itself. The folder's entry is only durable after `sync_folder`.
    """
    with replacing(path, sync=sync) as temporary, temporary.open("xb") as file:
        file.write(data)


def clock_ns(folder: Path) -> int:
    """Return the time by the clock of a folder's file system, in ns since 1970; raises OSError.

    It is the clock that files are marked with: of a folder on a server that of the server, not of this machine.
    """
    import tempfile  # noqa: PLC0415  (a search needs none)

    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime_ns


def package_data(module: str, name: str) -> bytes:
    """Return the content of a file beside an imported module.

    >>> package_data(__name__, "files.py").isascii()
    True
    """
    loader: Any = sys.modules[module].__loader__
    data: bytes = loader.get_data(os.path.join(os.path.dirname(str(sys.modules[module].__file__)), name))
    return data


def package_text(module: str, name: str) -> str:
    """Return the text of a file beside an imported module, with line ends as Python reads them."""
    return package_data(module, name).decode("utf-8").replace("\r\n", "\n")
