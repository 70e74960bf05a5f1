"""Worker processes begin as the system allows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
from engine.system.worker_processes import worker_processes

with worker_processes(1, "engine.errors", bool, may_fork=True) as start:
    print(start(abs, -3)())
"""


def test_a_process_of_one_thread_forks_none_on_windows() -> None:
    path = os.pathsep.join([str(ROOT / "tests" / "windows_like"), str(ROOT)])

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("3\n", "")
