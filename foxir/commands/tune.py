"""`foxir tune`: the best settings on judged topics, of a grid or learned, with an estimate for other topics."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, get_args

import click

from engine.errors import FoxirError
from engine.settings import Settings
from engine.system.files import unwritable
from engine.system.input_files import read_input
from engine.topics import read_topics
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.statistics.significance_tests import RESAMPLES, SEED
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid import read_grid
from eval.tuning.journal import Journal
from eval.tuning.selection import Method
from eval.tuning.tuning_result import Tuning, summary
from foxir.evaluation.inputs import Judging, TopicClass
from foxir.files import settings_text
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_json, print_notices, progress_bar, warn, warn_excluded
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.evaluation_options import judging_options, measure_options, scoring_keywords
from foxir.terminal.options.options import (
    FILE,
    OUTPUT,
    index_argument,
    jobs_option,
    judgements_argument,
    open_filled_index,
    out_option,
    plot_option,
    quiet_option,
    topics_argument,
    topics_option,
)
from foxir.terminal.options.search_options import settings_options
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, is_stream, make_folder, write_whole
from foxir.terminal.score_output import Form, form_options
from foxir.tuning.judged_search import WEIGHTS, JudgedSearch, judged_search, unused_topics, values_to_try


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
        """Give the requested journal, or one beside the settings file, removed when the tuning ends."""
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
                    journal.remove()

    def write(self, tuning: CrossValidated, settings: Settings, judging: Judging) -> None:
        """Write settings and picture."""
        if self.out:
            write_whole(self.out, settings_text(settings, [*summary(tuning), *_judged(judging)]))
        if self.picture and isinstance(tuning, Tuning):
            from eval.output.plots import plot_tuning, save  # noqa: PLC0415  (matplotlib is slow to import)

            save(plot_tuning(tuning), self.picture)


def identity(judged: JudgedSearch, assessments: Path, judging: Judging) -> dict[str, str]:
    """Return the key of a journal: the input of its scores besides settings and topic."""
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


TUNING = "Tuning"


@click.command(
    name="tune",
    cls=FoxirCommand,
    usual="--grid --learn --measure --out --folds --topics --quant --method --settings --jobs",
)
@index_argument
@topics_argument
@judgements_argument
@headed_option(TUNING, "--grid", "grid_file", type=FILE, metavar="FILE", help="Settings to vary, and their values.")
@headed_option(
    TUNING, "--learn", "learns", is_flag=True, help="Instead of a grid, learn the weights of the parts of the score."
)
@headed_option(
    TUNING,
    "--weights",
    metavar="NAMES",
    help=f"Weights to learn, separated by commas, of {', '.join(WEIGHTS)} (default: all).",
)
@headed_option(
    TUNING, "--measure", required=True, metavar="M", help="Measure to maximise: AP, F@10, nxCG@25, inex_eval:AP ..."
)
@headed_option(
    TUNING,
    "--method",
    type=click.Choice(get_args(Method)),
    show_default="grid",
    help="grid: every combination on every topic; halving: the worst are dropped early (successive halving).",
)
@count_option(TUNING, "--folds", minimum=2, default=5, help="Folds of cross-validation.")
@count_option(TUNING, "--resamples", default=RESAMPLES, help="Samples drawn for bootstrap intervals.")
@count_option(TUNING, "--seed", minimum=0, default=SEED, help="Seed of the folds and the bootstrap.")
@measure_options
@topics_option()
@judging_options
@out_option("The settings file with the best settings.", required=False)
@headed_option(
    OUTPUT,
    "--journal",
    type=FILE,
    metavar="FILE",
    show_default="OUT.journal",
    help="Scores so far, from which an interrupted tuning continues.",
)
@plot_option("Draw the scores over the grid")
@jobs_option(1, "Number of processes that search.")
@settings_options
@form_options
@quiet_option
def command(
    index: Path,
    topics: Path,
    assessments: Path,
    grid_file: Path | None,
    learns: bool,
    weights: str | None,
    measure: str,
    topic_class: TopicClass,
    recall_base: RecallBase,
    scale: Scale | None,
    only: str | None,
    method: Method | None,
    out: Path | None,
    journal: Path | None,
    picture: Path | None,
    settings: Settings,
    form: Form,
    quiet: bool,
    **given: Any,
) -> int:
    """Find the best search settings on judged topics, and estimate their score on other topics.

    The grid is a TOML file: a setting and its values, or a range, in each line. With --learn instead, the weights of
    article, parent, headings, neighbours and coverage are learned. All other settings are those of the options, the
    baseline that the best ones are compared with. The estimate is the mean over topics that are each scored under
    settings chosen without them.

    \b
      k1 = {from = 0.4, to = 2.0, step = 0.4}
      b = [0.2, 0.35, 0.5, 0.75]

    \b
    Examples:
      foxir tune demo.foxir topics/co runs/assessments --grid okapi.toml --measure AP --out tuned.toml
      foxir tune demo.foxir topics/co runs/assessments --learn --measure AP --out learned.toml
      foxir run demo.foxir topics/co --settings tuned.toml --out runs/tuned.xml
    Not made by 'foxir demo': okapi.toml, such as the lines above.
    """
    check_one_stdout(
        *(("--json", form.in_json), ("--latex", form.in_latex), ("--markdown", form.in_markdown)),
        ("--out", is_stdout(out)),
    )
    names = _learned(learns, weights, grid_file, method, picture)
    files = TuningFiles(out, journal, picture)
    read = {"--grid": grid_file, "TOPICS": topics, "JUDGEMENTS": assessments}
    files.check({name: file for name, file in read.items() if file is not None})
    opened, judging = open_filled_index(index), Judging(topic_class, recall_base, scale)
    found, ways = read_topics(topics, only), scoring_keywords(given, [measure])
    judged = judged_search(opened, found, assessments, measure, settings, ways.pop("options"), judging)
    grid = None if grid_file is None else read_grid(grid_file, judged.search.settings)
    if grid is not None:
        judged.check(grid)
    else:
        rescored = judged.rescored(names)
    tuning: CrossValidated
    with files.journal(identity(judged, assessments, judging)) as score_journal, progress_bar(quiet=quiet) as progress:
        ways |= {"journal": score_journal, "progress": progress}
        if grid is not None:
            tuning = judged.tuned(grid, method=method or "grid", **ways)
        else:
            tuning = judged.learned(rescored, **ways)
        best = judged.search.settings(tuning.best)
        files.write(tuning, best, judging)
    warn_excluded(found.problems, quiet=quiet)
    for notice in (*judged.judged.notices, *found.notices, *unused_topics(found, judged.judged, is_whole=only is None)):
        warn(notice, quiet=quiet)
    if form.in_json:
        print_json({**tuning.to_dict(), "settings": best.to_dict(), "out": None if out is None else str(out)})
        print_notices(tuning.notices, quiet=quiet)
    else:
        form.print_result(tuning, quiet=quiet, err=is_stdout(out))
        if out is not None and not is_stdout(out) and not (form.in_latex or form.in_markdown):
            say(f"\n{out}: the best settings, for --settings {out}")
    return PARTLY if found.problems else DONE


def _learned(
    learns: bool, weights: str | None, grid_file: Path | None, method: Method | None, picture: Path | None
) -> tuple[str, ...]:
    """Return the weights to learn, none for a grid.

    Raises: UsageError for neither or both, and for options of the other one; SettingsError for no weight.
    """
    if learns == (grid_file is not None):
        raise click.UsageError("--grid FILE varies settings, --learn learns weights: give one of them.")
    if not learns:
        if weights is not None:
            raise click.UsageError("--weights names what --learn learns: add --learn, or leave it out.")
        return ()
    for option, value in (("--method", method), ("--plot", picture)):
        if value is not None:
            raise click.UsageError(f"{option} is of a grid: leave it out, or give --grid FILE instead of --learn.")
    names = WEIGHTS if weights is None else tuple(dict.fromkeys(filter(None, map(str.strip, weights.split(",")))))
    values_to_try(names)
    return names
