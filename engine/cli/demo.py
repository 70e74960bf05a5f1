"""`foxir demo`: the main job in one go, every step shown as the command that a user would type."""

from __future__ import annotations

import shlex
import shutil
from functools import partial
from pathlib import Path

import click

from engine.cli.console import quiet_option
from engine.cli.main import DONE, foxir
from engine.errors import CollectionError

BY_STRUCTURE = ["--rank", "structure", "--similarity", "pcosine", "--overlap", "keep"]
RUNS = {
    "scored": [],
    "fulltext": ["--approach", "fulltext"],
    "native-oCRE-TPF": ["--approach", "native", *BY_STRUCTURE, "--answers", "oCRE", "--heuristic", "TPF"],
    "hybrid-matching": [*BY_STRUCTURE, "--answers", "matching"],
    "hybrid-oCRE-MpE": [*BY_STRUCTURE, "--answers", "oCRE", "--heuristic", "MpE"],
    "hybrid-nCRE-TPF": [*BY_STRUCTURE, "--answers", "nCRE", "--heuristic", "TPF"],
}
TOPICS = "1-19"


@click.command(name="demo")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Where collections/ and topics/ are; the index and runs are written there.  [here, or foxir's checkout]",
)
@quiet_option
def command(folder: Path | None, quiet: bool) -> int:
    """Index the sample collection, run the sample topics six ways, score the runs, print the table."""
    base = folder or _sample_folder()
    if not (base / "collections").is_dir() or not (base / "topics").is_dir():
        raise CollectionError(f"{base}: no collections/ and topics/ there: run it in a checkout of foxir, or name one.")
    index, runs = base / "demo.foxir", base / "runs"
    if index.exists():
        shutil.rmtree(index)
    step = partial(_step, quiet=quiet)
    step("index", base / "collections", "--into", index)
    step("search", index, "fresnel lens cleaning", "--top", "3")
    for name, settings in RUNS.items():
        step("run", index, base / "topics" / "co", "--out", runs / f"{name}.xml", *settings)
    step("expand", base / "topics" / "qrels.txt", "--index", index, "--out", runs / "assessments")
    files = [runs / f"{name}.xml" for name in RUNS]
    scored: list[str | Path] = [runs / "assessments", *files, "--index", index, "--topics", TOPICS]
    step("eval", *scored, "--measures", "hixeval", "--alpha", "0,1", "--at", "5,10")
    step("eval", *scored, "--measures", "inex_eval", "--quant", "gen,fullyspec")
    click.echo(
        "\nWhat to look at next:\n"
        f"  foxir search {_shown(index)} 'your own words'        ask something\n"
        f"  foxir explain {_shown(index)} 'fresnel lens cleaning' DOCUMENT PATH   why an element is returned, or not\n"
        f"  foxir eval {_shown(runs / 'assessments')} {_shown(runs)}/*.xml --per-topic --topics {TOPICS}\n"
        "  docs/tutorial.md                                from your own XML to a scored run"
    )
    return DONE


def _sample_folder() -> Path:
    here = Path()
    return here if (here / "collections").is_dir() else Path(__file__).parents[2]


def _shown(path: Path) -> str:
    try:
        return shlex.quote(str(path.resolve().relative_to(Path.cwd())))
    except ValueError:
        return shlex.quote(str(path))


def _step(name: str, *arguments: str | Path, quiet: bool) -> None:
    """Show a command and carry it out."""
    arguments = (*arguments, "-q") if quiet else arguments
    words = [_shown(word) if isinstance(word, Path) else shlex.quote(word) for word in arguments]
    click.echo(click.style(f"\n$ foxir {name} {' '.join(words)}", bold=True))
    foxir.main([name, *map(str, arguments)], standalone_mode=False)
