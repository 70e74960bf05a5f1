"""What runs elsewhere, on servers and in containers, are the commands of this checkout."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.installation.interpreters import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def targets() -> set[str]:
    """Return the names of the Makefile's targets."""
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_steps_run_what_continuous_integration_runs(workflow: Path) -> None:
    steps = re.findall(r"^ *- run: (.+)$", workflow.read_text("utf-8"), re.MULTILINE)
    of_ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    publishes = ["git push origin gh-pages"]  # what make site-version has made

    assert steps != []
    assert [step for step in steps if step != "bash .ci/run" and step not in [*of_ci, *publishes]] == []
    assert {step.split()[1] for step in steps if step.startswith("make ")} <= targets()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_of_one_commit_whose_version_is_said(workflow: Path) -> None:
    actions = re.findall(r"uses: (.+)", workflow.read_text("utf-8"))

    assert actions != []
    assert [action for action in actions if not re.match(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\b", action)] == []


def test_a_broken_link_of_the_site_is_an_error() -> None:
    builds = re.findall(r"\$\(BIN\)/((?:mkdocs|mike) .+)", (ROOT / "Makefile").read_text("utf-8"))

    assert [build.split()[:2] for build in builds] == [["mkdocs", "build"], ["mike", "deploy"]]
    assert [build for build in builds if "--quiet" in build] == []  # or warnings are not counted, nor then refused
    assert re.findall(r"^strict: (.+)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE) == ["true"]


def test_the_pythons_of_the_workflow_are_those_of_the_package() -> None:
    (matrix,) = re.findall(r"python: \[(.+)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    supported = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]

    assert matrix.replace('"', "").split(", ") == supported


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")

    assert f"\nversion: {PROJECT['version']}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation


def test_the_notebook_installs_the_wheel_of_this_version() -> None:
    (wheel,) = re.findall(r"foxir-(\S+)-py3-none-any\.whl", (ROOT / "docs" / "five_runs.ipynb").read_text("utf-8"))

    assert wheel == PROJECT["version"]


def test_the_recipe_has_the_version_and_dependencies_of_the_package() -> None:
    recipe = (ROOT / "conda" / "recipe.yaml").read_text("utf-8")
    (run,) = re.findall(r"^  run:\n    - python (\S+)\n((?:    - .+\n)+)", recipe, re.MULTILINE)
    needed = [re.sub(r"([\w-]+)(.+)", r"\1 \2", line.replace("_", "-")) for line in PROJECT["dependencies"]]

    assert f'\n  version: "{PROJECT["version"]}"\n' in recipe
    assert run == (PROJECT["requires-python"], "".join(f"    - {line}\n" for line in needed))


def test_wheels_are_built_on_every_system_of_the_package() -> None:
    (systems,) = re.findall(r"system: \[(.+)\]", (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))

    assert [system.partition("-")[0] for system in systems.split(", ")] == ["ubuntu", "ubuntu", "macos", "windows"]


def test_hooks_before_a_commit_run_programs_of_the_development_environment() -> None:
    entries = re.findall(r"entry: (\S+)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    needed = {line.partition(">")[0] for line in PROJECT["optional-dependencies"]["dev"]}

    assert {entry.removeprefix(".venv/bin/") for entry in entries} <= needed


def test_containers_run_commands_that_exist() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    extras = re.findall(r"\[([\w,]+)\]", (ROOT / "Dockerfile").read_text("utf-8"))

    assert container["postCreateCommand"].removeprefix("make ") in targets()
    assert {extra for found in extras for extra in found.split(",")} <= PROJECT["optional-dependencies"].keys()
