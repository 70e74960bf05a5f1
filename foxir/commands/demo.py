"""`foxir demo`: index, search, run and evaluate the sample collection, each step shown as its command."""

from __future__ import annotations

import filecmp
import json
import shlex
import shutil
from functools import partial
from pathlib import Path

import click

from engine.errors import CollectionError, IndexFormatError
from engine.index.file_names import MANIFEST
from engine.system.files import unwritable
from engine.system.held_folder import HeldFolder
from foxir.sample_data import sample_folder
from foxir.searching.opened_index import open_index
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.commands import foxir
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import FILE, OUTPUT, quiet_option
from foxir.terminal.output_files import make_folder

BY_STRUCTURE = ["--rank-by", "structure", "--similarity", "pcosine", "--overlap", "keep"]
RUNS = {
    "scored": [],
    "fulltext": ["--approach", "fulltext"],
    "native-oCRE-TPF": ["--approach", "native", *BY_STRUCTURE, "--answers", "oCRE", "--heuristic", "TPF"],
    "hybrid-matching": [*BY_STRUCTURE, "--answers", "matching"],
    "hybrid-oCRE-MpE": [*BY_STRUCTURE, "--answers", "oCRE", "--heuristic", "MpE"],
    "hybrid-nCRE-TPF": [*BY_STRUCTURE, "--answers", "nCRE", "--heuristic", "TPF"],
}
TOPICS = "1-19"
ANOTHER = "--folder names another folder."


@click.command(name="demo", cls=FoxirCommand)
@headed_option(
    OUTPUT,
    "--folder",
    type=FILE,
    default=Path(),
    show_default=True,
    metavar="FOLDER",
    help="Folder for the index (demo.foxir), the runs (runs/), and copies of the sample's collections/ and topics/.",
)
@quiet_option
def command(folder: Path, quiet: bool) -> int:
    """Index the sample collection, answer its topics in six ways, score the runs.

    Each step is shown as the command that a user would type. The examples of --help use the files that it makes. A
    folder collections/ or topics/ with other content is kept; the sample is then read where foxir is installed.

    \b
    Example:
      foxir demo
    """
    make_folder(folder)
    collections, topics = _copied("collections", folder), _copied("topics", folder)
    index, runs = folder / "demo.foxir", folder / "runs"
    if (index / MANIFEST).is_file():
        with HeldFolder(index) as held:  # its path may be a link
            if not _is_of_sample(held):
                raise IndexFormatError(
                    f"{_shown(index)}: is an index of other sources than the sample: name another folder with --folder."
                )
            try:
                held.remove(held.names())
            except OSError as error:
                raise CollectionError(f"{unwritable(index, error)} {ANOTHER}") from None
    step, asked = partial(_step, quiet=quiet), "fresnel lens cleaning"
    step("index", index, collections, "--no-images")
    step("search", index, asked, "--top", "3")
    for name, settings in RUNS.items():
        step("run", index, topics / "co", "--out", runs / f"{name}.xml", *settings)
    step("judgements to-elements", topics / "qrels.txt", "--index", index, "--out", runs / "assessments")
    files = [runs / f"{name}.xml" for name in RUNS]
    scored: list[str | Path] = [runs / "assessments", *files, "--index", index, "--topics", TOPICS]
    step("eval", *scored, "--measures", "hixeval", "--alpha", "0,1", "--at", "5,10")
    step("eval", *scored, "--measures", "inex_eval", "--quant", "gen,fullyspec")
    with open_index(index) as opened:
        best = opened.search(asked)[0]
    click.echo(
        "\nWhat to look at next:\n"
        f"  foxir search {_shown(index)} 'your own words'        ask something\n"
        f"  foxir explain {_shown(index)} '{asked}' {best.document} '{best.path}'\n"
        "                                                  why an element is returned, or not\n"
        f"  foxir eval {_shown(runs / 'assessments')} {_shown(runs)}/*.xml --index {_shown(index)}"
        f" --measures hixeval:AP --per-topic --topics {TOPICS}\n"
        "  foxir --help                                    all commands; docs/tutorial.md in the source explains them"
    )
    return DONE


def _is_of_sample(index: HeldFolder) -> bool:
    """Return whether an index, of any format, has no sources but folders named as the sample's."""
    try:
        sources = json.loads(index.read(MANIFEST) or b"")["sources"]
        return all(Path(source).name == "collections" for source in sources)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _copied(name: str, folder: Path) -> Path:
    """Return the copy of a folder of the sample in another one; the original if that has other content of this name.

    Raises: CollectionError if it cannot be copied.
    """
    original, copy = sample_folder() / name, folder / name
    if not copy.exists():
        try:
            shutil.copytree(original, copy)
        except OSError as error:
            raise CollectionError(f"{unwritable(copy, error)} {ANOTHER}") from None
    _, different, missing = filecmp.cmpfiles(copy, original, ["README.md"], shallow=False)
    return original if different or missing else copy


def _shown(path: Path) -> str:
    """Return a path as a shell word, relative if it is below the working directory."""
    try:
        return shlex.quote(path.resolve().relative_to(Path.cwd()).as_posix())
    except ValueError:
        return shlex.quote(path.as_posix())


def _step(name: str, *arguments: str | Path, quiet: bool) -> None:
    """Show a command and carry it out."""
    arguments = (*arguments, "-q") if quiet else arguments
    words = [_shown(word) if isinstance(word, Path) else shlex.quote(word) for word in arguments]
    click.echo(click.style(f"\n$ foxir {name} {' '.join(words)}", bold=True))
    foxir.main([*name.split(), *map(str, arguments)], standalone_mode=False)
