"""A folder that is held open: files in it are replaced and removed there alone, wherever its path leads meanwhile.

A path is looked up again with every call; a link in it may be repointed, a folder renamed and another put in its place.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from engine.errors import CollectionError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class HeldFolder:
    """An open folder; use it in a `with` statement.

    path: as it was named. real: without links, for new files, whose writers take a path.
    """

    def __init__(self, path: Path, *, within: HeldFolder | None = None) -> None:
        """Open a folder; raises OSError.

        Args:
            within: the folder that holds it, in which no link is followed.
        """
        self.path = path
        if within is None:
            self.handle = os.open(path, _FOLDER)
            self.real = Path(os.path.realpath(path))
        else:
            self.handle = os.open(path.name, _FOLDER | os.O_NOFOLLOW, dir_fd=within.handle)
            self.real = within.real / path.name
        self._inside: dict[str, tuple[int, int]] = {}  # folders in it that were opened, by name

    def __enter__(self) -> HeldFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.handle)

    def __truediv__(self, name: str | Path) -> Path:
        """Return the path of something in it, to be read."""
        return self.path / name

    def folder(self, name: str, *, make: bool = False) -> HeldFolder:
        """Return a folder in it.

        Raises: OSError if there is none, or a link; CollectionError if another one was put in the place of that which
            was opened first.
        """
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self.handle)
        held = HeldFolder(self.path / name, within=self)
        found = os.fstat(held.handle)
        if self._inside.setdefault(name, (found.st_dev, found.st_ino)) != (found.st_dev, found.st_ino):
            os.close(held.handle)
            raise _replaced(held.path)
        return held

    def path_of(self, name: str) -> Path:
        """Return where a new file or folder in it is written, whose writer takes a path; raises as `check`."""
        self.check()
        return self.real / name

    @property
    def is_in_place(self) -> bool:
        """Whether its path, and the one without links, still lead to it."""
        held = os.fstat(self.handle)
        try:
            return all(os.path.samestat(os.stat(path), held) for path in (self.path, self.real))
        except OSError:
            return False

    def check(self) -> None:
        """Raise CollectionError unless its path still leads to it."""
        if not self.is_in_place:
            raise _replaced(self.path)

    def sync(self) -> None:
        """Make its entries durable."""
        os.fsync(self.handle)

    def names(self) -> list[str]:
        """Return the names in it."""
        return os.listdir(self.handle)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a regular file in it; None if there is none."""
        with suppress(OSError):
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self.handle)
            with os.fdopen(file, "rb") as opened:
                if stat.S_ISREG(os.fstat(file).st_mode):
                    return opened.read()
        return None

    def replace(self, name: str, data: bytes, *, sync: bool) -> None:
        """Write a file in it atomically; with `sync` it is durable on return, and so is its name."""
        temporary = f".{name}.{os.getpid()}{Path(name).suffix}"
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=self.handle)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(temporary, flags, 0o666, dir_fd=self.handle), "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            self.rename(temporary, name)
        except BaseException:
            with suppress(OSError):  # the first error matters
                os.unlink(temporary, dir_fd=self.handle)
            raise
        if sync:
            self.sync()

    def rename(self, name: str, other: str) -> None:
        """Give something in it another name, in place of the file that has it."""
        os.rename(name, other, src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, folders and links in it, never the target of a link; a part that cannot be removed stays."""
        for name in names:
            self._inside.pop(name, None)
            with suppress(FileNotFoundError):
                if stat.S_ISDIR(os.stat(name, dir_fd=self.handle, follow_symlinks=False).st_mode):
                    shutil.rmtree(name, ignore_errors=True, dir_fd=self.handle)
                else:
                    os.unlink(name, dir_fd=self.handle)


def _replaced(path: Path) -> CollectionError:
    return CollectionError(
        f"{path}: another folder was put in its place, or a link in the path was changed, while it was written to: "
        "the index that was there is whole, with this change or without it, nothing of the other is lost; repeat the "
        "command."
    )
