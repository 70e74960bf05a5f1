"""A judgement that was confirmed is there after the process was killed at any moment, and after the disk was full."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foxir.commands.command import ROOT
from tests.trust.small_disk import with_own_mounts
from tests.trust.soak import SOAKING


@pytest.mark.long
def test_confirmed_judgements_survive_kill_9(tmp_path: Path) -> None:
    times, seed = (200, random.randrange(10**6)) if SOAKING else (20, 1)
    program = [sys.executable, "-m", "tests.trust.judging_killed", tmp_path / "judged.db", str(times), str(seed)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)

    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    assert "none lost" in done.stdout


@pytest.mark.long
def test_confirmed_judgements_are_kept_on_a_disk_that_becomes_full(tmp_path: Path) -> None:
    disks = with_own_mounts("tests.trust.full_judgements", tmp_path)
    if not disks:
        pytest.skip("nothing may be mounted here")

    assert [(n_found, damage) for *_, n_found, damage in disks] == [(confirmed, "ok") for _, confirmed, *_ in disks]
    assert {bool(confirmed) for _, confirmed, *_ in disks} == {True, False}
    assert all(refused for _, _, refused, *_ in disks)
