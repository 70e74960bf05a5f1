"""Reads whole files that a user names: topics, runs, judgements, settings. They are bounded as sources are.

A file is regular, or `-` for standard input; pipes and devices are refused. What is compressed with gzip is
decompressed within the bounds of archives, so a small file cannot become a large one unnoticed.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
import sys
import tomllib
from functools import lru_cache
from typing import Any, BinaryIO, TextIO

from engine.system.files import plain_reason
from engine.system.platform import READ, open_file

MEGABYTE = 1 << 20
# Bytes of a file of topics, runs or judgements, decompressed; the three equal the limits on sources, as a test asserts.
MAX_BYTES = 256 * MEGABYTE
# Ratio of decompressed to compressed bytes; checked above FREE_BYTES.
MAX_RATIO = 250
FREE_BYTES = 64 * MEGABYTE
# Bytes of a file of settings, a profile, a grid, a thesaurus or a list; TOML has less.
MAX_SMALL_BYTES = 16 * MEGABYTE
# Characters of TOML, and names that points join to one key: its parser takes time that grows with their square.
MAX_TOML, MAX_NAMES = MEGABYTE, 64
_NAME = r"""(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{MAX_NAMES}}}")

STDIN = "-"
GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CHUNK = 1 << 20


def read_input(path: str | os.PathLike[str], *, unpacks: bool = False, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Args:
        unpacks: whether a file compressed with gzip is decompressed.
        most: bytes, decompressed.
    Raises: OSError, with a reason in plain words in `strerror`, if it cannot be read, is a pipe or a device, or is too
        large, also for what is not whole gzip.
    """
    name = os.fspath(path)
    data = _standard_input(sys.stdin, most) if name == STDIN else _file(name, most)
    if data.startswith(ZIP_MAGIC):
        raise OSError(errno.EINVAL, "it is a ZIP archive: unpack it, and name a file inside", name)
    return unpacked(data, most) if unpacks and data.startswith(GZIP_MAGIC) else data


def begins_as_xml(data: bytes) -> bool:
    """Return whether a file begins as XML does, in UTF-16 if it has the byte order mark."""
    if data.startswith(UTF16_MARKS):
        return data[:1000].decode("utf-16", "replace").lstrip().startswith("<")
    return data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<")


def read_small_input(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a small file, as of settings; raises OSError as `read_input` does."""
    return read_input(path, most=MAX_SMALL_BYTES)


def read_small_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a small file, as of settings; raises OSError as `read_input` does, also if not UTF-8."""
    data = read_small_input(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {data[error.start]:#04x} in line {line} is not UTF-8"
        raise OSError(errno.EILSEQ, reason, os.fspath(path)) from None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a TOML file; raises OSError as `read_small_text` does, also if it is not TOML."""
    return parsed_toml(read_small_text(path), path)


def parsed_toml(text: str, path: str | os.PathLike[str], most: int = MAX_TOML) -> dict[str, Any]:
    """Return the content of the text of a TOML file; raises OSError if it is not TOML, or takes long to parse.

    Args:
        most: characters of it.
    """
    if len(text) > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB of TOML", os.fspath(path))
    if long_key := _LONG_KEY.search(text):
        line = text.count("\n", 0, long_key.start()) + 1
        raise OSError(errno.EINVAL, f"line {line} has a key of more than {MAX_NAMES} names", os.fspath(path))
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number or nesting past all bounds
        raise OSError(errno.EINVAL, f"not TOML: {error}", os.fspath(path)) from None


def _file(name: str, most: int) -> bytes:
    try:
        handle = open_file(name, READ, follow=True)  # opening a pipe must not wait
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            os.close(handle)
            raise _no_file(mode)
        with os.fdopen(handle, "rb") as file:
            return _bounded(file, most, name)
    except OSError as error:
        raise OSError(error.errno, plain_reason(name, error), name) from None


def _no_file(mode: int) -> OSError:
    if stat.S_ISDIR(mode):
        return IsADirectoryError(errno.EISDIR, "")
    kind = "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"
    return OSError(errno.EINVAL, f"it is {kind}, not a file; '-' reads standard input")


@lru_cache(1)
def _standard_input(stdin: TextIO, most: int) -> bytes:
    """Return the content of standard input; later calls return it again without reading."""
    return _bounded(stdin.buffer, most, STDIN)


def _bounded(file: BinaryIO, most: int, name: str) -> bytes:
    parts: list[bytes] = []
    left = most
    while part := file.read(CHUNK):  # a read of all at once would reserve memory for the largest file
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB: split it", name)
    return b"".join(parts)


def unpacked(data: bytes, most: int) -> bytes:
    """Return bytes that were compressed with gzip; raises OSError for damage, and at the first bound exceeded."""
    import gzip  # noqa: PLC0415  (hardly any input is compressed)
    import zlib  # noqa: PLC0415

    parts: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while part := file.read(CHUNK):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise OSError(errno.EFBIG, f"it decompresses to more than {most >> 20} MB: split it")
                if size > FREE_BYTES and size > MAX_RATIO * len(data):
                    raise OSError(errno.EFBIG, f"it decompresses to more than {MAX_RATIO} times its size")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise OSError(errno.EINVAL, f"not whole gzip: {error}") from None
    return b"".join(parts)
