"""Kill a process that judges, many times, and check what it had been promised: `judging_killed.py DATABASE TIMES SEED`.

The child adds actions and reports each as soon as the store has returned; it is killed at a random moment (SIGKILL).
The database must then be whole, have every reported action, and none that was not begun.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from foxir.service.judging.judged import Assignment
from foxir.service.judging.store import Store

PLACE = Assignment("1", "ana", "document")
TEXT = "Some text. " * 50
NUMBER = 4  # bytes


def judge(database: Path, report: int, first: int) -> None:
    """Add actions until killed; two at once now and then, and some undone."""
    store = Store(database)
    number = first
    while True:
        n_actions = 1 + number % 2
        steps = [("mark", {"start": each, "end": each + 1}) for each in range(number, number + n_actions)]
        store.add(PLACE, TEXT if number % 5 else f"{TEXT}{number}", steps)
        number += n_actions
        os.write(report, number.to_bytes(NUMBER, "big"))


def killed(database: Path, first: int, seconds: float) -> int:
    """Return how many actions a child had reported in all when it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        judge(database, writing, first)
    os.close(writing)
    reported = os.read(reading, NUMBER)  # it is at work
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    while more := os.read(reading, 1 << 16):
        reported += more
    os.close(reading)
    os.waitpid(child, 0)
    whole = len(reported) // NUMBER * NUMBER
    return int.from_bytes(reported[whole - NUMBER : whole], "big")


def main(database: Path, times: int, seed: int) -> None:
    """Kill and check; exit with a message at the first broken promise."""
    moments = random.Random(seed)
    n_known = 0
    for time_of_death in range(times):
        n_reported = killed(database, n_known, moments.uniform(0, 0.02))
        store = Store(database)
        if (state := store.check()) != "ok":
            sys.exit(f"kill {time_of_death}: {state}")
        starts = [action.body["start"] for action in store.actions(PLACE)]
        for action in store.actions(PLACE)[n_known:]:
            store.text(action.checksum)
        store.close()
        if starts != list(range(len(starts))):
            sys.exit(f"kill {time_of_death}: actions are missing or torn: {starts}")
        if not n_reported <= len(starts) <= n_reported + 2:
            sys.exit(f"kill {time_of_death}: {n_reported} actions were confirmed, {len(starts)} are there")
        n_known = len(starts)
    print(f"{times} kills, {n_known} actions, none lost")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
