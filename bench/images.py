"""Speed of images: python -m bench.images [N_IMAGES].

Prints how many images of the sample are read per second of one core, decoding included, and how long it takes to score
N_IMAGES (100,000) for one example: synthetic ones, each block of each with the feature that the same block of a random
sample image has, so that features are as frequent as in the sample. Times are those of the process, not of the clock.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from engine.images.limits import ImageLimits

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as of the process that reads the images of a build

import numpy as np

from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter
from engine.images.decoding import read_pixels
from engine.images.features import ImageFeatures, features_of
from engine.images.similarity import group_scores, mean_of_groups, weighted_groups
from engine.index.images.image_columns import FoundImage, ImageColumns, write_image_columns, write_image_postings
from engine.index.images.image_store import Images

ROOT = Path(__file__).parents[1]
ROUNDS, QUERIES = 5, 21


def read_sample() -> tuple[list[ImageFeatures], float]:
    """Return the features of the sample's images, and how many are read per second, the median of some rounds."""
    files = [path.read_bytes() for path in sorted((ROOT / "collections").rglob("*.png"))]
    features = [features_of(read_pixels(data, ImageLimits())) for data in files]
    speeds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for data in files:
            features_of(read_pixels(data, ImageLimits()))
        speeds.append(len(files) / (time.process_time() - began))
    return features, statistics.median(speeds)


def synthetic(sample: list[ImageFeatures], n_images: int, random: np.random.Generator) -> ImageColumns:
    """Return the columns of synthetic images, one document each."""
    columns = ImageColumns.of([[FoundImage("x", bytes(16), each, (0,))] for each in sample])
    if columns is None:
        raise ValueError("the sample has no images")

    def drawn(column: np.ndarray) -> np.ndarray:
        found = np.empty((n_images, column.shape[1]), column.dtype)
        for place in range(column.shape[1]):
            found[:, place] = column[random.integers(0, len(column), n_images), place]
        return found

    return replace(
        columns,
        of_document=np.arange(n_images + 1),
        of_image=np.arange(n_images + 1),
        reference=np.zeros(n_images, np.int64),
        keys=[b"x"] * n_images,
        digest=np.zeros((n_images, 16), np.uint8),
        modes=drawn(columns.modes),
        bands=drawn(columns.bands),
        colours=columns.colours[random.integers(0, len(sample), n_images)],
    )


def open_images(columns: ImageColumns, folder: Path) -> Images:
    """Return the images of columns, written and opened as those of a segment."""
    n_images = len(columns)
    writer = FolderWriter(folder / "elements", sync=False)
    write_image_columns([(columns, n_images)], writer)
    write_image_postings([columns], writer, 2**30)
    files = CheckedFolder(folder / "elements", writer.close())
    segment = SimpleNamespace(elements=files, n_documents=n_images, first_row=np.arange(n_images + 1))
    return Images(
        [segment],  # type: ignore[list-item]  # what images read of a segment
        np.array([0, n_images]),
        np.array([0, n_images]),
        None,
    )


def query_times(images: Images, examples: list[ImageFeatures]) -> list[float]:
    """Return how long scoring takes for each example, in milliseconds."""
    times = []
    for example in examples:
        began = time.process_time()
        groups = weighted_groups(example, images)
        mean_of_groups(group_scores(groups, images), groups)
        times.append(1000 * (time.process_time() - began))
    return times


def main() -> None:
    """Print both figures."""
    n_images = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sample, speed = read_sample()
    print(f"reading: {speed:.1f} images per second of a core ({len(sample)} images, median of {ROUNDS} rounds)")
    random = np.random.default_rng(2006)
    columns = synthetic(sample, n_images, random)
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        images = open_images(columns, Path(folder))
        size = images._segments[0].folder.size
        print(f"writing {n_images:,} images: {time.process_time() - began:.1f} s, {size / 2**20:,.0f} MB")
        chosen = random.choice(n_images, QUERIES, replace=False).tolist()
        examples = [images.features(number) for number in chosen]
        query_times(images, examples[:1])  # reads and checks the files
        for name, some in (("synthetic", examples), ("of the sample", sample[::3])):
            times = query_times(images, some)
            n_features = statistics.mean(len(example.postings()[0]) for example in some)
            print(
                f"scoring {n_images:,} images for examples that are {name}: median {statistics.median(times):.0f} ms, "
                f"longest {max(times):.0f} ms ({len(some)} examples, {n_features:.0f} features)"
            )


if __name__ == "__main__":
    main()
