"""A folder that is held open: files in it are replaced and removed there alone, wherever its path leads meanwhile.

A path is looked up again with every call; a link in it may be repointed, a folder renamed and another put in its place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from engine.errors import CollectionError
from engine.system import platform


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
            self._handle = platform.open_folder(path, follow=True)
            self.real = Path(os.path.realpath(path))
        else:
            self._handle = platform.open_folder(within._at(path.name), within=within._handle)
            self.real = within.real / path.name
        self._status = os.stat(self.real) if self._handle is None else os.fstat(self._handle)
        self._inside: dict[str, os.stat_result] = {}  # folders in it that were opened, by name

    def __enter__(self) -> HeldFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def _at(self, name: str) -> str:
        """Return what leads to something in it: the name where the system begins at the folder itself, else a path.

        Raises: CollectionError if the path leads to another folder.
        """
        if self._handle is not None:
            return name
        if not self._is_at(self.real):
            raise _replaced(self.path)
        return os.path.join(self.real, name)

    def _is_at(self, path: Path) -> bool:
        with suppress(OSError):
            return os.path.samestat(os.stat(path), self._status)
        return False

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
                os.mkdir(self._at(name), dir_fd=self._handle)
        held = HeldFolder(self.path / name, within=self)
        if not os.path.samestat(self._inside.setdefault(name, held._status), held._status):
            held._close()
            raise _replaced(held.path)
        return held

    def path_of(self, name: str) -> Path:
        """Return where a new file or folder in it is written, whose writer takes a path; raises as `check`."""
        self.check()
        return self.real / name

    @property
    def is_in_place(self) -> bool:
        """Whether its path, and the one without links, still lead to it."""
        return self._is_at(self.path) and self._is_at(self.real)

    def check(self) -> None:
        """Raise CollectionError unless its path still leads to it."""
        if not self.is_in_place:
            raise _replaced(self.path)

    def sync(self) -> None:
        """Make its entries durable."""
        platform.sync_folder(self._handle)

    def names(self) -> list[str]:
        """Return the names in it."""
        return os.listdir(self._at("") if self._handle is None else self._handle)

    def status(self, name: str, *, follow: bool = False) -> os.stat_result:
        """Return the status of something in it, of a link itself unless it is to be followed; raises OSError."""
        return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=follow)

    def open(self, name: str, flags: int, *, follow: bool = False) -> BinaryIO:
        """Return a regular file in it, opened with these flags; raises OSError as `platform.open_regular` does."""
        return platform.open_regular(self._at(name), flags, follow=follow, within=self._handle)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a regular file in it; None if there is none."""
        with suppress(OSError), self.open(name, platform.READ) as file:
            return file.read()
        return None

    def replace(self, name: str, data: bytes, *, sync: bool) -> None:
        """Write a file in it atomically; with `sync` it is durable on return, and so is its name."""
        temporary = f".{name}.{os.getpid()}{Path(name).suffix}"
        self.remove([temporary])
        try:
            with self.open(temporary, platform.WRITE | os.O_CREAT | os.O_EXCL) as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            self.rename(temporary, name)
        except BaseException:
            with suppress(OSError):  # the first error matters
                self.remove([temporary])
            raise
        if sync:
            self.sync()

    def rename(self, name: str, other: str, *, to: HeldFolder | None = None) -> None:
        """Give something in it another name, in the folder `to`, in place of the file that has it."""
        to = to or self
        platform.rename(self._at(name), to._at(other), self._handle, to._handle)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, folders and links in it, never the target of a link; a part that cannot be removed stays."""
        for name in names:
            self._inside.pop(name, None)
            with suppress(FileNotFoundError):
                is_folder = stat.S_ISDIR(self.status(name).st_mode)
                remove = platform.remove_folder if is_folder else platform.remove_file
                remove(self._at(name), self._handle)

    def remove_empty(self, name: str) -> None:
        """Remove an empty folder in it; raises OSError."""
        os.rmdir(self._at(name), dir_fd=self._handle)


def _replaced(path: Path) -> CollectionError:
    return CollectionError(
        f"{path}: another folder was put in its place, or a link in the path was changed, while it was written to: "
        "the index that was there is whole, with this change or without it, nothing of the other is lost; repeat the "
        "command."
    )
