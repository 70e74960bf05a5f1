"""Refuses to the modules of foxir what Windows refuses, in every Python that starts with this folder on its path.

    PYTHONPATH=tests/windows_like pytest

Other modules, the tests among them, see the system as it is. What Windows has and POSIX has not is imitated.
"""

from __future__ import annotations

import _ctypes  # noqa: F401  (before anything is refused)
import builtins
import ctypes
import errno
import fcntl
import mmap
import multiprocessing
import os
import pathlib
import select
import selectors
import shutil
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

PACKAGES = ("engine", "eval", "foxir")
MISSING_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")
MISSING_NAMES = {
    os: (
        *("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "fchmod", "fchown", "chown", "getuid", "geteuid"),
        *("fork", "forkpty", "uname", "sysconf", "pread", "pwrite", "eventfd", "set_blocking", "get_blocking", "pipe2"),
        *("sched_getaffinity", "getloadavg", "killpg", "setsid", "mkfifo", "statvfs", "nice", "posix_fadvise", "wait3"),
    ),
    signal: (
        *("SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGCHLD", "SIGXFSZ", "alarm", "setitimer"),
        *("pthread_sigmask", "SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK", "sigwait", "pthread_kill"),
    ),
    select: ("poll", "epoll", "PIPE_BUF"),
    selectors: ("PollSelector", "EpollSelector"),
    mmap: ("MADV_DONTNEED", "MAP_SHARED", "MAP_PRIVATE", "PROT_READ", "PROT_WRITE"),
    socket: ("AF_UNIX", "TCP_USER_TIMEOUT", "SO_REUSEPORT"),
}


class Imitation(ModuleType):
    """A module as Windows has it: some names are missing, some behave in another way; all others are the module's."""

    def __init__(self, real: ModuleType, **others: Any) -> None:
        super().__init__(real.__name__)
        vars(self).update(_real=real, _others=others, **others)

    def __getattr__(self, name: str) -> Any:
        if name in MISSING_NAMES.get(self._real, ()):
            raise AttributeError(f"module {self._real.__name__!r} has no attribute {name!r} on Windows")
        return getattr(self._real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._others:
            vars(self)[name] = value
        else:
            setattr(self._real, name, value)


def _refused(path: Any) -> PermissionError:
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


def _in_use() -> Iterator[str]:
    """Yield the paths of files that this process has open, or mapped into memory."""
    for number in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISREG(os.stat(f"/proc/self/fd/{number}").st_mode):
                yield os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        yield from (columns[5].rstrip("\n") for line in maps if len(columns := line.split(maxsplit=5)) == 6)


def is_in_use(path: Any) -> bool:
    """Return whether this process has a file, or a file in a folder, open or mapped into memory."""
    given = os.fspath(path)
    real = os.path.join(os.path.realpath(os.path.dirname(given)), os.path.basename(given))
    if os.path.islink(real):
        return False
    return any(used == real or used.startswith(f"{real}{os.sep}") for used in _in_use())


def _by_path(name: str) -> Callable[..., Any]:
    """Return a function of `os` that takes no descriptor of a folder."""

    def function(*arguments: Any, **options: Any) -> Any:
        if any(value is not None for key, value in options.items() if key.endswith("dir_fd")):
            raise NotImplementedError("dir_fd unavailable on this platform")
        if name in ("listdir", "scandir") and arguments and isinstance(arguments[0], int):
            raise TypeError("path should be a string, bytes, os.PathLike or None, not int")
        if name in ("unlink", "remove", "rmdir") and is_in_use(arguments[0]):
            raise _refused(arguments[0])
        return getattr(os, name)(*arguments, **{key: value for key, value in options.items() if value is not None})

    return function


def _open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if os.path.isdir(path):
        raise _refused(path)
    return os.open(path, flags | os.O_NONBLOCK, mode)  # Windows has no pipes in folders, which could make it wait


def _lstat(path: Any, *, dir_fd: int | None = None) -> Any:
    found = os.lstat(path, dir_fd=dir_fd)
    names = [name for name in dir(found) if name.startswith("st_")]
    attributes = stat.FILE_ATTRIBUTE_REPARSE_POINT if stat.S_ISLNK(found.st_mode) else 0
    return SimpleNamespace(**{name: getattr(found, name) for name in names}, st_file_attributes=attributes)


def _fsync(file: int) -> None:
    if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    os.fsync(file)


def _rename(source: Any, target: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(source), None, os.fspath(target))
    _replace(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def _replace(source: Any, target: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
    if src_dir_fd is not None or dst_dir_fd is not None:
        raise NotImplementedError("src_dir_fd and dst_dir_fd unavailable on this platform")
    if is_in_use(source) or (os.path.lexists(target) and (os.path.isdir(target) or is_in_use(target))):
        raise _refused(source)
    os.rename(source, target)


def _rmtree(
    path: Any, ignore_errors: bool = False, onerror: Any = None, *, onexc: Any = None, dir_fd: int | None = None
) -> None:
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if is_in_use(path):
        for folder, _, names in os.walk(path):
            for each in (os.path.join(folder, name) for name in names):
                if not is_in_use(each):
                    os.unlink(each)
        if not ignore_errors:
            raise _refused(path)
        return
    shutil.rmtree(path, ignore_errors, onerror)


def _kill(process: int, number: int) -> None:
    if number not in (signal.SIGTERM, 0):
        raise OSError(errno.EINVAL, "Windows ends the process instead")
    os.kill(process, number)


def _set_wakeup_fd(file: int, *, warn_on_full_buffer: bool = True) -> int:
    if file != -1:
        os.set_blocking(file, False)
    return signal.set_wakeup_fd(file, warn_on_full_buffer=warn_on_full_buffer)


def _select(*files: Any) -> Any:
    for file in (each for group in files[:3] for each in group):
        if not stat.S_ISSOCK(os.fstat(file if isinstance(file, int) else file.fileno()).st_mode):
            raise OSError(errno.ENOTSOCK, os.strerror(errno.ENOTSOCK))
    return select.select(*files)


class _Mmap(mmap.mmap):
    """Memory that contains a file, with the parameters of Windows."""

    def __new__(cls, fileno: int, length: int, tagname: str | None = None, access: int = 0, offset: int = 0) -> _Mmap:
        return super().__new__(cls, fileno, length, access=access, offset=offset)

    @property
    def madvise(self) -> Any:  # type: ignore[override]
        raise AttributeError("mmap.mmap has no attribute 'madvise' on Windows")


def _get_context(method: str | None = None) -> Any:
    if method not in (None, "spawn"):
        raise ValueError(f"cannot find context for {method!r}")
    return multiprocessing.get_context("spawn")


def _library(name: str | None, *arguments: Any, **options: Any) -> ctypes.CDLL:
    if name is None:
        raise TypeError("LoadLibrary() argument 1 must be str, not None")
    return ctypes.CDLL(name, *arguments, **options)


def _locking(file: int, mode: int, n_bytes: int) -> None:
    if mode != 2 or n_bytes < 1:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


_BY_PATH = ("access", "chmod", "link", "listdir", "mkdir", "readlink", "remove", "rmdir", "scandir", "stat", "symlink")
IMITATIONS: dict[str, ModuleType] = {
    each._real.__name__: each
    for each in (
        Imitation(
            os,
            **{name: _by_path(name) for name in (*_BY_PATH, "unlink", "utime")},
            O_BINARY=0,
            O_NOINHERIT=os.O_CLOEXEC,
            fsync=_fsync,
            kill=_kill,
            lstat=_lstat,
            name="nt",
            open=_open,
            rename=_rename,
            replace=_replace,
            supports_dir_fd=set(),
        ),
        Imitation(sys, platform="win32"),
        Imitation(signal, set_wakeup_fd=_set_wakeup_fd),
        Imitation(select, select=_select),
        Imitation(selectors, DefaultSelector=selectors.SelectSelector),
        Imitation(shutil, rmtree=_rmtree),
        Imitation(mmap, mmap=_Mmap),
        Imitation(multiprocessing, get_all_start_methods=lambda: ["spawn"], get_context=_get_context),
        Imitation(ctypes, CDLL=_library),
        # options that do no harm, in the place of those that Linux has not, or takes in another form
        Imitation(socket, SO_EXCLUSIVEADDRUSE=socket.SO_REUSEADDR, SO_SNDTIMEO=socket.SO_KEEPALIVE),
    )
}
MSVCRT = ModuleType("msvcrt")
vars(MSVCRT).update(LK_LOCK=1, LK_NBLCK=2, LK_UNLCK=0, locking=_locking)
_import = builtins.__import__


def _refusing_import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
) -> ModuleType:
    if level == 0 and name.partition(".")[0] in MISSING_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
    if level == 0 and name == "msvcrt":
        return MSVCRT
    found = _import(name, globals, locals, fromlist or (), level)
    return IMITATIONS.get(found.__name__, found)


BUILTINS = {**vars(builtins), "__import__": _refusing_import}


class _Loader(SourceFileLoader):
    """Executes a module of foxir with the imports of Windows."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = BUILTINS
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Finds the modules of foxir."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def _of_paths(name: str, refusing: Callable[..., Any]) -> None:
    """Let a method of paths refuse what Windows refuses, where a module of foxir calls it."""
    usual = getattr(pathlib.Path, name)

    def method(self: Path, *arguments: Any, **options: Any) -> Any:
        if sys._getframe(1).f_globals.get("__builtins__") is BUILTINS:
            try:
                refusing(self, *arguments)
            except FileNotFoundError:
                if not options.get("missing_ok"):
                    raise
            return self.__class__(arguments[0]) if arguments else None
        return usual(self, *arguments, **options)

    setattr(pathlib.Path, name, method)


sys.meta_path.insert(0, _Finder())
for _name, _function in {
    "unlink": IMITATIONS["os"].unlink,
    "rmdir": IMITATIONS["os"].rmdir,
    "rename": _rename,
    "replace": _replace,
}.items():
    _of_paths(_name, _function)
