"""The settings of a search as options, shared by search, explain, run and tune."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from engine import heuristics
from engine.cli.console import warn
from engine.cli.grouped import Setting
from engine.errors import SettingsError
from engine.scoring_settings import NAMES as SCORING
from engine.scoring_settings import PREFIX
from engine.settings import CHOICES, Settings, read_settings
from engine.similarity import PARAMETERS
from engine.tasks import named_settings, task_settings

LENGTH = "WORDS|0.5x"
ASSIGNED = (*PARAMETERS, *SCORING, *(PREFIX + name for name in PARAMETERS))


def _option(name: str, heading: str, help: str, **attributes: Any) -> Callable[[Any], Any]:
    return click.option(*name.split(), cls=Setting, heading=heading, help=help, **attributes)


def _choice(name: str, **names: str) -> dict[str, Any]:
    return {"type": click.Choice(CHOICES[name]), **names}


_answers = functools.partial(_option, heading="What is returned")
_scores = functools.partial(_option, heading="What it is ranked by")
_structure = functools.partial(_option, heading="Structure")
_all = functools.partial(_option, heading="Settings under a name")

OPTIONS = [
    _answers(
        "--answers",
        metavar="KIND|//TAG",
        help="auto, oCRE, nCRE, matching, target; of scored elements also any (with a match), blocks (the lowest that "
        "are not too short), or those of some tags: //p, '//(sec|p)'.",
    ),
    _answers(
        "--passages/--no-passages",
        default=None,
        help="Sentences inside elements instead of elements.",
    ),
    _answers("--sentences", metavar="N", help="Sentences of the longest passage."),
    _answers("--overlap", help="Answers inside one another.", **_choice("overlap")),
    _answers("--shortest", metavar=LENGTH, help="No shorter elements: words, or a multiple of a usual text block."),
    _answers("--longest", metavar=f"{LENGTH}|all", help="No longer elements."),
    _answers("--budget", metavar="TOKENS|all", help="Words of all answers together: the best set that fits."),
    _answers("--group", type=click.Choice(["none", "article"]), help="Answers of an article stand together."),
    _answers("--per-article", metavar="N|all", help="Answers an article."),
    _answers("--limit", metavar="N", help="Answers in all."),
    _scores(
        "--rank",
        help="Order of elements: by a score of their own, or by the counts of --heuristic.",
        **_choice("rank"),
    ),
    _scores(
        "--similarity",
        metavar="okapi|pcosine|dirichlet|Q-EXPRESSION",
        help="Of articles; of elements, if an expression of elements: gpx, xfirm, 'E[DM-AFI-BAA]'. foxir similarity "
        "lists more, and says what each computes.",
    ),
    _scores(
        "--set assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help="A number in a score, repeatable: of articles k1=1.95, of elements element_k1=3.4, lambda_article=4, "
        "lambda_parent, density, block, shortest_passage.",
    ),
    _scores("--preset", type=click.Choice(["default", "tuned"]), help="Parameters of the articles' similarity."),
    _scores("--approach", help="What ranks articles and elements.", **_choice("approach")),
    _scores("--articles", metavar="N", help="Ranked articles that are searched."),
    _structure("--match", help="Matches hold any query term, or all.", **_choice("match")),
    _structure("--matches", metavar="N|all", help="Matches of a topic that answers are built from."),
    _structure("--best-leaves", metavar="N|all", help="Matches of an article, by score, that answers are built from."),
    _structure(
        "--heuristic",
        type=click.Choice(heuristics.NAMES),
        metavar="MpE|...|TPF|PTF",
        help="Order inside an article; ranks by structure.",
    ),
    _structure("--reading", help="How structure in a query is read.", **_choice("reading")),
    _structure("--tags", help="Tags in a query: themselves, or their classes in the profile.", **_choice("tags")),
    _all("--named", metavar="RUN", help="A run of thesis Table 3.6 or 6.3: H-oCRE-MpE."),
    _all("--settings settings_file", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML."),
]

NAMES = (
    *("answers", "passages", "sentences", "overlap", "shortest", "longest", "budget", "group", "per_article", "limit"),
    *("rank", "similarity", "assignments", "preset", "approach", "articles", "match", "matches", "best_leaves"),
    *("heuristic", "reading", "tags", "named", "settings_file"),
)


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the settings of a search as options; it takes them as one argument `settings`.

    From weakest to strongest: the engine's defaults, --settings, --task (where the command has it), --named, options.
    """

    @functools.wraps(function)
    def with_settings(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(settings=collect(chosen, given.get("task"), quiet=given.get("quiet", False)), **given)

    for option in reversed(OPTIONS):
        with_settings = option(with_settings)
    return with_settings


def collect(chosen: dict[str, Any], task: str | None = None, *, quiet: bool) -> Settings:
    """Return the settings that options ask for; a named run says what it stands for."""
    settings_file, named, assignments = (chosen.pop(name) for name in ("settings_file", "named", "assignments"))
    base = read_settings(settings_file) if settings_file is not None else None
    options: dict[str, Any] = dict(task_settings(task)) if task is not None else {}
    if named is not None:
        options.update(named_settings(named))
    if chosen["passages"] is not None:
        chosen["passages"] = "on" if chosen["passages"] else "off"
    elif chosen["sentences"] is not None:
        chosen["passages"] = "on"
    given = {name: value for name, value in chosen.items() if value is not None}
    given.update(map(_assigned, assignments))
    settings = Settings.from_options(base, **{**options, **given})
    _check_effect(given, settings)
    if named is not None:
        warn(f"{named}: {', '.join(f'{name} {value}' for name, value in settings.describe().items())}", quiet=quiet)
    return settings


def _assigned(assignment: str) -> tuple[str, str]:
    """Return name and value of a number that is set."""
    name, equals, value = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise SettingsError(f"--set '{assignment}': expected NAME=VALUE, such as --set k1=1.95.")
    if name not in ASSIGNED:
        near = difflib.get_close_matches(name, ASSIGNED, 1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise SettingsError(
            f"--set '{assignment}': {hint}parameters of similarities are {', '.join(PARAMETERS)}, with {PREFIX} before "
            f"them those of the elements' score; of scored elements there are also {', '.join(SCORING)}."
        )
    return name, value


OF_PASSAGES = ("sentences", "shortest_passage")


def _check_effect(given: Mapping[str, Any], settings: Settings) -> None:
    """Refuse options that would change nothing, beside others.

    Raises: SettingsError naming the option, and what it needs.
    """
    of_scores = [name for name in given if name in SCORING or name.startswith(PREFIX)]
    of_scores = [name for name in of_scores if given[name] not in ("off", "none")]
    has_passages = settings.scoring.passages == "on"
    if of_scores and settings.approach == "fulltext":
        _refuse(of_scores[0], "elements", "fulltext returns whole articles: leave it out, or choose another --approach")
    if of_scores and settings.rank == "structure":
        _refuse(of_scores[0], "scored elements", "these are ranked by structure: add --rank score, or leave it out")
    if "heuristic" in given and settings.rank == "score":
        _refuse("heuristic", "elements ranked by structure", "these have scores: add --rank structure, or leave it out")
    if settings.rank == "structure" or settings.approach == "fulltext":
        return
    if not has_passages and (unused := [name for name in OF_PASSAGES if name in given]):
        _refuse(unused[0], "passages", "these are elements: add --passages, or leave it out")
    if has_passages and given.get("answers") not in (None, "auto", "target"):
        _refuse("answers", "elements", "passages lie in whatever holds a match itself: leave it out, or the passages")
    if has_passages and (unused := [name for name in ("shortest", "longest") if name in given]):
        _refuse(unused[0], "elements", "of passages there are --sentences N and --set shortest_passage=0.15x")


def _refuse(name: str, owner: str, advice: str) -> NoReturn:
    option = f"--{name.replace('_', '-')}" if name in NAMES else f"--set {name}"
    raise SettingsError(f"{option} is a setting of {owner}; {advice}.")
