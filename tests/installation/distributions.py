"""The wheel and the source distribution of foxir, built from this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.installation.interpreters import ROOT


class Distributions(NamedTuple):
    """The files of one version of foxir."""

    wheel: Path
    sdist: Path


def build(folder: Path, root: Path = ROOT, variables: Mapping[str, str] | None = None) -> Distributions:
    """Build the source distribution of a checkout, and from that the wheel, into a new folder.

    Variables are those of the environment besides.

    Raises: CalledProcessError if a build fails; its output is then shown.
    """
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(done.stdout)
        done.check_returncode()
    return found(folder)


def found(folder: Path) -> Distributions:
    """Return the distributions in a folder."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Distributions(wheel, sdist)
