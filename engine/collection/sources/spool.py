"""Compressed tars: unpacked once, within limits, into a temporary file whose stretches are then read."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import zstandard

from engine.collection.limits import MEGABYTE, Limits, the_limit
from engine.errors import CollectionError
from engine.plain import open_plain

# Called with the path of an archive, its bytes that were read so far, and all of them.
Progress = Callable[[str, int, int], None]

# What a decompressor may keep to look back into. xz -9 needs 65 MB, zstd --long 128 MB.
_WINDOW_BYTES = 256 * MEGABYTE
# What the decompressors raise when a file is damaged or not what its name says.
DAMAGES = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


def unpack(archive: str, kind: str, target: str, limits: Limits, progress: Progress | None = None) -> None:
    """Write the tar in a compressed archive into the file ``target``.

    Raises: CollectionError if more comes out than the limits allow, or the archive is damaged or cannot be read;
        OSError if the target cannot be written.
    """
    written = 0
    with open(target, "wb") as spool:
        for chunk, read, packed in _read(archive, kind):
            most = max(limits.free_bytes, limits.max_ratio * packed)
            written += len(chunk)
            if written > limits.max_archive_bytes:
                raise CollectionError(
                    f"more than {limits.max_archive_bytes:,} bytes unpacked, {the_limit('max_archive_bytes')}"
                )
            if written > most:
                raise CollectionError(f"more than {limits.max_ratio} times its packed size, {the_limit('max_ratio')}")
            spool.write(chunk)
            if progress is not None:
                progress(archive, read, packed)


def _read(archive: str, kind: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield what comes out of an archive, how many of its bytes were read for it, and how many it has."""
    try:
        with open_plain(archive, follow=True) as file:
            packed = os.fstat(file.fileno()).st_size
            for chunk in _CHUNKS[kind](file):
                yield chunk, file.tell(), packed
    except DAMAGES as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CollectionError(reason) from error


def _gzip_chunks(file: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        while chunk := unpacked.read(MEGABYTE):
            yield chunk


def _bzip2_chunks(file: BinaryIO) -> Iterator[bytes]:
    with bz2.BZ2File(file) as unpacked:
        while chunk := unpacked.read(MEGABYTE):
            yield chunk


def _zstd_chunks(file: BinaryIO) -> Iterator[bytes]:
    decoder = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
    with decoder.stream_reader(file, read_across_frames=True, closefd=False) as unpacked:
        while chunk := unpacked.read(MEGABYTE):
            yield chunk


def _xz_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield what is in one xz stream after the other; ``lzma.open`` would do, had it a limit for its memory."""
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
