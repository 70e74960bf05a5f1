"""Plain files: what an index is made of, and what documents are read from.

An index may come from a stranger. What a link, a pipe or a device in it leads to is neither read nor written. Links in
sources are followed, to plain files only.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

AT_MOST = 1 << 30  # bytes that are read in one go: no manifest, description or report has as many
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_plain(path: str | Path, *, write: bool = False, follow: bool = False) -> BinaryIO:
    """Return a plain file, opened for reading, or for reading and writing (and made where there is none).

    Raises: OSError when it cannot be opened, or is no file, or a link (unless with `follow`); nobody waits for a pipe.
    """
    flags = _WRITE if write else _READ
    try:
        handle = os.open(path, flags & ~os.O_NOFOLLOW if follow else flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link, and an index holds none") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a plain file")
    return os.fdopen(handle, "r+b" if write else "rb")


def read_plain(path: Path) -> bytes:
    """Return the bytes of a plain file.

    Raises: OSError as `open_plain` does, and for a file that is longer than any that foxir writes.
    """
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > AT_MOST:
            raise OSError(errno.EFBIG, f"it has more than {AT_MOST:,} bytes")
        return file.read(size)


def write_plain(path: Path, data: bytes, *, sync: bool) -> None:
    """Put a file in the place of whatever has that name, a link itself included; with `sync` its bytes are durable.

    The file is written beside, under a name of this process, and then takes the place of the old one: it is seen
    whole or not at all.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with temporary.open("xb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)
