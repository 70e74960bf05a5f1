"""The wheel and the source distribution contain what belongs into them, and nothing else."""

from __future__ import annotations

import fcntl
import os
import re
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.installation.distributions import Distributions, build, found
from tests.installation.interpreters import ROOT, find_interpreters, supported_versions

pytestmark = pytest.mark.long

PACKAGES = ("engine", "eval", "foxir")
CACHES = {"__pycache__", ".hypothesis"}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The distributions, which the first of several processes of tests builds for all."""
    if "PYTEST_XDIST_TESTRUNUID" not in os.environ:
        return build(tmp_path_factory.mktemp("distributions"))
    shared = tmp_path_factory.getbasetemp().parent / "distributions"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return found(shared) if (shared / "done").exists() else _built(shared)


def _built(folder: Path) -> Distributions:
    made = build(folder)
    (folder / "done").touch()
    return made


@pytest.fixture(scope="module")
def in_wheel(distributions: Distributions) -> set[str]:
    with zipfile.ZipFile(distributions.wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def in_sdist(distributions: Distributions) -> set[str]:
    with tarfile.open(distributions.sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@pytest.fixture(scope="module")
def metadata(distributions: Distributions) -> Message:
    with zipfile.ZipFile(distributions.wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode("utf-8"))


def files(*folders: str) -> set[str]:
    """Return the files below folders of the checkout, without caches, compiled modules and data of benchmarks."""
    return {
        file.relative_to(ROOT).as_posix()
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.is_file()
        and file.suffix != ".so"
        and not CACHES & set(file.parts)
        and ".foxir" not in str(file.relative_to(ROOT))
        and not file.is_relative_to(ROOT / "bench" / "data")
    }


DOCUMENTS = ".data/data/share/doc/foxir/"


def test_the_wheel_contains_the_packages_the_sample_data_and_the_documents_and_nothing_else(in_wheel: set[str]) -> None:
    sample = {f"foxir/sample/{name}" for name in files("collections", "topics")}
    described = {name for name in in_wheel if ".dist-info/" in name}
    documents = {name for name in in_wheel if DOCUMENTS in name}

    compiled = {name for name in in_wheel if name.startswith("foxir/engine/kernels/_native.abi3")}

    packages = files("foxir") - {"foxir/checkout.py"} | {f"foxir/{name}" for name in files("engine", "eval")}
    assert in_wheel - described - compiled - documents == packages | sample
    assert {name.partition(DOCUMENTS)[2] for name in documents} == files("docs") | {"CHANGELOG.md", "README.md"}
    assert {"foxir/py.typed", "foxir/engine/py.typed", "foxir/eval/py.typed"} <= in_wheel
    top = {name.partition("/")[0] for name in in_wheel}
    assert {name for name in top if not name.startswith("foxir-")} == {"foxir"}
    assert [name for name in described if name.endswith("/licenses/LICENSE")] != []


def test_no_source_in_the_wheel_names_a_module_of_a_checkout(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as archive:
        sources = {name: archive.read(name).decode("utf-8") for name in archive.namelist() if name.endswith(".py")}
    named = re.compile(r"""^\s*(>>> )?(from|import) (engine|eval)\b|["'](engine|eval)\.[a-z_.]*["']""", re.MULTILINE)

    assert len(sources) > 400
    assert {name: found[0] for name, source in sources.items() if (found := named.search(source))} == {}
    assert [name for name, source in sources.items() if source.count("\n") != lines_of_checkout(name)] == []


def lines_of_checkout(name: str) -> int:
    """Return the lines of the source of a module in the wheel."""
    inner = name.removeprefix("foxir/")
    return (ROOT / (inner if inner.startswith(("engine/", "eval/")) else name)).read_text("utf-8").count("\n")


def test_one_wheel_with_kernels_serves_all_pythons_from_3_11_on(distributions: Distributions) -> None:
    has_kernels = find_spec("engine.kernels._native") is not None  # this checkout was installed with a compiler

    tag = distributions.wheel.stem.split("-", 2)[2]
    assert tag.startswith("cp311-abi3-" if has_kernels else "py3-none-any")


def test_without_a_compiler_the_wheel_is_of_python_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/bin/false")
    made = build(tmp_path)
    with zipfile.ZipFile(made.wheel) as archive:
        compiled = [name for name in archive.namelist() if name.endswith(".so")]

    assert made.wheel.name.endswith("-py3-none-any.whl")
    assert compiled == []


def test_the_source_distribution_contains_the_whole_checkout(in_sdist: set[str]) -> None:
    folders = (
        *PACKAGES,
        "editable",
        "collections",
        "topics",
        "docs",
        "tests",
        "bench",
        "conda",
        ".ci",
        ".devcontainer",
        ".github",
    )
    top = {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile", "pyproject.toml"}
    top |= {
        "hatch_build.py",
        "CITATION.cff",
        "CODE_OF_CONDUCT.md",
        "SECURITY.md",
        "Dockerfile",
        "compose.yaml",
        "mkdocs.yml",
    }
    top |= {".dockerignore", ".pre-commit-config.yaml"}

    assert files(*folders) | top <= in_sdist
    assert in_sdist - files(*folders) - top == {"PKG-INFO", ".gitignore"}


def test_no_module_lies_in_the_folders_of_data() -> None:
    # as a package, collections would hide Python's own
    assert [name for name in files("collections", "topics") if name.endswith(".py")] == []


def test_every_dependency_has_a_lower_and_an_upper_bound(metadata: Message) -> None:
    requirements = [line.partition(";")[0].strip() for line in metadata.get_all("Requires-Dist", [])]
    others = [line for line in requirements if not line.startswith("foxir")]

    assert len(others) > 10
    assert [line for line in others if "==" not in line and not (">=" in line and "<" in line)] == []


def test_the_metadata_name_licence_readme_and_versions(metadata: Message) -> None:
    assert metadata["Name"] == "foxir"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# foxir")
    assert supported_versions() == ["3.11", "3.12", "3.13", "3.14"]


def test_an_interpreter_that_does_not_run_is_not_found(tmp_path: Path) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)

    assert find_interpreters(["3.11"], {"PATH": str(tmp_path), "HOME": str(tmp_path)}) == {"3.11": None}
