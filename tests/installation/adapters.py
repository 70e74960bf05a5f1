"""Test every adapter with its program, each in a clean environment with its extra alone.

`python -m tests.installation.adapters` builds the wheel, and for each extra makes an environment with
`foxir[EXTRA]`, pytest and the program's own conformance tests, where it has some, and runs the tests of the adapter.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.installation.__main__ import run, timed
from tests.installation.distributions import build

# Extra -> what its tests need besides.
EXTRAS: dict[str, tuple[str, ...]] = {
    "pandas": (),
    "langchain": ("langchain-tests>=1,<2",),
    "llamaindex": (),
    "haystack": (),
    "pyterrier": ("matplotlib>=3.10.8,<4",),
    "ir-datasets": (),
    "effectiveness": (),
}
PYTEST = ("pytest>=8.2,<10", "pytest-xdist>=3.6.1,<4", "hypothesis>=6.131,<7")
# Tests of an extra that are not an adapter.
TESTS = {"effectiveness": ("tests/foxir/chunks", "tests/bench")}
# Programs warn of their own future.
OPTIONS = ("-q", "-n", "0", "-W", "default", "-p", "no:cacheprovider")
# Options of the plugins that come with conformance tests.
PLUGIN_OPTIONS = {"langchain": ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")}


def main() -> int:
    """Test the adapters that were asked for; a step that fails ends the program with its output."""
    parser = argparse.ArgumentParser(prog="python -m tests.installation.adapters", description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"any of {', '.join(EXTRAS)}; all if none is named")
    wanted = parser.parse_args().extras or list(EXTRAS)
    if unknown := [extra for extra in wanted if extra not in EXTRAS]:
        parser.error(f"no adapter has the extra {unknown[0]}: choose among {', '.join(EXTRAS)}")
    with tempfile.TemporaryDirectory(prefix="foxir-adapters-") as made:
        folder = Path(made)
        distributions = build(folder / "dist")
        with tarfile.open(distributions.sdist) as archive:
            archive.extractall(folder / "source", filter="data")
        (source,) = (folder / "source").iterdir()
        for extra in wanted:
            with timed(f"foxir[{extra}]"):
                python = folder / extra / "bin" / "python"
                run([sys.executable, "-m", "venv", folder / extra], folder)
                wheel = f"foxir[{extra}] @ {distributions.wheel.as_uri()}"
                run([python, "-m", "pip", "install", "--quiet", wheel, *PYTEST, *EXTRAS[extra]], folder)
                name = extra.replace("-", "_")
                tests = [source / each for each in TESTS.get(extra, ())]
                tests = tests or sorted(source.glob(f"tests/foxir/adapters/**/test_{name}*.py"))
                run([python, "-m", "pytest", *OPTIONS, *PLUGIN_OPTIONS.get(extra, ()), *tests], source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
