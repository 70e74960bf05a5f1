"""foxir's own rows of the table, in one plain list, and the bounds that judgements set."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.answers.topic_run import run_topics
from engine.index.reader import IndexReader
from engine.settings import Settings, read_settings
from engine.settings.tasks import task_settings
from engine.topics import Topic
from foxir.chunks.ranking import LIMIT, Rankings

BY_TASK: Mapping[str, Mapping[str, Any]] = {
    "focussed": task_settings("CO.Focussed"),
    "thorough": task_settings("CO.Thorough"),
    "passages": {**task_settings("CO.Focussed"), "unit": "sentence"},
    "in-context": task_settings("RelevantInContext"),
    "best-in-context": task_settings("BestInContext"),
}

ALWAYS: Mapping[str, Mapping[str, Any]] = {"best-in-context": {"max_per_article": 1}}


@dataclass(frozen=True)
class System:
    """A row of foxir: its name, options of a search, and a settings file if there is one.

    is_peer: a run of the thesis, one of the peers; its answers are promised never to change.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    tasks: tuple[str, ...] = ("focussed", "passages", "thorough", "in-context", "best-in-context")
    is_peer: bool = False


_THESIS: Mapping[str, Any] = {
    "rank_by": "structure",
    "similarity": "pcosine",
    "max_articles": 500,
    "max_answers": LIMIT,
    "unit": "element",
    "max_per_article": "all",
}

# To compare other settings add a line here, or name their files with --settings.
SYSTEMS = (
    System("foxir: nCRE-TPF (thesis)", {**_THESIS, "answers": "nCRE", "heuristic": "TPF"}, is_peer=True),
    System("foxir: oCRE-PME (thesis)", {**_THESIS, "answers": "oCRE", "heuristic": "PME"}, is_peer=True),
    System("foxir: default", tasks=("focussed", "thorough", "passages", "best-in-context")),
    System("foxir: default, one passage an article", tasks=("in-context",)),
    System("foxir: default, two passages an article", {"max_per_article": 2}, tasks=("in-context",)),
)


def foxir_rankings(index: IndexReader, topics: list[Topic], system: System, task: str) -> Rankings:
    """Return foxir's answers; topics that are refused, which have none, and notices are reported on stderr."""
    base = read_settings(system.file) if system.file else None
    settings = Settings.from_options(base, **{**BY_TASK[task], **system.options, **ALWAYS.get(task, {})})
    run, problems = run_topics(index, topics, settings, run_id=system.name, with_offsets=True)
    for problem in problems:
        first = str(problem).splitlines()[0]
        what = "notice" if problem.topic_id in run.rankings else "is not answered"
        print(f"bench: {system.name}: topic {problem.topic_id}: {what}: {first}", file=sys.stderr, flush=True)
    return run.rankings
