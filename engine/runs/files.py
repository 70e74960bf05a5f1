"""Reading and writing run files: which format it is, and that a file appears whole or not at all."""

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

from engine.errors import RunFormatError
from engine.runs.fol import fol_lines
from engine.runs.inex import read_inex
from engine.runs.run import Run
from engine.runs.text import read_text
from engine.runs.trec import trec_lines

Format = Literal["inex", "fol", "trec"]

GZIP_MAGIC = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"


def read_run(path: str | os.PathLike[str]) -> Run:
    """Return the run that a file holds, whatever its format; ``run.notices`` says what had to be put right.

    The content decides, not the name: XML of INEX 2003-2008, or text of 6 (TREC), 7 or 8 columns (INEX 2009-2010),
    both also compressed by gzip.

    Raises: RunFormatError with file and line.
    """
    source = os.fspath(path)
    try:
        data = Path(source).read_bytes()
        if data.startswith(GZIP_MAGIC):
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RunFormatError(f"{source}: cannot be read: {reason}. Expected a run file, plain or gzip.") from error
    data = data.removeprefix(UTF8_MARK)
    if data.lstrip().startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return read_inex(data, source)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RunFormatError(
            f"{source}:{line}: byte 0x{data[error.start]:02x} is no UTF-8: expected a run as XML or as UTF-8 text. "
            f"If it is a text run, convert it: iconv -f LATIN1 -t UTF-8 {source}"
        ) from error
    return read_text(text, source)


def write_run(run: Run, path: str | os.PathLike[str], format: Format = "inex") -> None:
    """Write a run file; it appears whole or not at all, and the same run gives the same bytes.

    * ``inex``: everything a run holds, description and settings included. A result is an element if it has a path (its
      offsets stay behind), else a passage between pointers, else one by offset and length, else the document.
    * ``fol``: the text of INEX 2009-2010; offset and length where they are known, else paths. No description.
    * ``trec``: documents only, each at its first result. No description: the text formats have no comments.

    A name that ends in ``.gz`` is compressed.

    Raises: RunFormatError if the format cannot hold the run or the file cannot be written; ValueError for another
    format.
    """
    target = Path(path)
    try:
        data = "".join(_lines(run, format)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RunFormatError(
            f"run {run.run_id!r}: {error.object[error.start]!r} is no character of Unicode."
        ) from error
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RunFormatError(
            f"{target}: cannot be written: {error.strerror}. Choose another file or make room."
        ) from error


def _lines(run: Run, format: Format) -> Iterator[str]:
    """Return the lines of a run in a format."""
    match format:
        case "fol":
            return fol_lines(run)
        case "trec":
            return trec_lines(run)
        case "inex":
            from engine.runs.submission import inex_lines  # noqa: PLC0415  (slow to import, not needed to read)

            return inex_lines(run)
    raise ValueError(f"format {format!r}: expected one of {', '.join(get_args(Format))}")
