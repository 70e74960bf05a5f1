"""What differs between the systems: POSIX (Linux, macOS) and Windows. No other module asks on which one it runs.

POSIX holds a folder open by a descriptor, follows no link where it is told so, and removes a file that is in use.
Windows has none of these: paths are looked up again, and compared; what is in use is removed by a later writer.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import socket

# What the name of a folder begins with that Windows could not remove whole: the next writer removes it.
REMOVED = ".removed-"

if sys.platform == "win32":
    import msvcrt

    # Seconds for which a file that another process has just opened is waited for.
    PATIENCE, PAUSE = 5.0, 0.01
    # A lock of Windows keeps others from reading the byte that is locked: it lies behind all that a file contains.
    LOCKED_BYTE = 2**30
    REMOVES_OPEN_FILES = False
    READ = os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT
    WRITE = os.O_RDWR | os.O_BINARY | os.O_NOINHERIT

    def may_be_named(name: str) -> bool:
        """Return whether a file may have a name of printable characters: that of no device, as CON is."""
        return not re.search(r'[<>:"/\\|?*]|^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)|[. ]$', name, re.IGNORECASE)

    def absolute(path: str) -> str:
        """Return an absolute path, with slashes."""
        return os.path.abspath(path).replace("\\", "/")

    def open_file(path: str | Path, flags: int, *, follow: bool = False, within: int | None = None) -> int:
        """Return the descriptor of a file; raises OSError, with ELOOP for a link, unless it is to be followed."""
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not follow and is_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return os.open(path, flags, 0o666)

    def open_folder(path: str | Path, *, follow: bool = False, within: int | None = None) -> int | None:
        """Return None, as a folder has no descriptor; raises OSError if there is none, or a link."""
        if not follow and is_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        if not stat.S_ISDIR(os.stat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        return None

    def sync_folder(folder: str | Path | int | None) -> None:
        """Do nothing: Windows makes the entries of folders durable when it sees fit."""

    def _patiently(action: Callable[[], None]) -> None:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return action()
            except PermissionError:
                if time.monotonic() > until:
                    raise
                time.sleep(PAUSE)

    def rename(source: str | Path, target: str | Path, within: int | None = None, to: int | None = None) -> None:
        """Give a file or folder another name, in place of the file that has it, once no reader has it open."""
        _patiently(lambda: os.replace(source, target))

    def remove_file(path: str | Path, within: int | None = None) -> None:
        """Remove a file, once no reader has it open."""
        _patiently(lambda: os.unlink(path))

    def remove_folder(path: str | Path, within: int | None = None) -> None:
        """Remove a folder: as a whole, or not at all while a file in it is open or mapped into memory."""
        moved = Path(path)
        if not moved.name.startswith(REMOVED):
            moved = moved.with_name(f"{REMOVED}{os.urandom(8).hex()}")
        with suppress(PermissionError):
            os.rename(path, moved)
            shutil.rmtree(moved, ignore_errors=True)

    def is_link(path: str | Path) -> bool:
        """Return whether a path leads elsewhere: a link, or a junction."""
        with suppress(OSError):
            return bool(os.lstat(path).st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)
        return False

    def lock(file: int, *, waits: bool = False) -> None:
        """Lock an open file against other processes; raises OSError if another has locked it, unless it `waits`."""
        place = os.lseek(file, 0, os.SEEK_CUR)
        try:
            while True:
                os.lseek(file, LOCKED_BYTE, os.SEEK_SET)
                try:
                    return msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
                except OSError:
                    if not waits:
                        raise
                    time.sleep(PAUSE)
        finally:
            os.lseek(file, place, os.SEEK_SET)

    def mapped(file: int) -> mmap:
        """Return the content of a file that is not empty, mapped into memory."""
        return mmap(file, 0, access=ACCESS_READ)

    def release_pages(memory: mmap) -> None:
        """Do nothing: Windows releases pages by itself."""

    def has_limit_of_files() -> bool:
        """Return whether the size of files is limited, beside the disk."""
        return False

    def limit_memory(n_bytes: int) -> None:
        """Do nothing: the memory of a process is not bounded."""

    def unsent_bytes(connection: socket.socket) -> int:
        """Return 0: how many bytes the system has yet to send is not known."""
        return 0

    def limit_sending(connection: socket.socket, seconds: int) -> None:
        """End a call that sends to a connection with OSError if it takes longer."""
        from socket import SO_SNDTIMEO, SOL_SOCKET  # noqa: PLC0415  (slow to import)

        connection.setsockopt(SOL_SOCKET, SO_SNDTIMEO, 1000 * seconds)

    def claim_port(listening: socket.socket) -> None:
        """Keep other programs from listening at the same port."""
        from socket import SO_EXCLUSIVEADDRUSE, SOL_SOCKET  # noqa: PLC0415  (slow to import)

        listening.setsockopt(SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1)

    def host_name() -> str:
        """Return the name of this machine."""
        return os.environ.get("COMPUTERNAME", "localhost")

else:
    import fcntl
    import resource
    import termios

    REMOVES_OPEN_FILES = True
    # Without O_NONBLOCK, opening a pipe would wait for its other end.
    READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    WRITE = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC

    def may_be_named(name: str) -> bool:
        """Return whether a file may have a name of printable characters."""
        return "/" not in name

    def absolute(path: str) -> str:
        """Return an absolute path, with slashes."""
        return os.path.abspath(path)

    def open_file(path: str | Path, flags: int, *, follow: bool = False, within: int | None = None) -> int:
        """Return the descriptor of a file; raises OSError, with ELOOP for a link, unless it is to be followed."""
        return os.open(path, flags if follow else flags | os.O_NOFOLLOW, 0o666, dir_fd=within)

    def open_folder(path: str | Path, *, follow: bool = False, within: int | None = None) -> int | None:
        """Return the descriptor of a folder; raises OSError if there is none, or a link."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        return os.open(path, flags if follow else flags | os.O_NOFOLLOW, dir_fd=within)

    def sync_folder(folder: str | Path | int | None) -> None:
        """Make the entries of a folder durable."""
        if isinstance(folder, int):
            os.fsync(folder)
        elif folder is not None:
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def rename(source: str | Path, target: str | Path, within: int | None = None, to: int | None = None) -> None:
        """Give a file or folder another name, in place of the file that has it."""
        os.rename(source, target, src_dir_fd=within, dst_dir_fd=to)

    def remove_file(path: str | Path, within: int | None = None) -> None:
        """Remove a file."""
        os.unlink(path, dir_fd=within)

    def remove_folder(path: str | Path, within: int | None = None) -> None:
        """Remove a folder; a part that cannot be removed stays."""
        shutil.rmtree(path, ignore_errors=True, dir_fd=within)

    def is_link(path: str | Path) -> bool:
        """Return whether a path is a link."""
        return os.path.islink(path)

    def lock(file: int, *, waits: bool = False) -> None:
        """Lock an open file against other processes; raises OSError if another has locked it, unless it `waits`."""
        fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def mapped(file: int) -> mmap:
        """Return the content of a file that is not empty, mapped into memory."""
        if sys.version_info >= (3, 13):
            return mmap(file, 0, access=ACCESS_READ, trackfd=False)
        return mmap(file, 0, access=ACCESS_READ)  # has a descriptor of its own

    def release_pages(memory: mmap) -> None:
        """Release the pages of a mapped file; they are read from the disk again when they are needed."""
        from mmap import MADV_DONTNEED  # noqa: PLC0415  (Windows has none)

        memory.madvise(MADV_DONTNEED)

    def has_limit_of_files() -> bool:
        """Return whether the size of files is limited, beside the disk."""
        return resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY

    def limit_memory(n_bytes: int) -> None:
        """Bound the memory that this process may map; a crash writes no image of it. macOS does not bound it."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(*(ValueError, OSError) if sys.platform == "darwin" else ()):
            resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))

    def unsent_bytes(connection: socket.socket) -> int:
        """Return the bytes that the system has yet to send, 0 where it does not say."""
        with suppress(OSError, ValueError):  # not every system says it; the socket may be closed
            return int(struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))[0])
        return 0

    def limit_sending(connection: socket.socket, seconds: int) -> None:
        """End a call that sends to a connection with OSError if it takes longer."""
        from socket import SO_SNDTIMEO, SOL_SOCKET  # noqa: PLC0415  (slow to import)

        connection.setsockopt(SOL_SOCKET, SO_SNDTIMEO, struct.pack("ll", seconds, 0))

    def claim_port(listening: socket.socket) -> None:
        """Let a program listen at a port whose last connections have just ended."""
        from socket import SO_REUSEADDR, SOL_SOCKET  # noqa: PLC0415  (slow to import)

        listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)

    def host_name() -> str:
        """Return the name of this machine."""
        return os.uname().nodename


def open_regular(path: str | Path, flags: int = READ, *, follow: bool = False, within: int | None = None) -> BinaryIO:
    """Return a regular file, opened with `READ` or `WRITE` and other flags.

    Args:
        within: descriptor of the folder that a relative path begins in; None for the working folder.

    Raises: OSError if it cannot be opened, is not a regular file, or is a link and `follow` is False. Opening a pipe
        does not block.
    """
    try:
        handle = open_file(path, flags, follow=follow, within=within)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link, and an index contains none") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return os.fdopen(handle, "r+b" if flags & os.O_RDWR else "rb")
