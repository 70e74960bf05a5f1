"""Compares foxir with what people use, by foxir's own measures: python -m bench.effectiveness [FOLDER]."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from bench.effectiveness.best_peers import BOUND, FOXIR, PEER, RATIOS_OF, Entry, TaskRows, peer_comparisons
from bench.effectiveness.collection_rows import CROSS_VALIDATED, Contest
from bench.effectiveness.data import DATA, NAMES, Questions, judged, known_item_questions
from bench.effectiveness.measures import SHOWN, TASKS, Values
from bench.effectiveness.page import summary, task_page
from bench.effectiveness.systems import SYSTEMS, System
from bench.effectiveness.variants import NO_OPTIONS, VARIANTS, Variant
from foxir.adapters.hosts import MissingHostError, require
from foxir.chunks.collection import Collection

RESULTS = "<!-- results of python -m bench.effectiveness -->"
LIBRARIES = ("chunks", "langchain-text-splitters", "llamaindex")  # of peers, as `require` calls them


def main() -> None:
    """Print the tables; progress goes to stderr."""
    given = _arguments()
    if not given.cached:
        _check_peers()
    began = time.perf_counter()
    asked = _questions(given)
    systems = [
        *SYSTEMS,
        *(System(f"foxir: {file.stem}", file=file, tasks=tuple(given.tasks)) for file in given.settings),
    ]
    if given.jobs > 1:
        jobs = [(given, name, variant) for name in asked for variant in given.variants]
        with ProcessPoolExecutor(given.jobs) as pool:
            list(pool.map(_prepare, jobs))
    found, pairs, pages = [], [], []
    document: dict[str, Any] = {"seed": given.seed}
    for name, questions in asked.items():
        rows = _rows(questions, given, systems)
        pages.append(f"## {name}\n\n{questions.title}; {len(questions.topics)} topics\n")
        for of_task in rows.values():
            if not any(of_task.entries.values()):
                continue
            pages.append(task_page(name, of_task, questions.groups, given.seed))
            document.setdefault(name, {})[of_task.task] = _numbers(of_task)
            here = peer_comparisons(name, of_task, given.seed)
            found += here
            if of_task.task == RATIOS_OF and of_task.plain:
                pairs += [(of_task.plain.values[each.measure], each.peer.values[each.measure]) for each in here]
    pages.insert(0, summary(found, pairs, given.seed))
    print("\n".join(pages), flush=True)
    if given.page:
        head = given.page.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")[0]
        given.page.write_text("\n".join([head, f"{RESULTS}\n", *pages]), encoding="utf-8")
        print(f"bench: wrote {given.page}", file=sys.stderr)
    if given.json:
        given.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"bench: wrote {given.json}", file=sys.stderr)
    print(f"bench: {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _check_peers() -> None:
    """Raise SystemExit if a library that peers need is not installed, before anything is indexed."""
    try:
        for library in LIBRARIES:
            require(library)
    except MissingHostError as error:
        missing = str(error).partition(": ")[0]
        raise SystemExit(f"bench: {missing}. Peers need: pip install -e '.[effectiveness]'") from None


def _questions(given: argparse.Namespace) -> dict[str, Questions]:
    if given.known_items:
        questions = known_item_questions(given.known_items, given.seed)
        return {questions.name: questions}
    asked = {name: found for name in given.collections if (found := judged(name, given.folder))}
    if not asked:
        raise SystemExit(f"bench: {given.folder} holds none of the collections: name another folder, or --known-items.")
    return asked


def _prepare(job: tuple[argparse.Namespace, str, Variant]) -> None:
    """Fill the cache with the peers of a collection under one variant, in a process of its own."""
    given, name, variant = job
    questions = _questions(given)[name]
    contest = Contest(questions, Collection(questions.index()), variant, given.seed)
    for _ in contest.rows(given.tasks):
        pass
    for _ in contest.systems(given.tasks, SYSTEMS):
        pass


def _rows(questions: Questions, given: argparse.Namespace, systems: Sequence[System]) -> dict[str, TaskRows]:
    """Return all rows of a collection, by task."""
    rows = {task: TaskRows(task) for task in given.tasks}
    collection = Collection(questions.index())
    peers = {system.name for system in systems if system.is_peer}
    plain = Contest(questions, collection, NO_OPTIONS, given.seed, given.cached)
    for task, name, values in plain.systems(given.tasks, [system for system in SYSTEMS if not system.is_peer]):
        if rows[task].plain is None:
            rows[task].plain = Entry(name, "no options", values)
    for task, name, values in plain.bounds(given.tasks):
        rows[task].add(BOUND, Entry(name, "", values))
    for variant in given.variants:
        contest = Contest(questions, collection, variant, given.seed, given.cached)
        for task, name, values in contest.rows(given.tasks):
            rows[task].add(BOUND if name == CROSS_VALIDATED else PEER, Entry(name, variant.title, values))
        for task, name, values in contest.systems(given.tasks, systems):
            rows[task].add(PEER if name in peers else FOXIR, Entry(name, variant.title, values))
    return rows


def _numbers(rows: TaskRows) -> dict[str, Any]:
    """Return every value of a task: kind, row, variant, measure, one value a topic."""
    plain = {"no options": [rows.plain]} if rows.plain else {}
    return {
        kind: {f"{entry}": {SHOWN.get(m, m): _listed(v) for m, v in entry.values.items()} for entry in entries}
        for kind, entries in {**rows.entries, **plain}.items()
    }


def _listed(values: Values) -> list[float]:
    return [round(value, 6) for value in values.tolist()]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.effectiveness", description=__doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, default=DATA, metavar="FOLDER", help="of the judged collections (%(default)s)"
    )
    parser.add_argument(
        "--collection", dest="collections", action="append", choices=NAMES, help="a collection (default: all)"
    )
    parser.add_argument(
        "--variant", dest="variants", action="append", choices=list(VARIANTS), help="treatment of words (default: all)"
    )
    parser.add_argument("--task", dest="tasks", action="append", choices=list(TASKS), help="task (default: all)")
    parser.add_argument(
        "--settings", action="append", type=Path, default=[], metavar="FILE", help="one more row: settings of a search"
    )
    parser.add_argument(
        "--known-items", type=Path, metavar="SOURCE", help="other XML (folder or archive), topics made from it"
    )
    parser.add_argument("--cached", action="store_true", help="show what earlier runs have cached, and compute nothing")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="draws folds and samples of topics (%(default)s)")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help=f"write the tables after the line {RESULTS} of a page"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every number, a value a topic")
    given = parser.parse_args()
    given.collections = given.collections or list(NAMES)
    given.tasks = given.tasks or list(TASKS)
    given.variants = [VARIANTS[name] for name in given.variants or VARIANTS]
    return given


if __name__ == "__main__":
    main()
