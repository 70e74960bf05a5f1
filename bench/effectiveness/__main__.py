"""Compares foxir with what people use, by foxir's own measures: python -m bench.effectiveness."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.effectiveness.collection import Collection
from bench.effectiveness.contest import BASELINE, Contest
from bench.effectiveness.data import CACHE, known_item_questions, trials
from bench.effectiveness.measures import TASKS, Values
from bench.effectiveness.systems import SYSTEMS, System
from bench.effectiveness.table import markdown, task_tables

BASELINES = {"in-context": "one paragraph an article, BM25", "thorough": "element + 4 × article, BM25"}
STEMS = ("english", "none")
RESULTS = "<!-- results of python -m bench.effectiveness -->"


def main() -> None:
    """Print the tables; progress goes to stderr."""
    given = _arguments()
    questions = known_item_questions(given.known_items, given.seed) if given.known_items else trials()
    collection = Collection(questions.index("none"))
    files = [System(f"foxir: {file.stem}", file=file, tasks=tuple(given.tasks)) for file in given.settings]
    document: dict[str, Any] = {
        "topics": {name: len(numbers) for name, numbers in questions.groups.items()},
        "seed": given.seed,
    }
    pages: list[str] = []
    for stem in given.stems:
        index = collection.index if stem == "none" else questions.index(stem)
        contest = Contest(questions, collection, index, CACHE, given.seed)
        rows: dict[str, dict[str, dict[str, Values]]] = defaultdict(dict)
        for task, name, found in contest.rows(given.tasks, [*SYSTEMS, *files]):
            rows[task][name] = found
        pages.append(f"## {questions.name}, stemming: {stem}\n")
        print(pages[-1])
        for task, of_task in rows.items():
            baseline = BASELINES.get(task, BASELINE)
            tables = task_tables(task, of_task, baseline, questions.groups, given.seed)
            document.setdefault(stem, {})[task] = tables
            pages.append(markdown(task, tables, baseline))
            print(pages[-1], flush=True)
    if given.page:
        head = given.page.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")[0]
        given.page.write_text("\n".join([head, f"{RESULTS}\n", *pages]), encoding="utf-8")
        print(f"bench: wrote {given.page}", file=sys.stderr)
    if given.json:
        given.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"bench: wrote {given.json}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.effectiveness", description=__doc__)
    parser.add_argument("--stem", dest="stems", action="append", choices=STEMS, help="stemming (default: both)")
    parser.add_argument("--task", dest="tasks", action="append", choices=list(TASKS), help="task (default: all)")
    parser.add_argument(
        "--settings", action="append", type=Path, default=[], metavar="FILE", help="one more row: settings of a search"
    )
    parser.add_argument(
        "--known-items", type=Path, metavar="FOLDER", help="not the trials: topics made from the XML in a folder"
    )
    parser.add_argument("--seed", type=int, default=1, help="draws folds and samples of topics (%(default)s)")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help=f"write the tables after the line {RESULTS} of a page"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every number")
    given = parser.parse_args()
    given.stems = given.stems or list(STEMS)
    given.tasks = given.tasks or list(TASKS)
    return given


if __name__ == "__main__":
    main()
