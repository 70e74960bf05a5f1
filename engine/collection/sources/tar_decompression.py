"""Decompresses a compressed tar, within limits, into a temporary file from which members are then read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import zstandard

from engine.collection.limits import MEGABYTE, Limits, limit_hint
from engine.errors import CollectionError
from engine.progress import Progress
from engine.system.platform import open_regular

# Progress callback: path of the archive, bytes read so far, size in bytes.

# Largest window of a decompressor, which bounds its memory. xz -9 needs 65 MB, zstd --long 128 MB.
_WINDOW_BYTES = 256 * MEGABYTE
# What the decompressors raise if a file is damaged or has another format than its name says.
DAMAGES = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


def decompress_tar(archive: str, kind: str, target: str, limits: Limits, progress: Progress | None = None) -> None:
    """Decompress an archive into the file `target`.

    Raises: CollectionError if the tar exceeds the limits, or the archive is damaged or cannot be read; OSError if the
        target cannot be written.
    """
    written = 0
    with open(target, "wb") as tar:
        for chunk, read, packed in _read(archive, kind):
            most = max(limits.free_bytes, limits.max_ratio * packed)
            written += len(chunk)
            if written > limits.max_archive_bytes:
                raise CollectionError(
                    f"more than {limits.max_archive_bytes:,} bytes decompressed, {limit_hint('max_archive_bytes')}"
                )
            if written > most:
                raise CollectionError(
                    f"more than {limits.max_ratio} times its compressed size, {limit_hint('max_ratio')}"
                )
            tar.write(chunk)
            if progress is not None:
                progress(archive, read, packed)


def _read(archive: str, kind: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield decompressed chunks, each with the archive's bytes read so far and its size in bytes."""
    try:
        with open_regular(archive, follow=True) as file:
            packed = os.fstat(file.fileno()).st_size
            for chunk in _CHUNKS[kind](file):
                yield chunk, file.tell(), packed
    except DAMAGES as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CollectionError(reason) from error


def _gzip_chunks(file: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as decompressed:
        while chunk := decompressed.read(MEGABYTE):
            yield chunk


def _bzip2_chunks(file: BinaryIO) -> Iterator[bytes]:
    with bz2.BZ2File(file) as decompressed:
        while chunk := decompressed.read(MEGABYTE):
            yield chunk


def _zstd_chunks(file: BinaryIO) -> Iterator[bytes]:
    decoder = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
    with decoder.stream_reader(file, read_across_frames=True, closefd=False) as decompressed:
        while chunk := decompressed.read(MEGABYTE):
            yield chunk


def _xz_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of all concatenated xz streams; `lzma.open` would do if it could limit its memory."""
    decoder = lzma.LZMADecompressor(memlimit=_WINDOW_BYTES)
    while True:
        data = b""
        if decoder.eof:
            data = decoder.unused_data.lstrip(b"\0")
            while not data and (more := file.read(MEGABYTE)):
                data = more.lstrip(b"\0")
            if not data:
                return
            decoder = lzma.LZMADecompressor(memlimit=_WINDOW_BYTES)
        elif decoder.needs_input and not (data := file.read(MEGABYTE)):
            raise EOFError("the compressed data ends early")
        yield decoder.decompress(data, MEGABYTE)


_CHUNKS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    "gzip": _gzip_chunks,
    "xz": _xz_chunks,
    "zstd": _zstd_chunks,
    "bzip2": _bzip2_chunks,
}
