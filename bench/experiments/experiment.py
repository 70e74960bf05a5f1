"""What an experiment file says: settings varied round a default, and what each is expected to reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.effectiveness.measures import SHOWN, TASKS

try:
    import yaml
except ImportError:  # pragma: no cover
    raise SystemExit(
        "bench: experiments are read with PyYAML: pip install '.[effectiveness]' in the checkout"
    ) from None

DEFAULT = "default"
NAMES = {"collection", "stem", "tolerance", "set", "default", "variants"}

Expected = Mapping[str, float]  # a measure, its mean over all topics; empty: not known yet


@dataclass(frozen=True)
class Variant:
    """Settings under a name, and the tasks they are tried at.

    options: what is changed in the engine's defaults, also by the file for all variants; expected: a task, then its
    measures.
    """

    name: str
    options: Mapping[str, Any]
    expected: Mapping[str, Expected]


@dataclass(frozen=True)
class Experiment:
    """Variants of one search, the first of them as it is by default.

    tolerance: how far a mean may be from what is expected; collection: where it is expected; stem: how the collection
    is stemmed.
    """

    file: Path
    collection: str
    stem: str
    tolerance: float
    variants: tuple[Variant, ...]

    def of_task(self, task: str) -> list[Variant]:
        """Return the variants that are tried at a task."""
        return [variant for variant in self.variants if task in variant.expected]


def read_experiment(file: Path) -> Experiment:
    """Return what a YAML file says; SystemExit naming the place for what is not understood."""
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SystemExit(f"bench: {file}: {error}") from None
    fields = _mapping(file, "the file", read)
    if foreign := set(fields) - NAMES:
        raise SystemExit(f"bench: {file}: '{min(foreign)}' is unknown: expected {', '.join(sorted(NAMES))}.")
    variants = {DEFAULT: {"expect": fields.get("default")}, **_mapping(file, "variants", fields.get("variants") or {})}
    common = _mapping(file, "set", fields.get("set") or {})
    return Experiment(
        file,
        str(fields.get("collection", "trials")),
        str(fields.get("stem", "none")),
        _number(file, "tolerance", fields.get("tolerance", 0.0)),
        tuple(_variant(file, str(name), each, common) for name, each in variants.items()),
    )


def _variant(file: Path, name: str, fields: Any, common: Mapping[str, Any]) -> Variant:
    given = _mapping(file, name, fields)
    if foreign := set(given) - {"set", "expect"}:
        raise SystemExit(f"bench: {file}: {name}: '{min(foreign)}' is unknown: expected set and expect.")
    expected = _mapping(file, f"{name}: expect", given.get("expect"))
    for task, means in expected.items():
        if task not in TASKS:
            raise SystemExit(f"bench: {file}: {name}: task '{task}' is unknown: expected one of {', '.join(TASKS)}.")
        known = [SHOWN.get(measure, measure) for measure in TASKS[task].measures]
        for measure, mean in (means or {}).items():
            if measure not in known:
                raise SystemExit(f"bench: {file}: {name}: {task} has {', '.join(known)}, not '{measure}'.")
            _number(file, f"{name}: {task}: {measure}", mean)
    options = {**common, **_mapping(file, f"{name}: set", given.get("set") or {})}
    return Variant(name, options, {task: means or {} for task, means in expected.items()})


def _mapping(file: Path, place: str, found: Any) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise SystemExit(f"bench: {file}: {place}: expected names and values, found {found!r}.")
    return found


def _number(file: Path, place: str, found: Any) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise SystemExit(f"bench: {file}: {place}: expected a number, found {found!r}.")
    return float(found)
