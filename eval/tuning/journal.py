"""The journal of a tuning: a line for each score, from which an interrupted tuning resumes.

The first line identifies the tuning; each other line contains settings, a topic and its score. An incomplete last line,
left by a killed process, is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from engine.errors import SettingsError
from engine.system.files import unwritable
from engine.system.held_folder import HeldFolder
from engine.system.platform import REMOVES_OPEN_FILES, WRITE, lock
from eval.tuning.grid import Point

# Settings, a topic, and its score.
Score = tuple[Point, str, float | None]


class Journal:
    """A journal file, locked by this process."""

    def __init__(self, path: Path, identity: Mapping[str, str]) -> None:
        """Open a journal, or create one.

        Args:
            identity: everything scores depend on besides settings and topic, by the names used in messages.

        Raises: SettingsError for a file that is not a journal, belongs to another tuning, is damaged, or is locked by
            another process.
        """
        self._path = path
        self._identity = dict(identity)
        with ExitStack() as opened:
            try:
                self._folder = opened.enter_context(HeldFolder(path.parent))
                file = self._folder.open(path.name, WRITE | os.O_CREAT | os.O_APPEND, follow=True)
            except OSError as error:
                raise SettingsError(unwritable(path, error)) from None
            self._opened_file = opened.enter_context(file)
            self._file = file.fileno()
            self._lock()
            self._scores = self._read()
            self._is_empty = all(value is None for value in self._scores.values())
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def scores(self) -> Mapping[tuple[str, str], float | None]:
        """The scores in the journal when it was opened, by settings (:func:`key`) and topic."""
        return self._scores

    @property
    def is_empty(self) -> bool:
        """Whether the journal contains no score, or only scores of topics without relevance."""
        return self._is_empty

    def add(self, scores: Iterable[Score]) -> None:
        """Append scores.

        Raises: SettingsError if the file cannot be written.
        """
        scores = list(scores)
        self._is_empty = self._is_empty and all(value is None for _, _, value in scores)
        lines = [
            json.dumps({"settings": dict(point), "topic": topic, "value": value}, ensure_ascii=False) + "\n"
            for point, topic, value in scores
        ]
        self._write("".join(lines))

    def remove(self) -> None:
        """Remove the file from the folder that it was opened in, unless another one has its name by now."""
        with suppress(OSError):
            named = self._folder.status(self._path.name, follow=True)
            if os.path.samestat(named, os.fstat(self._file)):
                if not REMOVES_OPEN_FILES:
                    self._opened_file.close()
                self._folder.remove([self._path.name])

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise SettingsError(unwritable(self._path, error)) from None

    def _lock(self) -> None:
        try:
            lock(self._file)
        except OSError:
            raise SettingsError(
                f"{self._path}: another process is tuning with this journal: wait for it, or name another journal."
            ) from None

    def _read(self) -> dict[tuple[str, str], float | None]:
        with open(self._file, "rb", closefd=False) as file:
            *whole, rest = file.read().split(b"\n")
        if not whole:
            begin = json.dumps({"foxir tune": self._identity}, ensure_ascii=False) + "\n"
            if not begin.encode().startswith(rest):
                raise self._damaged(1)
            os.ftruncate(self._file, 0)
            self._write(begin)
            return {}
        self._compare(self._parsed(whole[0], 1).get("foxir tune"))
        scores = {}
        for number, line in enumerate(whole[1:], 2):
            entry = self._parsed(line, number)
            try:
                scores[key(entry["settings"]), entry["topic"]] = entry["value"]
            except KeyError:
                raise self._damaged(number) from None
        os.ftruncate(self._file, sum(len(line) + 1 for line in whole))
        return scores

    def _compare(self, written: Any) -> None:
        if not isinstance(written, dict):
            raise self._damaged(1)
        for name in {**written, **self._identity}:
            if written.get(name) != self._identity.get(name):
                raise SettingsError(
                    f"{self._path}: the journal of another tuning: {_difference(name, written, self._identity)}. "
                    "Remove it to start over, or name another journal."
                )

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            raise self._damaged(number)
        return entry

    def _damaged(self, number: int) -> SettingsError:
        return SettingsError(
            f"{self._path}:{number}: not a line of a journal of foxir tune: remove the file to start over, or name "
            "another journal."
        )


def key(point: Point) -> str:
    """Return settings as a string that does not depend on their order."""
    return json.dumps(dict(point), sort_keys=True)


def _difference(name: str, written: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return how an entry of two identities differs; of settings, the first that does."""
    one, other = written.get(name), found.get(name)
    try:
        settings, others = json.loads(str(one)), json.loads(str(other))
        setting = next(each for each in {**settings, **others} if settings.get(each) != others.get(each))
        return f"its {setting} is {settings.get(setting)}, found {others.get(setting)}"
    except (ValueError, AttributeError, TypeError, StopIteration, RecursionError):
        return f"its {name} is {one}, found {other}"
