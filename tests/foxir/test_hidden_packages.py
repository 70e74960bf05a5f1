"""A module of the user's that has the name of a package of foxir is named, with what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
USES = {"engine": "foxir.open_index('x')", "eval": "foxir.score('q', ['r'])"}


@pytest.mark.parametrize("package", USES)
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_the_file_that_hides_a_package_is_named(tmp_path: Path, package: str, file: str) -> None:
    hiding = tmp_path / file.format(package)
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("", "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    command = [sys.executable, "-c", f"import foxir; {USES[package]}"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    expected = f"ImportError: foxir's package '{package}' is hidden by {hiding}: rename that, or run Python where"
    assert done.stderr.strip().splitlines()[-1].startswith(expected)
    command = [sys.executable, "-m", "foxir", "search" if package == "engine" else "measures"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"foxir: foxir's package '{package}' is hidden by {hiding}: ")
    assert done.returncode == 1
