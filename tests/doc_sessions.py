"""Sessions in the documentation: fenced console blocks whose commands are run and whose output is compared.

A line that begins with `$ ` is a command, one that begins with `> ` goes on with it, the rest is its output; a line
`...` stands for any lines. `python -m tests.doc_sessions` runs every session anew and writes what came out into the
documents.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from click.testing import CliRunner

from engine.errors import FoxirError
from foxir.terminal.commands import foxir

ROOT = Path(__file__).parents[1]
# The documents whose sessions are run, each from its first block to its last in a folder of its own.
SESSIONS = (
    *("README.md", "docs/tutorial.md", "docs/structure.md", "docs/evaluation.md", "docs/chunks.md"),
    *("docs/cookbook.md", "docs/tuning.md", "docs/scoring.md", "docs/images.md", "docs/start_editors.md"),
    *("docs/start_evaluation.md", "docs/start_experiments.md", "docs/start_generation.md"),
)

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOME = "/home/you/foxir"
WIDTH = {"COLUMNS": "100"}
# A command without signs that a shell reads, but quotes; and a pipe or a redirection after it.
COMMAND = re.compile(r"""((?:[^'"\\|><;$&\n]|'[^'*]*'|"[^"$*\\]*")*)(?:\s(\||>(?![>&]))(.*))?""")
ELISION = "..."
VARYING = (
    (re.compile(r"\d+\.\d ms"), "1.0 ms"),
    (re.compile(r"in \d+\.\d s \([\d.]+ \w+/s\)"), "in 0.1 s (1.0 MB/s)"),
    (re.compile(r'"seconds": \d+\.\d+'), '"seconds": 0.01'),
    (re.compile(r"\d+\.\d kB"), "1.0 kB"),
)


@dataclass(frozen=True)
class Step:
    """One command of a session, and the output that the document shows."""

    line: int
    command: str
    output: tuple[str, ...]


def steps(block: str, line: int = 1) -> Iterator[Step]:
    """Yield the commands of a console block that begins in a line."""
    command, output, started = "", list[str](), line
    for number, text in enumerate(block.splitlines(), line):
        if text.startswith("$ "):
            if command:
                yield Step(started, command, tuple(output))
            command, output, started = text[2:], [], number
        elif text.startswith("> ") and not output:
            command += "\n" + text[2:]
        else:
            output.append(text)
    if command:
        yield Step(started, command, tuple(output))


def steps_of(text: str) -> Iterator[Step]:
    """Yield the commands of all console blocks of a document."""
    for block in BLOCK.finditer(text):
        yield from steps(block[1], text.count("\n", 0, block.start(1)) + 1)


def prepare(folder: Path, document: str) -> None:
    """Put into a folder what a reader has who begins a document: the checkout's data, after `make demo` for README."""
    for name in ("collections", "topics"):
        shutil.copytree(ROOT / name, folder / name)
    if document == "README.md":
        run("foxir index demo.foxir collections", folder)


def run(command: str, folder: Path) -> tuple[str, ...]:
    """Return what a command prints in a folder, on stdout and stderr, line by line."""
    parts = COMMAND.fullmatch(command)
    if parts is None or not parts[1].startswith("foxir "):
        output = _in_shell(command, folder)
    else:
        printed = _in_process(parts[1], folder)
        output = printed.both
        if parts[2]:
            rest = parts[3] if parts[2] == "|" else f"cat >{parts[3]}"
            output = printed.stderr + _in_shell(rest, folder, printed.stdout)
    lines = [line.rstrip() for line in output.replace(str(folder), HOME).splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


class Printed(NamedTuple):
    """What a command printed; both streams together are in the order of printing."""

    stdout: str
    stderr: str
    both: str


def _in_process(command: str, folder: Path) -> Printed:
    words = [name for word in shlex.split(command)[1:] for name in _expanded(word, folder)]
    with chdir(folder), patch.dict(os.environ, WIDTH):
        result = CliRunner().invoke(foxir, words, standalone_mode=False)
    message = f"foxir: {result.exception}\n" if isinstance(result.exception, FoxirError) else ""
    if result.exception and not message:
        raise result.exception
    return Printed(result.stdout, result.stderr + message, result.output + message)


def _expanded(word: str, folder: Path) -> list[str]:
    """Return the files that a pattern matches, in a shell's order; the word itself where there are none."""
    return (sorted(glob(word, root_dir=folder)) if "*" in word else []) or [word]


def _in_shell(command: str, folder: Path, given: str = "") -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **WIDTH, "PATH": path, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def steady(lines: Sequence[str]) -> list[str]:
    """Return lines without what differs from run to run (times and sizes on disk), blank ones at the end dropped."""
    text = "\n".join(line.rstrip() for line in lines).rstrip("\n")
    for varying, same in VARYING:
        text = varying.sub(same, text)
    return text.split("\n")


def agrees(shown: Sequence[str], found: Sequence[str]) -> bool:
    """Tell whether the output in a document is the output of the command."""
    pieces = [[]]
    for line in steady(shown):
        if line == ELISION:
            pieces.append([])
        else:
            pieces[-1].append(line)
    lines, place = steady(found), 0
    if len(pieces) == 1:
        return pieces[0] == lines
    first, *middle, last = pieces
    if lines[: len(first)] != first or lines[max(len(first), len(lines) - len(last)) :] != last:
        return False
    place, end = len(first), len(lines) - len(last)
    for piece in middle:
        starts = [at for at in range(place, end - len(piece) + 1) if lines[at : at + len(piece)] == piece]
        if not starts:
            return False
        place = starts[0] + len(piece)
    return True


def shortened(shown: Sequence[str], found: Sequence[str]) -> Sequence[str]:
    """Return the output with as many lines before and after its one elision as the document shows."""
    if ELISION not in shown:
        return found
    before = list(shown).index(ELISION)
    after = len(shown) - before - 1
    if len(found) <= before + after:
        return found
    return [*found[:before], ELISION, *found[len(found) - after :]]


def rewritten(document: str, folder: Path) -> str:
    """Return a document with the output that its commands have now."""

    def renewed(block: re.Match[str]) -> str:
        parts = []
        for step in steps(block[1]):
            ends_blank = step.output[-1:] == ("",)
            shown = step.output[:-1] if ends_blank else step.output
            found = run(step.command, folder)
            parts.append("$ " + step.command.replace("\n", "\n> "))
            parts += shown if agrees(shown, found) else shortened(shown, found)
            parts += [""] * ends_blank
        return "```console\n" + "\n".join(parts) + "\n```"

    return BLOCK.sub(renewed, (ROOT / document).read_text(encoding="utf-8"))


def main() -> None:
    """Write the output of today's commands into the documents."""
    for document in sys.argv[1:] or SESSIONS:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary).resolve()
            prepare(folder, document)
            text = rewritten(document, folder)
        (ROOT / document).write_text(text, encoding="utf-8")
        print(f"{document}: up to date")


if __name__ == "__main__":
    main()
