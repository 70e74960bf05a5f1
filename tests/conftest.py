"""Settings of all tests.

Hypothesis draws the same 5 examples of a test in every run, unless the test says how many, so that a failure comes
from a change and not from the draw; `FOXIR_THOROUGH=1` (which `make test-thorough` sets) draws the 100 that are usual,
`FOXIR_SOAK=1` (`make soak`) new ones. It has no deadline, as the time of an example depends on the load of the machine.
Hypothesis also takes values from the constants in the loaded modules of the project. All modules are loaded before the
first example, so that examples do not depend on the tests that ran before in the same process.

Files of tests are written to memory (/dev/shm) where there is enough of it: the tests build thousands of small indexes,
and a disk would spend most of the time on making each durable. TMPDIR, where it is set, is used instead.

What is loaded before the first test, more than a million objects, is left out of garbage collections, and these are
rarer than usual. NumPy multiplies in one thread, as in the command: the workers share the cores.
"""

from __future__ import annotations

import contextlib
import gc
import getpass
import importlib
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

import foxir.messages  # noqa: F401  (texts of notices)
from engine.errors import FoxirError
from engine.system import platform
from tests.shared_data import MARK, missing
from tests.trust.soak import SOAKING, THOROUGH, effort

IN_MEMORY = Path("/dev/shm")
# Free bytes in memory that the tests and what they start may need, several times over.
ENOUGH = 2**31
# What programs print follows these; tests set them where they matter.
TERMINAL_VARIABLES = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"),
    *("TTY_INTERACTIVE", "PAGER"),
)

settings.register_profile("foxir", deadline=None, derandomize=not SOAKING, max_examples=effort(5, 100, thorough=100))
settings.load_profile("foxir")

if "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ENOUGH:
    os.environ["TMPDIR"] = str(IN_MEMORY)
    tempfile.tempdir = None  # pytest has asked for the folder before, and the answer is cached

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read once, by the import of NumPy

# The sample collection is indexed dozens of times: its images are decoded once for each state of the code.
_FEATURES = sorted((Path(__file__).parent.parent / "engine" / "images").glob("*.py"))
_STATE = zlib.crc32(b"".join(path.read_bytes() for path in _FEATURES))
os.environ["FOXIR_IMAGE_CACHE"] = str(Path(tempfile.gettempdir()) / f"foxir-images-{getpass.getuser()}-{_STATE:08x}")

# A shell starts background jobs with interrupts ignored; the processes that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

for name in TERMINAL_VARIABLES:
    os.environ.pop(name, None)


gc.set_threshold(7_000, 10, 10)
gc.disable()  # until all tests are collected


@pytest.fixture(scope="module")
def unsynced() -> Iterator[None]:
    """Nothing is made durable: for tests that build many indexes, and cut no power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as Python can, so that races show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def pytest_collection_finish() -> None:
    """Leave all objects of today out of later garbage collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip long tests, and those whose shared data is missing; load what examples of the others are drawn with."""
    if any(is_hypothesis_test(getattr(item, "obj", None)) for item in items):
        load_all_modules()
    for item in items:
        mark = item.get_closest_marker(MARK)
        if mark is not None and (absent := missing(mark.args)):
            item.add_marker(pytest.mark.skip(reason=f"needs {absent[0]}"))
        if item.get_closest_marker("long") is not None and not (THOROUGH or SOAKING):
            item.add_marker(pytest.mark.skip(reason="takes seconds: make test-thorough"))
        if (posix := item.get_closest_marker("posix")) is not None and not platform.REMOVES_OPEN_FILES:
            item.add_marker(pytest.mark.skip(reason=f"only POSIX: {posix.args[0]}"))


def load_all_modules() -> None:
    """Import every module of the project but those that need an extra which is not installed."""
    for package in ("engine", "eval", "foxir"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                with contextlib.suppress(ImportError, FoxirError):
                    importlib.import_module(module.name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the tests that read the shared data."""
    counts = {
        outcome: sum(MARK in getattr(report, "keywords", ()) for report in terminalreporter.stats.get(outcome, ()))
        for outcome in ("passed", "failed", "skipped")
    }
    if any(counts.values()):
        shown = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
        terminalreporter.write_line(f"tests that read ../shared: {shown}")
