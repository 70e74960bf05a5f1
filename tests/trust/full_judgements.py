"""Judgements on disks that become full: `python -m tests.trust.full_judgements FOLDER`, with mounts of its own.

It prints a line of JSON for each disk: its bytes, the actions that were confirmed, those refused, those found when the
database is opened again, and what SQLite says of damage.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

from foxir.service.judging.judged import Assignment
from foxir.service.judging.store import Store, StoreError
from tests.trust.small_disk import mount

SIZES = range(16 << 10, 288 << 10, 32 << 10)
N_ACTIONS = 60


def added(file: Path, random: Random) -> tuple[int, int]:
    """Return how many actions are confirmed, and how many are refused."""
    n_confirmed = n_refused = 0
    try:
        store = Store(file)
    except StoreError:
        return 0, 1
    for number in range(N_ACTIONS):
        text = f"{number} " * random.randrange(10, 1000)
        steps = [("note", {"text": random.randbytes(random.randrange(10, 1500)).hex()})]
        try:
            store.add(Assignment("1", "ana", f"d{number % 7}"), text, steps)
            n_confirmed += 1
        except StoreError:
            n_refused += 1
    store.close()
    return n_confirmed, n_refused


def main(folder: Path) -> None:
    disk, random = folder / "disk", Random(1)
    disk.mkdir()
    for size in SIZES:
        mount(disk, f"size={size}")
        try:
            confirmed, refused = added(disk / "judged.db", random)
            mount(disk, "remount,size=64m")
            store = Store(disk / "judged.db")
            n_found, damage = sum(len(store.actions(each)) for each in store.assignments()), store.check()
            store.close()
            print(json.dumps([size, confirmed, refused, n_found, damage]), flush=True)
        finally:
            subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
