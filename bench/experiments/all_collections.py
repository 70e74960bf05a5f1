"""Switches settings off and on in all judged collections: python -m bench.experiments.all_collections [FILE].

Prints what each variant reaches everywhere, and what the best one on the other collections reaches in the one left out.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench.effectiveness.cached_weights import collection_digest
from bench.effectiveness.data import DATA, NAMES, Questions, judged
from bench.effectiveness.measures import SHOWN, TASKS, Values, values
from bench.effectiveness.systems import System, foxir_rankings
from bench.effectiveness.value_cache import ENGINE, cached_values
from bench.effectiveness.variants import Variant
from bench.experiments.experiment import Experiment, read_experiment
from bench.experiments.leave_one_out import across_markdown
from bench.experiments.outcome import Reached
from engine.errors import SettingsError
from engine.index.locator import IndexLocator
from foxir.chunks.collection import Collection

DEFAULT_FILE = Path(__file__).with_name("mechanisms.yaml")
RESULTS = "<!-- results of python -m bench.experiments.all_collections -->"


def main() -> None:
    """Print the tables; progress goes to stderr."""
    given = _arguments()
    experiment = read_experiment(given.file)
    asked = {name: questions for name in given.collections if (questions := judged(name, given.folder))}
    if not asked:
        raise SystemExit(f"bench: {given.folder} holds none of the collections: name another folder.")
    pages = []
    for task in given.tasks:
        if experiment.of_task(task):
            everywhere = {
                name: _reached(experiment, _some(q, given.topics.get(name)), task) for name, q in asked.items()
            }
            pages.append(across_markdown(task, everywhere))
            print(pages[-1], flush=True)
    if given.page:
        head = given.page.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")[0]
        given.page.write_text("\n".join([head, f"{RESULTS}\n", *pages]), encoding="utf-8")


def _some(questions: Questions, at_most: int | None) -> Questions:
    """Return every n-th topic, so that there are at most so many."""
    step = 1 if at_most is None else math.ceil(len(questions.topics) / at_most)
    return replace(questions, topics=list(questions.topics)[::step])


def _reached(experiment: Experiment, questions: Questions, task: str) -> Reached:
    """Return what the variants of a task reach at each topic, from the cache if the engine is what it was."""
    collection = Collection(questions.index())
    locator, topics = IndexLocator(collection.index), list(questions.topics)
    reached = {}
    for variant in experiment.of_task(task):
        index = questions.index(Variant(str(variant.options.get("stem", experiment.stem)), "none"))
        options = {name: value for name, value in variant.options.items() if name != "stem"}

        def made(variant=variant, index=index, options=options) -> dict[str, Values]:  # type: ignore[no-untyped-def]
            began = time.perf_counter()
            try:
                rankings = foxir_rankings(index, topics, System(variant.name, options), task)
            except SettingsError as error:
                raise SystemExit(f"bench: {experiment.file}: {variant.name}: {error}") from None
            found = values(rankings, task, questions.judgements(task), locator, [topic.topic_id for topic in topics])
            means = " ".join(f"{SHOWN.get(name, name)} {scores.mean():.4f}" for name, scores in found.items())
            seconds = time.perf_counter() - began
            print(f"bench: {questions.name}, {task}: {variant.name}: {means} ({seconds:.0f} s)", file=sys.stderr)
            return found

        titles = [topic.title for topic in topics]
        asked = f"{ENGINE}|{index.analyser}|{sorted(options.items())}|{task}|{titles}|{collection_digest(collection)}"
        key = hashlib.sha256(asked.encode()).hexdigest()[:16]
        reached[variant.name] = cached_values(questions.folder / questions.name / "experiments" / f"{key}.npz", made)
    return reached


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.experiments.all_collections", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT_FILE, help="YAML (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=DATA, help="of the judged collections (%(default)s)")
    parser.add_argument(
        "--collection", dest="collections", action="append", choices=NAMES, help="a collection (default: all)"
    )
    parser.add_argument("--task", dest="tasks", action="append", choices=list(TASKS), help="task (default: all)")
    parser.add_argument(
        "--topics",
        action="append",
        default=[],
        type=topics_of,
        metavar="[COLLECTION=]N",
        help="at most N of a collection, or of each, evenly drawn; repeatable (default: all)",
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"put the tables after the line {RESULTS} of a page")
    given = parser.parse_args()
    given.collections = given.collections or list(NAMES)
    given.tasks = given.tasks or list(TASKS)
    given.topics = {name: n for names, n in given.topics for name in names}
    return given


def topics_of(text: str) -> tuple[tuple[str, ...], int]:
    """Return collections, and how many topics are drawn of each."""
    name, _, number = text.rpartition("=")
    if (name and name not in NAMES) or not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected 1 or more, or one of {', '.join(NAMES)} with =1 or more")
    return (name,) if name else NAMES, int(number)


if __name__ == "__main__":
    main()
