"""Patterns such as `texts/**/*.xml`: the files that one matches, and those that one excludes, as in a .gitignore."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import groupby, pairwise

from engine.collection.sources.file_names import archive_kind
from engine.errors import CollectionError
from engine.notices import Notice
from engine.records import dataclass
from engine.system.platform import absolute

_MAGIC = re.compile(r"[*?\[]")


def is_pattern(source: str) -> bool:
    """Return whether a source that names no file or folder may be a pattern."""
    return _MAGIC.search(source) is not None


def ends_with_extension(pattern: str) -> bool:
    """Return whether a pattern gives a file extension, or a part of one: every file that it matches is a document.

    >>> [ends_with_extension(pattern) for pattern in ("a/*.nxml", "*.*html", "*.[xh]*", "a/**", "part-*", "*.*")]
    [True, True, True, False, False, False]
    """
    _, dot, extension = os.path.basename(pattern).rpartition(".")
    return bool(dot) and extension.strip("*?") != ""


def matching_paths(pattern: str) -> list[str]:
    """Return the files and folders that an absolute pattern matches, sorted.

    `*`, `?` and `[...]` match within a name and match no leading dot; a step `**` matches any number of folders,
    symbolic links excluded.
    """
    drive, path = os.path.splitdrive(pattern)
    return sorted(set(_matching(f"{drive}/", [step for step in path.split("/") if step])))


def excluded_by(pattern: str, folder: str) -> re.Pattern[str]:
    """Return the expression of the absolute paths that a pattern excludes below a folder, as in its .gitignore.

    A pattern with a slash, other than at its end, begins at the folder; another one matches names at any depth. What is
    below a folder that matches is excluded, too.

    Raises: re.error for a range of letters in the wrong order, such as `[z-a]`; ValueError for a pattern without name.

    >>> found = [excluded_by(pattern, "/d") for pattern in ("drafts", "old/*.xml", "**/x?.xml", "/a.xml")]
    >>> paths = ["/d/b/drafts/c.xml", "/d/old/a.xml", "/d/old/b/a.xml", "/d/b/x1.xml", "/d/a.xml", "/d/b/a.xml"]
    >>> [[bool(each.fullmatch(path)) for each in found].index(True) if any(e.fullmatch(path) for e in found) else None
    ...  for path in paths]
    [0, 1, None, 2, 3, None]
    >>> [bool(excluded_by(pattern, "/d").fullmatch("/d/b/c")) for pattern in ("b/**", "**", "**/c*", "c/**", "d/**")]
    [True, True, True, False, False]
    >>> [bool(excluded_by("[!ab]?.xml", "/d").fullmatch(path)) for path in ("/d/a1.xml", "/d/c1.xml")]
    [False, True]
    """
    steps = [step for step in pattern.split("/") if step not in ("", ".")]
    if not steps:
        raise ValueError("expected a name such as drafts, or a path such as old/*.xml")
    if len(steps) == 1 and not pattern.startswith(("/", "./")):
        steps = ["**", *steps]
    # Steps between `**`: the first ones begin at the folder, others at the first place where they match.
    groups = [list(group) for is_any, group in groupby(steps, "**".__eq__) if not is_any]
    anchored = groups.pop(0) if groups and steps[0] != "**" else []
    expression = re.escape(folder.rstrip("/")) + "".join(f"/{_name(step)}" for step in anchored)
    for group in groups:
        names = "".join(f"/{_name(step)}" for step in group)
        expression += f"(?>(?:/[^/]+)*?{names}(?=/|\\Z))"
    return re.compile(f"{expression}{'/.+' if steps[-1] == '**' else '(?:/.*)?'}", re.DOTALL)


def _name(step: str) -> str:
    """Return the expression of a step of a pattern, in which `*` and `?` match no slash; it takes linear time."""
    pieces = re.split(r"(\*|\?|\[[^\]/]+\])", step)
    stars = [place for place, piece in enumerate(pieces) if piece == "*"]
    fixed = ["".join(map(_expression, pieces[begin + 1 : end])) for begin, end in pairwise([-1, *stars, len(pieces)])]
    if not stars:
        return fixed[0]
    # All but the last piece are best at the first place where they match.
    return f"{fixed[0]}{''.join(f'(?>[^/]*?{each})' for each in fixed[1:-1])}[^/]*{fixed[-1]}"


def _expression(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if not piece.startswith("["):
        return re.escape(piece)
    is_negated = piece.startswith("[!") and len(piece) > len("[!]")
    letters = "".join(each if each == "-" else re.escape(each) for each in piece[1 + is_negated : -1])
    return f"[^/{letters}]" if is_negated else f"[{letters}]"


def _matching(folder: str, steps: list[str]) -> Iterator[str]:
    """Yield the paths below a folder that match the steps; twice if two `**` lead to one."""
    step, rest = steps[0], steps[1:]
    if step == "**":
        waiting = [folder]
        while waiting:
            each = waiting.pop()
            yield from _matching(each, rest or ["*"])
            waiting += [path for path in _children(each, "*") if os.path.isdir(path) and not os.path.islink(path)]
        return
    for path in _children(folder, step) if is_pattern(step) else [posixpath.join(folder, step)]:
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
    return [posixpath.join(folder, name) for name in matching if not name.startswith(".") or pattern.startswith(".")]


# Begins a source, or a line of a list, that excludes files.
SIGN = "!"
# What excluded XML files are counted as.
EXCLUDED = "excluded"


@dataclass(frozen=True)
class Exclusions:
    """Expressions of the absolute paths that are not read, by pattern; `matched` receives the patterns that match."""

    expressions: tuple[tuple[str, re.Pattern[str]], ...] = ()
    matched: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, patterns: Iterable[str], source: str, matched: set[str]) -> Exclusions:
        """Return patterns that are relative to a source: to its folder, that of its file or list, or its archive.

        Raises: CollectionError for a pattern that cannot be read.
        """
        folder = absolute(source.removeprefix("@"))
        while not os.path.isdir(folder) and not (archive_kind(folder) and os.path.isfile(folder)):
            folder = os.path.dirname(folder)
        return cls((), matched).below(folder, [(pattern, "") for pattern in patterns])

    def below(self, folder: str, patterns: Sequence[tuple[str, str]]) -> Exclusions:
        """Return these exclusions and further ones.

        Args:
            patterns: relative to the folder; each with what begins messages about it.
        """
        added = []
        for pattern, where in patterns:
            try:
                added.append((pattern, excluded_by(pattern, folder)))
            except (re.error, ValueError) as error:
                reason = error.msg if isinstance(error, re.error) else error
                raise CollectionError(f"{where}the pattern '{SIGN}{pattern}' is not a pattern: {reason}.") from None
        return Exclusions((*self.expressions, *added), self.matched) if added else self

    def exclude(self, path: str) -> bool:
        """Return whether an absolute path matches a pattern."""
        found = [pattern for pattern, expression in self.expressions if expression.fullmatch(path)]
        self.matched.update(found)
        return bool(found)


def is_exclusion(source: str) -> bool:
    """Return whether a source is a pattern of files that are not read of the others, such as `!drafts`."""
    return source.startswith(SIGN)


def exclusion(pattern: str) -> str:
    """Return the source that excludes the files matching a pattern."""
    return f"{SIGN}{pattern}"


def unsigned(exclusion: str) -> str:
    """Return the pattern of an exclusion."""
    return exclusion.removeprefix(SIGN)


def check_is_there(source: str) -> None:
    """Raise CollectionError for a remembered source whose file, folder or list is not there any more."""
    if not is_pattern(source) and not os.path.exists(source.removeprefix("@")):
        raise CollectionError(Notice("source_is_gone", {"source": source}))
