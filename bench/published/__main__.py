"""Measures foxir on published benchmarks: python -m bench.published NAME CHECKOUT."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.published import chroma, locomo, obliqa, qmsum
from bench.published.clscisumm import Task1A
from bench.published.evaluation import Benchmark
from bench.published.units import all_at, any_at, average_precision_at, recall_at
from foxir import TagSelector

REPORT = "Smith & Troynikov 2024, text-embedding-3-large"
NONE = float("nan")

BENCHMARKS: dict[str, Benchmark | Task1A] = {
    "chroma": Benchmark(
        "brandonstarxel/chunking_evaluation",
        chroma.questions,
        "paragraphs:p,title",
        spans=("R@5", "P@5", "IoU@5", "R[4000]"),
        published=(
            (f"chunks of 200 tokens ({REPORT})", (88.1, 7.0, 6.9, NONE)),
            (f"clusters of 200 tokens ({REPORT})", (87.3, 8.0, 8.0, NONE)),
            (f"chunks by a language model ({REPORT})", (91.9, 3.9, 3.9, NONE)),
        ),
    ),
    "locomo": Benchmark(
        "snap-research/locomo",
        locomo.questions,
        "paragraphs:p",
        TagSelector(("p",)),
        of_units={"any@5": any_at(5), "all@5": all_at(5), "any@10": any_at(10)},
    ),
    "obliqa": Benchmark(
        "RegNLP/ObliQADataset",
        obliqa.questions,
        "paragraphs:p,title",
        TagSelector(("p", "title")),
        of_units={"R@10": recall_at(10), "MAP@10": average_precision_at(10)},
        published=(("LeSeR, a tuned encoder (Purbey et al. 2024)", (82.0, 66.6)),),
    ),
    "qmsum": Benchmark("Yale-LILY/QMSum", qmsum.questions, "paragraphs:p", spans=("R@5", "P@5", "IoU@5", "R[4000]")),
    "clscisumm": Task1A(),
}


def main() -> int:
    """Print the table of a benchmark as Markdown; progress goes to stderr."""
    parser = argparse.ArgumentParser(prog="python -m bench.published", description=__doc__)
    parser.add_argument("name", choices=BENCHMARKS, help="the benchmark")
    parser.add_argument(
        "checkout",
        type=Path,
        help="folder with its repository: " + ", ".join(each.checkout for each in BENCHMARKS.values()),
    )
    given = parser.parse_args()
    benchmark = BENCHMARKS[given.name]
    try:
        table = benchmark.report(given.checkout, lambda text: print(f"{given.name} {text}", file=sys.stderr))
    except OSError as error:
        print(f"{given.checkout}: expected a checkout of {benchmark.checkout} ({error}).", file=sys.stderr)
        return 2
    if not table:
        print(f"{given.checkout}: expected a checkout of {benchmark.checkout}: it has no questions.", file=sys.stderr)
        return 2
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
