"""Install foxir into clean environments and use it there: `python -m tests.installation`.

The wheel and the source distribution are built from the checkout. Each is installed into a new virtual environment in a
folder whose name has a space and an umlaut; the commands then run in an empty folder, with warnings as errors. With
--tests, the tests run too, in the unpacked source distribution.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.installation.distributions import Distributions, build
from tests.installation.interpreters import find_interpreters, supported_versions

USE = (
    ("python", "-W", "error", "-c", "import foxir, engine, eval; print(foxir.__file__)"),
    ("python", "-W", "error", "-m", "foxir", "--help"),
    ("foxir", "--version"),
    ("python", "-W", "error", "-m", "foxir", "demo"),
    ("foxir", "search", "demo.foxir", "fog signal", "--json"),
)


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
    made.add_argument("--from", dest="kinds", nargs="+", choices=("wheel", "sdist"), default=["wheel", "sdist"])
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
            distribution = getattr(distributions, kind)
            wanted = f"foxir[test] @ {distribution.as_uri()}" if options.tests else str(distribution)
            run([bin_folder / "python", "-m", "pip", "install", "--quiet", "--no-compile", wanted], environment)
            (environment / "empty").mkdir()
            for command, *arguments in USE:
                run([bin_folder / command, *arguments], environment / "empty")
    if options.tests:
        with timed(f"Python {version}: {' '.join(options.tests)}"):
            with tarfile.open(distributions.sdist) as archive:
                archive.extractall(folder / "source", filter="data")
            (source,) = (folder / "source").iterdir()
            run([bin_folder / "python", "-m", "pytest", "-q", "-n", "auto", *options.tests], source)


def run(command: Sequence[str | Path], folder: Path) -> None:
    """Run a command in a folder.

    Raises: SystemExit if it fails, after its output was written to stderr.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
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
