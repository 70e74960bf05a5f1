"""A judgement that was confirmed is there after the process was killed at any moment."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foxir.commands.command import ROOT
from tests.trust.soak import SOAKING


@pytest.mark.long
def test_confirmed_judgements_survive_kill_9(tmp_path: Path) -> None:
    times, seed = (200, random.randrange(10**6)) if SOAKING else (20, 1)
    program = [sys.executable, "-m", "tests.trust.judging_killed", tmp_path / "judged.db", str(times), str(seed)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)

    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    assert "none lost" in done.stdout
