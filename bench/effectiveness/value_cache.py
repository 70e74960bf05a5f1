"""Caches scores of topics between calls, by what they depend on: the code as it was when it was loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from bench.effectiveness.measures import Values

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "engine"


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


PEERS = _digest((HERE.parents[1] / "foxir" / "chunks").glob("*.py"))
ENGINE = _digest(file for kind in ("*.py", "*.toml") for file in PACKAGE.rglob(kind))
THESIS = "thesis"  # runs that are promised never to change


def cached_values(file: Path, make: Callable[[], dict[str, Values]]) -> dict[str, Values]:
    """Return the values in a file, made and written the first time."""
    if file.exists():
        return dict(np.load(file))
    found = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part.npz")
    np.savez(part, **found)  # type: ignore[arg-type]
    part.replace(file)
    return found
