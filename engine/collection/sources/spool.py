"""Compressed tars: unpacked once, within limits, into a temporary file whose stretches are then read."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import zstandard

from engine.collection.sources.entry import MEGABYTE, Limits
from engine.errors import CollectionError

# Called with the path of an archive, its bytes that were read so far, and all of them.
Progress = Callable[[str, int, int], None]

# What a decompressor may keep to look back into. xz -9 needs 65 MB, zstd --long 128 MB.
_WINDOW_BYTES = 256 * MEGABYTE
# What the decompressors raise when a file is damaged or not what its name says.
DAMAGES = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


def unpack(archive: str, kind: str, target: str, limits: Limits, progress: Progress | None = None) -> None:
    """Write the tar in a compressed archive into the file ``target``.

    Raises: CollectionError if more comes out than the limits allow; one of ``DAMAGES`` if the archive is damaged.
    """
    packed = os.stat(archive).st_size
    most = max(limits.free_bytes, limits.max_ratio * packed)
    written = 0
    with open(archive, "rb") as file, open(target, "wb") as spool:
        for chunk in _CHUNKS[kind](file):
            written += len(chunk)
            if written > limits.max_archive_bytes:
                raise CollectionError(
                    f"more than {limits.max_archive_bytes:,} bytes come out, the limit max_archive_bytes"
                )
            if written > most:
                raise CollectionError(f"more than {limits.max_ratio} times its size comes out, the limit max_ratio")
            spool.write(chunk)
            if progress is not None:
                progress(archive, file.tell(), packed)


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
