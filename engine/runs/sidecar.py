"""What made a run, in a file beside one whose format has no room for it: `run.trec.json` beside `run.trec`.

The names follow the metadata of runs of ir_metadata (Breuer, Keller & Schaer, SIGIR 2022) where it has them.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import RunFormatError
from engine.notices import Notice
from engine.runs.run import Run
from engine.system.files import read_regular, replace_file, unwritable

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
        replace_file(target, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode(), sync=True)
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
