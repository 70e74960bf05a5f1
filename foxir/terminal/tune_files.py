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

from engine.errors import FoxirError
from engine.settings import Settings
from engine.system.file_errors import unwritable
from engine.system.input_files import read_input
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.journal import Journal
from eval.tuning.tuning_result import Tuning, summary
from foxir.evaluation.judged_search import JudgedSearch
from foxir.evaluation.judgement_selection import Judging
from foxir.files import settings_text
from foxir.terminal.output_files import check_target, is_stream, make_folder, write_whole


@dataclass(frozen=True)
class TuningFiles:
    """The files that a tuning writes, None for those not requested."""

    out: Path | None
    named_journal: Path | None
    picture: Path | None

    def check(self, read: Mapping[str, Path]) -> None:
        """Refuse, before anything is searched, paths that cannot be written or that are inputs.

        Args:
            read: what the tuning reads, by the name of its option.

        Raises: FoxirError.
        """
        written = {"--out": self.out, "--journal": self.named_journal, "--plot": self.picture}
        owners = {file.resolve(): option for option, file in read.items()}
        for option, file in written.items():
            if file is not None and not is_stream(file):
                owner = owners.setdefault(file.resolve(), option)
                if owner != option:
                    raise FoxirError(f"{option} {file}: is also the file of {owner}: name another one.")
                check_target(file)
                make_folder(file.parent)
                _check_folder(file)
        if self.picture:
            from eval.output.plots.style import check_ending, styled  # noqa: PLC0415  (slow to import)

            check_ending(self.picture)
            with styled():  # says where there is no matplotlib
                pass

    @contextmanager
    def journal(self, about: Mapping[str, str]) -> Iterator[Journal | None]:
        """Give the requested journal, or one beside the settings file that is removed when the tuning ends."""
        path = self.named_journal
        if path is None and self.out is not None and not is_stream(self.out):
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

    def write(self, tuning: CrossValidated, settings: Settings, judging: Judging) -> None:
        """Write settings and picture."""
        if self.out:
            write_whole(self.out, settings_text(settings, [*summary(tuning), *_judged(judging)]))
        if self.picture and isinstance(tuning, Tuning):
            from eval.output.plots import plot_tuning, save  # noqa: PLC0415  (matplotlib is slow to import)

            save(plot_tuning(tuning), self.picture)


def identity(judged: JudgedSearch, assessments: Path, judging: Judging) -> dict[str, str]:
    """Return what the scores in a journal depend on besides settings and topic."""
    search, scoring = judged.search, judged.scorer
    topics = sorted((t.topic_id, t.query_type, t.title, t.castitle) for t in search.topics.values())
    options = " ".join(f"{name}={value}" for name, value in scoring.options.items())
    return {
        "foxir": version("foxir"),
        "index": f"generation {search.generation.number}, {search.generation.digest}",
        "topics": _digest(json.dumps(topics).encode()),
        "judgements": _digest(*(read_input(file) for file in _files(assessments))),
        "recall base": judging.recall_base,
        "scale": scoring.assessments.scale,
        "measure": f"{scoring.family}:{scoring.measure} {options}".rstrip(),
        "settings": json.dumps(search.base.describe()),
    }


def _judged(judging: Judging) -> list[str]:
    """Return notices about judgements that were not read by default rules."""
    usual = {"topic_class": "all", "recall_base": "full", "scale": None}
    changed = [f"{name.replace('_', ' ')} {value}" for name, value in asdict(judging).items() if value != usual[name]]
    return [f"Judgements: {', '.join(changed)}"] if changed else []


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
        raise FoxirError(unwritable(file, error)) from None
