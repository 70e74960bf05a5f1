"""The examples of docs/adapters.md, run as they stand."""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path

from tests.foxir.conftest import ROOT, Sample

SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_example(heading: str, sample: Sample, folder: Path) -> None:
    """Run the Python of a section in a folder that has the sample's index and topics."""
    sections = dict(SECTION.findall((ROOT / "docs/adapters.md").read_text("utf-8")))
    (code,) = PYTHON.findall(sections[heading])
    (folder / "sample.foxir").symlink_to(sample.folder / "sample.foxir")
    (folder / "topics").symlink_to(ROOT / "topics")
    with chdir(folder):
        exec(compile(code, f"docs/adapters.md, {heading}", "exec"), {"__name__": "example"})
