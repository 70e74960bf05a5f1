"""Where foxir is installed, `engine` and `eval` are within it; a checkout has the same modules under both names."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import foxir
from tests.installation.interpreters import ROOT

pytestmark = pytest.mark.long

OWNER = "somebody else"


@pytest.fixture(scope="module")
def names() -> ModuleType:
    spec = spec_from_file_location("names_of_an_installed_foxir", ROOT / "editable" / "foxir" / "names.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "installed"),
    [
        ("from engine.errors import X", "from foxir.engine.errors import X"),
        ("    from eval import (\n        X,\n    )", "    from foxir.eval import (\n        X,\n    )"),
        ('"""Text.\n\n>>> from engine.runs import Run\n"""', '"""Text.\n\n>>> from foxir.engine.runs import Run\n"""'),
        ('preload(["eval.scoring.batch"])', 'preload(["foxir.eval.scoring.batch"])'),
        ("M = {'engine.errors': 'X'}", "M = {'foxir.engine.errors': 'X'}"),
        # no modules
        ("from engines import x", "from engines import x"),
        ("from .engine import x", "from .engine import x"),
        ('name = "engine.nothing.of.the.kind"', 'name = "engine.nothing.of.the.kind"'),
        ('"eval"', '"eval"'),
        ("engine.errors", "engine.errors"),
        ('f"the engine.errors"', 'f"the engine.errors"'),
    ],
)
def test_imports_and_names_of_modules_are_rewritten(names: ModuleType, source: str, installed: str) -> None:
    assert names.installed_source(source) == installed
    assert names.installed_source(installed) == installed


@pytest.mark.parametrize(
    "source",
    [
        *("import engine.errors", "import os, eval", "from engine.x import y", 'run("import engine.errors")'),
        *('run("from eval.numbers import x")', 'name = f"engine.{part}"'),
        *('name = "eval." + part', 'name = "engine.nothing.of.the.kind"'),
    ],
)
def test_other_ways_to_name_a_module_are_found(names: ModuleType, source: str) -> None:
    assert [line for line, _ in names.names_outside(f"\n{source}\n")] == [2]


def test_what_names_no_module_is_not_found(names: ModuleType) -> None:
    source = '"""Say eval and engine.\n\nimport of engines"""\nfrom .engine import x\nimport evaluation\nx = "eval"'

    assert names.names_outside(source) == []


@pytest.mark.parametrize("name", ["engine", "engine.errors", "engine.index.elements", "eval", "eval.scoring.score"])
def test_a_checkout_has_one_module_under_both_names(name: str) -> None:
    module = import_module(f"foxir.{name}")

    assert module is import_module(name)
    assert module.__name__ == name
    assert module.__spec__ is not None
    assert module.__spec__.name == name
    assert import_module("foxir.engine.errors").FoxirError is foxir.FoxirError


@pytest.mark.parametrize("name", ["foxir.engine.nothing", "foxir.eval.errors", "foxir.engines", "foxir.evaluate"])
def test_other_names_are_no_modules(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
        import_module(name)


def test_an_editable_installation_is_one_package_beside_those_of_others(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    (site,) = (tmp_path / "venv" / "lib").glob("python3.*/site-packages")
    # a line adds a folder to the path, without what .pth files in that add
    dependencies = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (site / "foxir.pth").write_text("\n".join([*dependencies, str(ROOT / "editable")]), "utf-8")
    for name in ("engine", "eval"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(f"OWNER = {OWNER!r}", "utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    command = [tmp_path / "venv" / "bin" / "python", "-P", Path(__file__).with_name("one_package.py"), OWNER]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"one package: {ROOT / 'foxir' / '__init__.py'}\n"
