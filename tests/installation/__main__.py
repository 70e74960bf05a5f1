"""Install foxir into clean environments and use it there: `python -m tests.installation`.

The wheel and the source distribution are built from the checkout. Each is installed into a new virtual environment in a
folder whose name has a space and an umlaut, the source distribution also as an editable installation; the commands then
run in an empty folder, with warnings as errors. Packages `engine` and `eval` of somebody else's, installed before foxir
or after it, are neither used nor disturbed. mypy finds the types in a user's program. The wheel also becomes an
application in one zip archive. With --tests, the tests run too, in the unpacked source distribution.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.installation.distributions import Distributions, build
from tests.installation.interpreters import find_interpreters, supported_versions

USE = (
    ("python", "-W", "error", "-c", "import foxir.engine, foxir.eval; print(foxir.__file__)"),
    ("python", "-W", "error", "-m", "foxir", "--help"),
    ("foxir", "--version"),
    ("python", "-W", "error", "-m", "foxir", "demo"),
    ("foxir", "search", "demo.foxir", "fog signal", "--json"),
)
ONE_PACKAGE = Path(__file__).with_name("one_package.py")
OWNER = "somebody else"
USER_PROGRAM = Path(__file__).with_name("user_program.py")
MYPY = (sys.executable, "-m", "mypy", "--strict")
KINDS = ("wheel", "sdist", "editable")


def main() -> int:
    """Check every distribution that was asked for; return 1 if one fails or no interpreter was found."""
    options = parser().parse_args()
    if options.all_pythons:
        interpreters = find_interpreters(supported_versions())
    else:
        interpreters = {"{}.{}".format(*sys.version_info[:2]): Path(sys.executable)}
    missing = [version for version, interpreter in interpreters.items() if interpreter is None]
    with tempfile.TemporaryDirectory(prefix="foxir prüft ") as name:
        folder = Path(name)
        distributions = build(folder / "dist")
        for version, interpreter in interpreters.items():
            if interpreter is not None:
                check(interpreter, version, distributions, folder / version, options)
    for version in missing:
        print(f"Python {version}: not found on PATH or in pyenv's folder, not tested")
    return 1 if len(missing) == len(interpreters) else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    made = argparse.ArgumentParser(prog="python -m tests.installation", description=__doc__)
    made.add_argument(
        "--all-pythons", action="store_true", help="every supported Python that is found, not just this one"
    )
    made.add_argument("--from", dest="kinds", nargs="+", choices=KINDS, default=KINDS)
    made.add_argument("--tests", nargs="*", default=[], metavar="PATH", help="tests to run, such as tests/engine")
    return made


def check(
    interpreter: Path, version: str, distributions: Distributions, folder: Path, options: argparse.Namespace
) -> None:
    """Install each distribution with an interpreter and use it; the tests run once.

    Raises: SystemExit if a step fails, with its output.
    """
    for kind in options.kinds:
        with timed(f"Python {version}, {kind}: installed, demo"):
            environment = folder / kind
            run([interpreter, "-m", "venv", environment / "venv"], folder.parent)
            bin_folder = environment / "venv" / "bin"
            wanted = installable(distributions, kind, environment)
            if options.tests:
                wanted = (f"foxir[test] @ {Path(wanted[-1]).as_uri()}",)
            if kind == "sdist":
                add_others(environment)
            run([bin_folder / "python", "-m", "pip", "install", "--quiet", "--no-compile", *wanted], environment)
            (environment / "empty").mkdir()
            for command, *arguments in USE:
                run([bin_folder / command, *arguments], environment / "empty")
            if kind != "sdist":
                run([bin_folder / "python", "-P", ONE_PACKAGE], environment)
                add_others(environment)
            run([bin_folder / "python", "-P", ONE_PACKAGE, OWNER], environment)
            run([*MYPY, "--python-executable", bin_folder / "python", USER_PROGRAM], environment)
        if kind == "wheel" and not options.tests:
            with timed(f"Python {version}, an application in one archive: demo"):
                check_archive(environment)
    if options.tests:
        with timed(f"Python {version}: {' '.join(options.tests)}"):
            with tarfile.open(distributions.sdist) as archive:
                archive.extractall(folder / "source", filter="data")
            (source,) = (folder / "source").iterdir()
            run([bin_folder / "python", "-m", "pytest", "-q", "-n", "auto", *options.tests], source)


def installable(distributions: Distributions, kind: str, environment: Path) -> tuple[str, ...]:
    """Return the arguments by which pip installs a distribution."""
    if kind != "editable":
        return (str(getattr(distributions, kind)),)
    with tarfile.open(distributions.sdist) as archive:
        archive.extractall(environment / "checkout", filter="data")
    (checkout,) = (environment / "checkout").iterdir()
    return ("--editable", str(checkout))


def packages_folder(environment: Path) -> Path:
    """Return the folder of an environment's packages."""
    (folder,) = (environment / "venv" / "lib").glob("python3.*/site-packages")
    return folder


def add_others(environment: Path) -> None:
    """Install packages of somebody else's that have names of foxir's folders."""
    for name in ("engine", "eval"):
        package = packages_folder(environment) / name
        package.mkdir()
        (package / "__init__.py").write_text(f"OWNER = {OWNER!r}\n", "utf-8")


def check_archive(environment: Path) -> None:
    """Make an application in one archive of the installed foxir, and use it in the place of that."""
    python, archive = environment / "venv" / "bin" / "python", environment / "foxir.pyz"
    (environment / "application").mkdir()
    (packages_folder(environment) / "foxir").rename(environment / "application" / "foxir")
    make = ("-m", "zipapp", environment / "application", "--main", "foxir.__main__:main", "--output", archive)
    run([python, *make], environment)
    shutil.rmtree(environment / "application")
    (environment / "of archive").mkdir()
    run([python, "-W", "error", archive, "demo"], environment / "of archive")
    run([python, "-P", ONE_PACKAGE, OWNER], environment, {"PYTHONPATH": str(archive)})


def run(command: Sequence[str | Path], folder: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a command in a folder, with variables of the environment besides.

    Raises: SystemExit if it fails, after its output was written to stderr.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {**(variables or {})}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}")


@contextmanager
def timed(step: str) -> Iterator[None]:
    """Print a step and its seconds when it is done."""
    began = time.monotonic()
    yield
    print(f"{step} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
