"""Scores the multimedia topics of the sample at 21 weights of the image: python -m bench.image_weight [PICTURE.svg].

MAP of inex_eval (strict), for the default ranking and for the text side of the thesis (elements ordered by structure,
PCosine, TPF, 250 elements). It prints a table, and draws it as Figure 6.7 of the thesis does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import foxir

ROOT = Path(__file__).parents[1]
WEIGHTS = [round(0.05 * step, 2) for step in range(21)]
SIDES: dict[str, dict[str, Any]] = {
    "scored": {},
    "by structure": {
        "rank_by": "structure",
        "similarity": "pcosine",
        "heuristic": "TPF",
        "max_articles": 250,
        "max_answers": 250,
    },
}


def scores(index: foxir.Index) -> dict[str, list[float]]:
    """Return MAP by the side and the weight."""
    found: dict[str, list[float]] = {}
    for side, settings in SIDES.items():
        runs = [
            index.run(ROOT / "topics/mm", run_id=f"a{weight}", image_weight=weight, overlap="keep", **settings)
            for weight in WEIGHTS
        ]
        table = foxir.score(ROOT / "topics/mm_assessments", runs, measures="inex_eval", options={"quant": "strict"})
        found[side] = [row.value or 0.0 for row in table.select(measure="AP").rows]
    return found


def draw(found: dict[str, list[float]], picture: Path) -> None:
    """Write the curves as an SVG file."""
    import matplotlib  # noqa: PLC0415  (slow to import)

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "foxir"
    from matplotlib import pyplot  # noqa: PLC0415

    figure, axes = pyplot.subplots(figsize=(6, 3.4))
    for (side, values), mark in zip(found.items(), "os", strict=True):
        axes.plot(WEIGHTS, values, marker=mark, markersize=4, label=side)
    axes.set(xlabel="weight of the image", ylabel="MAP", xlim=(-0.02, 1.02))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None, "Creator": None})


def main() -> None:
    """Print the table, and draw it if a file is named."""
    with tempfile.TemporaryDirectory() as folder:
        foxir.build_index(ROOT / "collections", into=Path(folder) / "index")
        with foxir.open_index(Path(folder) / "index") as index:
            found = scores(index)
    print("| weight | " + " | ".join(found) + " |\n|---|" + "---|" * len(found))
    for place, weight in enumerate(WEIGHTS):
        print(f"| {weight:g} | " + " | ".join(f"{values[place]:.4f}" for values in found.values()) + " |")
    if len(sys.argv) > 1:
        draw(found, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
