"""What a measurement depends on beside the code: machine, versions, commit."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lxml import etree

import engine

LIBRARIES = ("whoosh", "zstandard", "click", "rich")


def machine() -> dict[str, str | int | float]:
    """Return the processor, its cores, the memory, the system, and how busy it was."""
    return {
        "cpu": _line_of("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "load_average_at_start": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of everything that the contenders are made of."""
    return {
        "python": platform.python_version(),
        "foxir": version("foxir"),
        "numpy": np.__version__,
        "lxml": etree.__version__,
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in LIBRARIES},
    }


def commit() -> str:
    """Return the commit of the engine that is measured, with `+changes` when its files differ from it."""
    checkout = Path(engine.__file__).parents[1]
    try:
        head = _git(checkout, "rev-parse", "--short=12", "HEAD")
        changed = _git(checkout, "status", "--porcelain", "--untracked-files=no", "engine", "eval")
    except (OSError, subprocess.CalledProcessError):
        return "unknown (not a git checkout)"
    return f"{head}+changes" if changed else head


def _git(checkout: Path, *arguments: str) -> str:
    return subprocess.run(
        ("git", "-C", str(checkout), *arguments), check=True, capture_output=True, text=True
    ).stdout.strip()


def _line_of(path: str, name: str) -> str:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "unknown")
