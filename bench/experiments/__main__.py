"""Tries settings one at a time round the default, and tells what differs: python -m bench.experiments [FILE]."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench.effectiveness.data import DATA, NAMES, Questions, judged, known_item_questions
from bench.effectiveness.measures import SHOWN, TASKS, Values, values
from bench.effectiveness.systems import System, foxir_rankings
from bench.effectiveness.variants import Variant
from bench.experiments.experiment import Experiment, read_experiment
from bench.experiments.outcome import differences, markdown
from engine.errors import SettingsError
from engine.index.locator import IndexLocator

DEFAULT_FILE = Path(__file__).with_name("default.yaml")
RESULTS = "<!-- results of python -m bench.experiments -->"
SOME_DIFFER = 1


def main() -> int:
    """Print the tables and what differs from the expected; progress goes to stderr. Return the exit status."""
    given = _arguments()
    experiment = read_experiment(given.file)
    if given.known_items:
        questions: Questions | None = known_item_questions(given.known_items, given.seed)
    else:
        questions = judged(given.collection, given.folder)
    if questions is None:
        raise SystemExit(
            "bench: name a folder that holds the collection with --folder, or other XML with --known-items."
        )
    pages, differing, document = [], [], {}
    for task in given.tasks:
        if len(reached := _reached(experiment, questions, task, given.only)) == 0:
            continue
        pages.append(markdown(task, reached, given.seed))
        print(pages[-1], flush=True)
        differing += differences(experiment, task, reached) if questions.name == experiment.collection else []
        document[task] = {
            name: {SHOWN.get(measure, measure): float(scores.mean()) for measure, scores in found.items()}
            for name, found in reached.items()
        }
    if given.page:
        head = given.page.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")[0]
        title = f"## Settings one at a time ({questions.name}, stemming: {experiment.stem})\n"
        given.page.write_text("\n".join([head, f"{RESULTS}\n", title, *pages]), encoding="utf-8")
    if given.json:
        given.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for line in differing:
        print(line)
    return SOME_DIFFER if differing else 0


def _reached(
    experiment: Experiment, questions: Questions, task: str, only: list[str]
) -> Mapping[str, Mapping[str, Values]]:
    """Return what the variants of a task reach at each topic."""
    index, plain = questions.index(Variant(experiment.stem, "none")), questions.index()
    locator, topics = IndexLocator(plain), list(questions.topics)
    reached = {}
    for variant in experiment.of_task(task):
        if only and variant.name not in only:
            continue
        began = time.perf_counter()
        try:
            rankings = foxir_rankings(index, topics, System(variant.name, variant.options), task)
        except SettingsError as error:
            raise SystemExit(f"bench: {experiment.file}: {variant.name}: {error}") from None
        found = values(rankings, task, questions.judgements(task), locator, [topic.topic_id for topic in topics])
        means = ", ".join(f"{SHOWN.get(name, name)}: {scores.mean():.4f}" for name, scores in found.items())
        seconds = time.perf_counter() - began
        print(f"bench: {task}: {variant.name}: {{{means}}} ({seconds:.0f} s)", file=sys.stderr, flush=True)
        reached[variant.name] = found
    return reached


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.experiments", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT_FILE, help="YAML (default: %(default)s)")
    parser.add_argument("--task", dest="tasks", action="append", choices=list(TASKS), help="task (default: all)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a variant; the default stays")
    parser.add_argument("--collection", choices=NAMES, default=NAMES[0], help="judged collection (%(default)s)")
    parser.add_argument("--folder", type=Path, default=DATA, help="of the judged collections (%(default)s)")
    parser.add_argument(
        "--known-items", type=Path, metavar="SOURCE", help="other XML (folder or archive), topics made from it"
    )
    parser.add_argument("--seed", type=int, default=1, help="draws folds, samples and topics (%(default)s)")
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"put the tables after the line {RESULTS} of a page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the means")
    given = parser.parse_args()
    given.tasks = given.tasks or list(TASKS)
    given.only = ["default", *given.only] if given.only else []
    return given


if __name__ == "__main__":
    sys.exit(main())
