"""The files of a tuning: the settings it chose, the journal of its scores, a picture."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from engine.cli.files import check_target, make_folder, write_whole
from engine.cli.index_search import IndexSearch
from engine.cli.judging import Judging
from engine.errors import FoxirError
from engine.settings import Settings
from eval.tuning import Journal, Scorer, Tuning, summary


@dataclass(frozen=True)
class Files:
    """The files that a tuning writes, None for those not asked for."""

    out: Path | None
    named_journal: Path | None
    picture: Path | None

    def check(self, read: Mapping[str, Path]) -> None:
        """Refuse, before anything is searched, what could not be written in the end, or would replace what is read.

        Args:
            read: what the tuning reads, by the name of its option.

        Raises: FoxirError.
        """
        written = {"--out": self.out, "--journal": self.named_journal, "--plot": self.picture}
        owners = {file.resolve(): option for option, file in read.items()}
        for option, file in written.items():
            if file is not None:
                owner = owners.setdefault(file.resolve(), option)
                if owner != option:
                    raise FoxirError(f"{option} {file}: is the file of {owner}: name another one.")
                check_target(file)
                make_folder(file.parent)
                _check_folder(file)
        if self.picture:
            from eval.plots.files import check_ending  # noqa: PLC0415  (slow to import)
            from eval.plots.style import styled  # noqa: PLC0415

            check_ending(self.picture)
            with styled():  # says where there is no matplotlib
                pass

    @contextmanager
    def journal(self, about: Mapping[str, str]) -> Iterator[Journal | None]:
        """Give the journal that is named, or one beside the settings file, which goes when it has done its work."""
        path = self.named_journal
        if path is None and self.out is not None:
            path = self.out.with_name(f"{self.out.name}.journal")
        if path is None:
            yield None
            return
        is_done = False
        with Journal(path, about) as journal:
            try:
                yield journal
                is_done = self.named_journal is None
            finally:
                if is_done or journal.is_empty:
                    path.unlink(missing_ok=True)

    def write(self, tuning: Tuning, settings: Settings, judging: Judging) -> None:
        """Write settings and picture."""
        if self.out:
            write_whole(self.out, settings_text(settings, [*summary(tuning), *_judged(judging)]))
        if self.picture:
            from eval.plots import plot_tuning, save  # noqa: PLC0415  (matplotlib is slow to import)

            save(plot_tuning(tuning), self.picture)


def settings_text(settings: Settings, comments: list[str]) -> str:
    """Return the text of a settings file, as `engine.settings.read_settings` takes it."""
    lines = [f"{name} = {_toml(value)}" for name, value in settings.to_dict().items()]
    return "\n".join([*(f"# {comment}" for comment in comments), "", *lines, ""])


def identity(search: IndexSearch, scoring: Scorer, assessments: Path, judging: Judging) -> dict[str, str]:
    """Return what the scores in a journal depend on beside settings and topic."""
    topics = sorted((t.topic_id, t.query_type, t.title, t.castitle) for t in search.topics.values())
    options = " ".join(f"{name}={value}" for name, value in scoring.options.items())
    return {
        "foxir": version("foxir"),
        "index": search.generation.digest,
        "topics": _digest(json.dumps(topics).encode()),
        "judgements": _digest(*(file.read_bytes() for file in _files(assessments))),
        "recall base": judging.recall_base,
        "scale": scoring.assessments.scale,
        "measure": f"{scoring.family}:{scoring.measure} {options}".rstrip(),
        "settings": json.dumps(search.base.describe()),
    }


def _judged(judging: Judging) -> list[str]:
    """Return what to say of judgements that were not read as usual."""
    usual = {"topic_class": "all", "recall_base": "full", "scale": None}
    told = [f"{name.replace('_', ' ')} {value}" for name, value in asdict(judging).items() if value != usual[name]]
    return [f"Judgements: {', '.join(told)}"] if told else []


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:16]


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _check_folder(file: Path) -> None:
    try:
        with TemporaryFile(dir=file.parent):
            pass
    except OSError as error:
        raise FoxirError(f"{file}: cannot be written: {error.strerror}. Choose another place or make room.") from None
