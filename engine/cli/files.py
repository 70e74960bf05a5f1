"""Files that commands write: whole or not at all, and never in place of a folder or a device."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import FoxirError


def check_target(file: Path) -> None:
    """Refuse what is there already and no regular file.

    Raises: FoxirError.
    """
    if file.exists() and not file.is_file():
        raise FoxirError(f"{file}: is no regular file and would be replaced: name another file.")


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, where they are missing.

    Raises: FoxirError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(folder, error) from None


def write_whole(file: Path, text: str) -> None:
    """Write a text file in one step.

    Raises: FoxirError.
    """
    check_target(file)
    make_folder(file.parent)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _cannot(file, error) from None


def _cannot(path: Path, error: OSError) -> FoxirError:
    return FoxirError(f"{path}: cannot be written: {error.strerror}. Choose another place or make room.")
