"""A judgement that was confirmed is there after a kill or a power failure at any moment, and after a full disk."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foxir.service.judging.store import Store
from tests.foxir.commands.command import ROOT
from tests.trust.judging_recorded import ADDED, CONFIRMED, PLACE, disk_after, recorded
from tests.trust.small_disk import with_own_mounts
from tests.trust.soak import SOAKING, effort


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


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler")
@pytest.mark.long
def test_confirmed_judgements_survive_a_power_failure(tmp_path: Path) -> None:
    calls, chance = recorded(tmp_path), random.Random(1)
    whole = disk_after(calls, lambda: True)
    assert whole == {file.name: file.read_bytes() for file in (tmp_path / "judged").iterdir()}

    flushed = [number for number, call in enumerate(calls, 1) if call.what == "sync" and not call.name.endswith("shm")]
    moments = {*chance.sample(range(len(calls)), effort(8, 600, thorough=40)), *flushed[:: effort(6, 1, thorough=2)]}
    held = set()
    for moment in sorted(moments):
        for chosen in (lambda: False, lambda: True, *[lambda: chance.random() < 0.5] * effort(1, 3)):
            disk = disk_after(calls[:moment], chosen)
            folder = tmp_path / "disk"
            folder.mkdir()
            for name, content in disk.items():
                (folder / name).write_bytes(content)
            store = Store(folder / "judged.db")
            assert store.check() == "ok", moment
            found = store.actions(PLACE)
            assert [each.body["start"] for each in found] == list(range(len(found)))
            assert [len(store.text(each.checksum)) > 10 for each in found] == [
                number % 2 == 1 for number in range(len(found))
            ]
            store.close()
            shutil.rmtree(folder)
            n_confirmed = sum(call.name == CONFIRMED and call.what == "write" for call in calls[:moment])
            assert n_confirmed <= len(found) <= n_confirmed + 1, moment
            held.add(len(found))
    assert held >= {0, sum(ADDED)}
