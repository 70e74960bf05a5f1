"""Reads run files of any format, and writes them atomically; what made a run, in a file beside it where it has no room.

The names in that file, `run.trec.json` beside `run.trec`, follow the metadata of runs of ir_metadata (Breuer, Keller &
Schaer, SIGIR 2022) where it has them.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import ArgumentError, RunFormatError
from engine.notices import Notice
from engine.runs.inex_format import read_inex
from engine.runs.run import Run
from engine.runs.text_format import fol_lines, read_text, text_line
from engine.system.files import read_regular, replace_file, unwritable
from engine.system.input_files import UTF16_MARKS, begins_as_xml, read_input

Format = Literal["inex", "fol", "trec"]


def read_run(path: str | os.PathLike[str]) -> Run:
    """Return the run in a file of any format; `run.notices` lists corrections.

    The format is recognised by content, not by name: XML of INEX 2003-2008, or text of 6 (TREC), 7 or 8 columns
    (INEX 2009-2010), plain or compressed with gzip.

    Raises: RunFormatError with file and line.
    """
    source = os.fspath(path)
    try:
        data = read_input(source, unpacks=True)
    except OSError as error:
        raise RunFormatError(
            f"{source}: cannot be read: {error.strerror}. Expected a run file, plain or gzip."
        ) from error
    data = data.removeprefix(codecs.BOM_UTF8)
    if begins_as_xml(data):
        return read_inex(data, source)
    if is_sidecar(data):
        raise RunFormatError(f"{source}: what foxir writes beside a run, not a run: name the run, without .json.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RunFormatError(
            f"{source}:{line}: byte 0x{data[error.start]:02x} is not UTF-8: expected a run as XML or as UTF-8 text. "
            f"If it is a text run, convert it: iconv -f {_likely_encoding(data)} -t UTF-8 {source}"
        ) from error
    return with_sidecar(read_text(text, source), data)


def _likely_encoding(data: bytes) -> str:
    return "UTF-16" if data.startswith(UTF16_MARKS) else "LATIN1"


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format that the name of a run file ends in, `.fol` or `.trec`, be it before `.gz`; else INEX XML."""
    ending = Path(os.fspath(path).lower().removesuffix(".gz")).suffix
    return "fol" if ending == ".fol" else "trec" if ending == ".trec" else "inex"


def write_run(run: Run, path: str | os.PathLike[str], format: Format | None = None) -> None:
    """Write a run file atomically, by default in the format of its name; the same run gives the same bytes.

    * `inex`: the whole run, with description and settings. A result is written as its path if it has one (without
      offsets), else as a passage between pointers, else by offset and length, else as the document.
    * `fol`: the text of INEX 2009-2010, with offset and length if they are known, else paths. No description.
    * `trec`: documents only, each at its first result. No description, as the text formats have no comments.

    If the name ends in `.gz`, the file is compressed. Beside a text of a run whose `origin` is known, a file
    `.json` has it and the settings.

    Raises: RunFormatError if the format cannot represent the run or the file cannot be written; ArgumentError for an
        unknown format.
    """
    target, chosen = Path(path), format or format_of(path)
    try:
        data = "".join(_lines(run, chosen)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RunFormatError(
            f"run {run.run_id!r}: {error.object[error.start]!r} is not a Unicode character: remove it."
        ) from error
    text = data
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    try:
        replace_file(target, data)
    except OSError as error:
        raise RunFormatError(unwritable(target, error)) from error
    if run.origin and chosen != "inex" and target.is_file():  # nothing stands beside a pipe
        write_sidecar(run, target, text)


def _lines(run: Run, format: Format) -> Iterator[str]:
    """Return the lines of a run in a format."""
    match format:
        case "fol":
            return fol_lines(run)
        case "trec":
            return trec_lines(run)
        case "inex":
            from engine.runs.inex_format import inex_lines  # noqa: PLC0415  (slow to import, not needed to read)

            return inex_lines(run)
    raise ArgumentError(f"format {format!r}: expected one of {', '.join(get_args(Format))}.")


def n_written(run: Run, format: Format) -> int:
    """Return how many results of a run a file of a format has: in `trec`, as many as there are documents."""
    if format != "trec":
        return run.n_results
    return sum(len(set(ranking.documents)) for ranking in run.rankings.values())


def trec_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a run with the first result of each document, renumbered 1, 2, 3 ...

    Locations, description and settings are not written: the format has neither elements nor comments.
    """
    for topic, ranking in run.rankings.items():
        firsts: dict[str, float] = {}
        for document, rsv in zip(ranking.documents, ranking.rsv.tolist(), strict=True):
            firsts.setdefault(document, rsv)
        for rank, (document, rsv) in enumerate(firsts.items(), 1):
            yield text_line(topic, document, rank, rsv, run.run_id)


KIND = "foxir run"
LARGEST = 2**20


def sidecar_of(path: str | os.PathLike[str]) -> Path:
    """Return the file beside a run."""
    return Path(f"{os.fspath(path)}.json")


def is_sidecar(data: bytes) -> bool:
    """Return whether a file begins as one beside a run does."""
    return data[:100].replace(b" ", b"").replace(b"\n", b"").startswith(b'{"kind":"foxirrun"')


def write_sidecar(run: Run, path: Path, data: bytes) -> None:
    """Write what made a run beside its file.

    Args:
        data: the bytes of the run file, by which it is recognised.
    Raises: RunFormatError.
    """
    content = {
        "kind": KIND,
        "tag": run.run_id,
        "task": run.task,
        "description": run.description,
        "implementation": {"name": "foxir", "version": run.origin.get("foxir", "")},
        "data": dict(run.origin),
        "method": {"settings": dict(run.settings)},
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    target = sidecar_of(path)
    try:
        replace_file(target, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())
    except OSError as error:
        raise RunFormatError(unwritable(target, error)) from error


def with_sidecar(run: Run, data: bytes) -> Run:
    """Return a run with what the file beside it says, if there is one; with a notice where that is of another run.

    Args:
        data: the bytes of the run file.
    """
    path = sidecar_of(run.source)
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return run
        content = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError):
        return run
    if not isinstance(content, dict) or content.get("kind") != KIND:
        return run
    method = content.get("method")
    settings, origin = _texts(method.get("settings") if isinstance(method, dict) else None), _texts(content.get("data"))
    if settings is None or origin is None:
        return run
    if content.get("sha256") != hashlib.sha256(data).hexdigest():
        return replace(run, notices=(*run.notices, Notice("sidecar_of_another", {"file": str(path)})))
    texts = {name: content[name] for name in ("task", "description") if isinstance(content.get(name), str)}
    return replace(run, settings=settings, origin=origin, **texts)


def _texts(values: Any) -> dict[str, str] | None:
    is_one = isinstance(values, dict) and all(isinstance(value, str) for value in values.values())
    return values if is_one else None
