"""foxir raises no warning, not even in the process that compiles it and what it imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, ROOT
from tests.trust.soak import THOROUGH

PROGRAM = """
import importlib, pathlib, pkgutil, sys
for package in ("engine", "eval", "foxir"):
    names = [found.name for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")]
    assert len(names) > 10
    for file in pathlib.Path(package).rglob("*.py"):
        compile(file.read_bytes(), file, "exec")
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:  # of the program that an adapter is for, or of Ray
            is_missing_host = name.startswith("foxir.adapters.") and "pip install '.[" in str(error)
            assert is_missing_host or (name.startswith("foxir.cluster.") and error.name in {"ray", "msgpack"}), name
import foxir
foxir.build_index(sys.argv[1], into=sys.argv[2], stop="english", stem="english")
with foxir.open_index(sys.argv[2]) as index:
    assert len(index.search("fog signal", max_answers=5)) == 5
"""


@pytest.mark.thorough
@pytest.mark.long
def test_importing_every_module_indexing_and_searching_raise_no_warning(tmp_path: Path) -> None:
    # the modules of other packages are compiled anew, too
    anew = {"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")} if THOROUGH else {}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, COLLECTIONS, tmp_path / "index"],
        cwd=ROOT,
        env={**os.environ, **anew},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_whoosh_is_imported_in_one_module_which_suppresses_its_warnings() -> None:
    importing = [
        file.relative_to(ROOT).as_posix()
        for package in ("engine", "eval", "foxir")
        for file in (ROOT / package).rglob("*.py")
        if re.search(
            r"""^\s*(?:from|import) whoosh\b|import_module\(f?["']whoosh""",
            file.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]

    assert importing == ["engine/whoosh.py"]
    assert "with warnings.catch_warnings():" in (ROOT / "engine/whoosh.py").read_text(encoding="utf-8")
