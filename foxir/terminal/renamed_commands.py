"""Former names of commands and options; using one is an error that gives the present name."""

from __future__ import annotations

from collections.abc import Mapping

from engine.settings.given import REMOVED, RENAMED

# Earlier command -> command.
COMMANDS: Mapping[str, str] = {
    "expand": "judgements to-elements",
    "relevance": "judgements stats",
    "agreement": "judgements agreement",
    "pool": "judgements pool",
    "simulate": "runs ideal",
    "correlate": "runs correlate",
    "convert": "runs convert' or 'foxir judgements convert",
}

_SCORING: Mapping[str, str] = {"--set": "--measure-option OPTION=VALUE", "--missing": "--missing-topics"}
_TESTING: Mapping[str, str] = {"--correct": "--correction"}
_SEARCH: Mapping[str, str] = {  # options of search, explain, run and tune
    "--set": "--param",
    **{f"--{former.replace('_', '-')}": f"--{name.replace('_', '-')}" for former, name in RENAMED.items()},
}

# Command -> earlier option -> the option, argument or command that replaces it.
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "index": {"--forget": "--remove", "--set": "--limit NAME=N"},
    "info": {"--tags": "--list-tags", "--documents": "--list-documents"},
    "serve": {"--topics": "--topic-file"},
    "search": _SEARCH,
    "explain": _SEARCH,
    "run": _SEARCH,
    "eval": {**_SCORING, **_TESTING, "--check": "a command: foxir judgements check JUDGEMENTS --index INDEX"},
    "compare": {**_SCORING, **_TESTING},
    "tune": {**_SEARCH, "--option": "--measure-option", "--search": "--method"},
    "runs correlate": {**_SCORING, **_TESTING},
    "runs ideal": {"--limit": "--max-answers"},
    "runs convert": {"--to": "--format"},
    "judgements convert": {"--to": "--format"},
}


def renamed_option(command: str, option: str) -> str | None:
    """Return what replaces a former option of a command, None for an unknown option."""
    return OPTIONS.get(command, {}).get(option)


def removed_option(command: str, option: str) -> str | None:
    """Return what to write instead of an option of a search that was removed, None for an unknown option."""
    setting = option.removeprefix("--").replace("-", "_")
    if setting not in REMOVED or OPTIONS.get(command, {}).keys().isdisjoint(_SEARCH):
        return None
    instead = REMOVED[setting]
    return f"leave it out, or use --{instead.replace('_', '-')}" if instead else "leave it out"
