"""Output files, written atomically, or streams to stdout, a pipe or a device; what the endings of their names say."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from engine.errors import FoxirError
from engine.runs.run_files import Format
from engine.system.files import index_around, not_a_folder, replace_file, unwritable

STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
DESCRIPTORS = ("/dev/std", "/dev/fd/", "/proc/self/fd/")  # may be a regular file, which must not be replaced by another


def is_stdout(file: Path | None) -> bool:
    """Return whether a file name means stdout: `-`, `/dev/stdout` ..."""
    return file is not None and str(file) in STDOUT


def is_stream(file: Path) -> bool:
    """Return whether a file is a stream, which is written to and not replaced: stdout, a pipe, a character device."""
    if str(file) in STDOUT or str(file).startswith(DESCRIPTORS):
        return True
    try:
        mode = file.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def check_target(file: Path) -> None:
    """Refuse a folder or a block device where a file is expected, a file in place of its folder, and one in an index.

    Raises: FoxirError.
    """
    if is_stream(file):
        return
    if reason := not_a_folder(file.parent):
        raise FoxirError(f"{file}: cannot be written: {reason}. Choose another place.")
    if file.exists() and not file.is_file():
        raise FoxirError(f"{file}: is not a regular file and would be replaced: name another file.")
    if index := index_around(file):
        raise FoxirError(f"{file}: would be in the index '{index}': name another file.")


def check_one_stdout(*outputs: tuple[str, bool]) -> None:
    """Refuse two outputs on stdout.

    Args:
        outputs: options, and whether each writes to stdout.

    Raises: click.UsageError.
    """
    named = [option for option, is_written in outputs if is_written]
    if len(named) > 1:
        raise click.UsageError(f"{' and '.join(named)} all write to stdout: choose one.")


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents.

    Raises: FoxirError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(folder, error) from None


@contextmanager
def written_file(file: Path) -> Iterator[Path]:
    """Give the path to write to: the file, whose folder is made, or a temporary one, copied to a stream afterwards.

    Raises: FoxirError where the file cannot be written, or a folder was written for a stream.
    """
    if not is_stream(file):
        check_target(file)
        make_folder(file.parent)
        yield file
        return
    with TemporaryDirectory(prefix="foxir-") as folder:
        part = Path(folder) / ("stdout" if str(file) == "-" else file.name)
        yield part
        if part.is_dir():
            raise FoxirError(f"{file}: this command writes several files, not one: name a folder.")
        _copy(part.read_bytes(), file)


def write_whole(file: Path, text: str) -> None:
    """Write a text file in one step.

    Raises: FoxirError.
    """
    if is_stream(file):
        _copy(text.encode("utf-8"), file)
        return
    check_target(file)
    make_folder(file.parent)
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise _cannot(file, error) from None


def _copy(content: bytes, stream: Path) -> None:
    """Write bytes to a stream."""
    if is_stdout(stream):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with open(stream, "ab" if str(stream).startswith(DESCRIPTORS) else "wb", buffering=0) as output:
            output.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot(stream, error) from None


def _cannot(path: Path, error: OSError) -> FoxirError:
    return FoxirError(unwritable(path, error))


# Endings that stand for a format; others, as in `runs/v1.3`, are part of a name.
FORMATS = (
    *(".xml", ".fol", ".trec", ".run", ".qrels", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".gz"),
    *(".html", ".htm", ".md", ".tex", ".toml", ".yaml", ".yml", ".xls", ".xlsx", ".parquet", ".zip"),
)


RUN_ENDINGS = (".xml", ".fol", ".trec")


def other_run_ending(out: Path, format_: Format | None) -> str:
    """Return a notice on the name of a run file whose format no option gives; "" if there is nothing to say."""
    if format_ is not None:
        return ""
    advice = "--format chooses fol, trec or inex, as the endings .fol, .trec and .xml do"
    return other_ending(out, "INEX XML", RUN_ENDINGS, advice, may_be_packed=True)


def other_ending(out: Path, written: str, endings: Sequence[str], advice: str, *, may_be_packed: bool = False) -> str:
    """Return a notice on a name whose ending stands for another format; "" for any other name, and for a stream.

    Args:
        written: what is written, in words.
        endings: those that stand for it.
        advice: how another format is written.
        may_be_packed: whether `.gz` behind the ending compresses the file.

    >>> other_ending(Path("a.csv"), "lines of JSON", [".jsonl"], "name it a.jsonl")
    'a.csv: has lines of JSON, which .csv does not stand for: name it a.jsonl.'
    """
    name = out.name.lower()
    ending = Path(name.removesuffix(".gz") if may_be_packed else name).suffix
    if ending not in FORMATS or ending in endings or is_stream(out):
        return ""
    return f"{out}: has {written}, which {ending} does not stand for: {advice}."
