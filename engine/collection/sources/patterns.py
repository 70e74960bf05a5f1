"""Files and folders that a pattern such as `texts/**/*.xml` matches."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator

_MAGIC = re.compile(r"[*?\[]")


def is_pattern(source: str) -> bool:
    """Return whether a source that names no file or folder may be a pattern."""
    return _MAGIC.search(source) is not None


def ends_with_extension(pattern: str) -> bool:
    """Return whether a pattern gives a file extension: then every file that it matches is a document.

    >>> ends_with_extension("corpus/*.nxml"), ends_with_extension("corpus/**"), ends_with_extension("corpus/part-*")
    (True, False, False)
    """
    return "." in _MAGIC.split(os.path.basename(pattern))[-1]


def matching_paths(pattern: str) -> list[str]:
    """Return the files and folders that an absolute pattern matches, sorted.

    `*`, `?` and `[...]` match within a name and match no leading dot; a step `**` matches any number of folders,
    symbolic links excluded.
    """
    return sorted(set(_matching("/", [step for step in pattern.split("/") if step])))


def _matching(folder: str, steps: list[str]) -> Iterator[str]:
    """Yield what the steps match below a folder; a path may come twice if two `**` lead to it."""
    step, rest = steps[0], steps[1:]
    if step == "**":
        waiting = [folder]
        while waiting:
            each = waiting.pop()
            yield from _matching(each, rest or ["*"])
            waiting += [path for path in _children(each, "*") if os.path.isdir(path) and not os.path.islink(path)]
        return
    for path in _children(folder, step) if is_pattern(step) else [os.path.join(folder, step)]:
        if not rest and os.path.lexists(path):
            yield path
        elif rest and os.path.isdir(path):
            yield from _matching(path, rest)


def _children(folder: str, pattern: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    matching = fnmatch.filter(names, pattern)
    return [os.path.join(folder, name) for name in matching if not name.startswith(".") or pattern.startswith(".")]
