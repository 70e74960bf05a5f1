"""The Python interpreters of this machine that foxir supports."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What an interpreter must be able to do: be the version that its name says, and make virtual environments with pip.
PROBE = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def supported_versions(pyproject: Path = ROOT / "pyproject.toml") -> list[str]:
    """Return the Python versions that the classifiers of the package name, such as '3.11', in their order."""
    classifiers = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["classifiers"]
    last_parts = [
        line.rpartition(" :: ")[2] for line in classifiers if line.startswith("Programming Language :: Python")
    ]
    return [part for part in last_parts if "." in part]


def find_interpreters(versions: Sequence[str], environ: Mapping[str, str] = os.environ) -> dict[str, Path | None]:
    """Return for each version an interpreter that works, from PATH or pyenv's folder, or None."""
    return {
        version: next((each for each in _candidates(version, environ) if _is_usable(each, version)), None)
        for version in versions
    }


def _candidates(version: str, environ: Mapping[str, str]) -> Iterator[Path]:
    if on_path := shutil.which(f"python{version}", path=environ.get("PATH")):
        yield Path(on_path)
    pyenv = Path(environ.get("PYENV_ROOT") or Path(environ.get("HOME", "/"), ".pyenv"))
    for folder in sorted((pyenv / "versions").glob(f"{version}.*"), reverse=True):
        yield folder / "bin" / "python"


def _is_usable(interpreter: Path, version: str) -> bool:
    """Return whether an interpreter runs; pyenv's shim of a version that is not selected does not."""
    try:
        done = subprocess.run([interpreter, "-c", PROBE], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version
