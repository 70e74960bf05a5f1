"""The tree of commands: groups whose commands are imported when they are called, each with its line in the help."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from engine.records import NamedTuple
from engine.wording import did_you_mean
from foxir.foreign_names import foreign_names
from foxir.messages import sentence  # noqa: F401  (the text of notices inside results)
from foxir.terminal.command_class import HELP_ALL, HELP_OPTIONS, help_all
from foxir.terminal.exit_status import DONE


def color_setting(environ: Mapping[str, str] = os.environ) -> bool | None:
    """Return False if the environment asks for plain text, True for styles, None if the output stream decides.

    A variable that is empty counts as unset; NO_COLOR takes precedence over FORCE_COLOR.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None


class Entry(NamedTuple):
    """Place of a command's definition (`module:name`), and its line in the help of its group."""

    place: str
    line: str


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called: `foxir search` does not load the measures."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Mapping[str, Entry]], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.sections = sections
        self.entries = {name: entry for entries in sections.values() for name, entry in entries.items()}

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Return the context of a call; its commands style their output as the environment asks."""
        return super().make_context(*arguments, **{"color": color_setting(), **settings})

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with the options of the help."""
        has_groups = not self.entries.keys().isdisjoint(GROUPS)
        return [
            *super().get_params(ctx),
            help_all("Show the commands of groups, too, and exit.", hidden=not has_groups),
        ]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, None if there is none."""
        if cmd_name not in self.entries:
            return None
        module, _, name = self.entries[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the requested command.

        Raises: click.UsageError for an unknown one, with what is called so elsewhere, or the nearest.
        """
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            raise click.UsageError(self._unknown(args[0], ctx), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the requested command; a reader of its output that closes the pipe ends it without an error."""
        try:
            status = super().invoke(ctx)
            if sys.stdout:
                sys.stdout.flush()
            return status
        except BrokenPipeError:
            drop_output()
            return DONE

    def _unknown(self, name: str, ctx: click.Context) -> str:
        if ctx.parent is None and name in (elsewhere := foreign_names("commands")):
            return f"'{name}' is not a command: use '{elsewhere[name]}'."
        hint = did_you_mean(name, self.entries).rstrip() or f"commands are {', '.join(self.entries)}."
        return f"'{name}' is not a command: {hint}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings without importing them; those of groups where all are asked for."""
        sections = self.sections
        if HELP_ALL in ctx.meta:
            sections = {
                heading: {name: entry for above in entries for name, entry in self._with_those_of(above, ctx)}
                for heading, entries in sections.items()
            }
        width = max(len(name) for entries in sections.values() for name in entries)
        for heading, entries in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", entry.line) for name, entry in entries.items()])

    def _with_those_of(self, name: str, ctx: click.Context) -> list[tuple[str, Entry]]:
        """Return a command, and those that it has if it is a group."""
        group = self.get_command(ctx, name) if name in GROUPS else None
        own = group.entries.items() if isinstance(group, LazyGroup) else ()
        return [(name, self.entries[name]), *((f"{name} {each}", entry) for each, entry in own)]


def drop_output() -> None:
    """Redirect stdout to the null device, so flushing buffered output at exit raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Start here": {
        "demo": Entry("foxir.commands.demo:command", "Index the sample collection, answer its topics, score the runs.")
    },
    "Index XML": {
        "index": Entry("foxir.commands.index:command", "Index XML files, or bring an index up to date."),
        "info": Entry("foxir.commands.info:command", "Show what an index contains."),
        "profile": Entry(
            "foxir.commands.definitions:profile_command", "List the profiles of XML vocabularies, or print one."
        ),
        "compact": Entry("foxir.commands.index:compact_command", "Merge the segments of an index into one."),
    },
    "Search": {
        "search": Entry("foxir.commands.search:command", "Answer a query with the best elements."),
        "show": Entry("foxir.commands.show:command", "Show a document or an element, as text or XML."),
        "explain": Entry(
            "foxir.commands.explain:command", "Explain why an element is returned for a query, or why not."
        ),
        "run": Entry("foxir.commands.run:command", "Answer a file of topics and write a run file."),
        "export": Entry("foxir.commands.export:command", "Write answers with their texts, for a generation system."),
        "named": Entry(
            "foxir.commands.definitions:named_command", "List the runs of the thesis that --named reproduces."
        ),
        "similarity": Entry(
            "foxir.commands.definitions:similarity_command", "List similarity functions, or show the definition of one."
        ),
    },
    "Serve": {
        "serve": Entry("foxir.commands.serve:command", "Serve pages to search, read and judge, and a JSON interface."),
        "mcp": Entry(
            "foxir.commands.serve:mcp_command", "Let a language model search and read (Model Context Protocol)."
        ),
    },
    "Evaluate": {
        "eval": Entry("foxir.commands.evaluate:command", "Score runs against relevance judgements."),
        "compare": Entry("foxir.commands.evaluate:compare_command", "Test whether runs differ significantly."),
        "tune": Entry("foxir.commands.tune:command", "Find the best search settings on judged topics."),
        "measures": Entry(
            "foxir.commands.evaluate:measures_command", "List evaluation measures, or show the definition of one."
        ),
        "judgements": Entry(
            "foxir.terminal.commands:judgements", "Check, describe, compare, pool and convert judgements."
        ),
        "runs": Entry("foxir.terminal.commands:runs", "Convert runs, make ideal runs, correlate measures over runs."),
        "chunks": Entry("foxir.terminal.commands:chunks", "Compare chunks of any splitter with foxir's answers."),
    },
}
JUDGEMENTS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {
        "check": Entry("foxir.commands.judgements:check_command", "Compare judgements with the indexed collection."),
        "stats": Entry("foxir.commands.judgements:stats_command", "Describe the relevant elements of judgements."),
        "agreement": Entry("foxir.commands.judgements:agreement_command", "Measure how far two assessors agree."),
        "to-elements": Entry(
            "foxir.commands.judgements:to_elements_command", "Derive judged elements from highlighted passages."
        ),
        "from-quotes": Entry(
            "foxir.commands.judgements:from_quotes_command", "Make judgements of questions with quotes."
        ),
        "to-quotes": Entry("foxir.commands.judgements:to_quotes_command", "Write highlighted passages as quotes."),
        "pool": Entry("foxir.commands.judgements:pool_command", "Collect the top results of runs for judging."),
        "convert": Entry("foxir.commands.convert:judgements", "Write judgements in another format."),
    }
}
RUNS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {
        "convert": Entry("foxir.commands.convert:runs", "Write a run in another format."),
        "ideal": Entry("foxir.commands.runs:ideal_command", "Write the run of a perfect system, from judgements."),
        "correlate": Entry(
            "foxir.commands.runs:correlate_command", "Correlate the orders in which measures rank runs."
        ),
    }
}

ABOUT = "Find the right-sized elements of XML documents for a query, and measure how well they were found."
QUICK_START = """\b
Quick start:
  foxir index my.foxir my-xml/
  foxir search my.foxir tide prediction
  foxir demo                 a complete example on a sample collection, with scored runs"""
# The commands that have commands of their own.
GROUPS = ("judgements", "runs", "chunks")
CHUNKS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {"eval": Entry("foxir.commands.chunks:command", "Score chunks, cut and retrieved in several ways.")}
}


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    help=f"{ABOUT}\n\n{QUICK_START}",
    context_settings={"help_option_names": HELP_OPTIONS, "max_content_width": 100},
    epilog="'foxir COMMAND --help' explains a command, with examples; --help-all lists all its options.",
)
@click.version_option(package_name="foxir", prog_name="foxir")
def foxir() -> None:
    """Run the command `foxir`."""


@click.group(cls=LazyGroup, sections=JUDGEMENTS)
def judgements() -> None:
    """Work with relevance judgements: check, describe, compare, derive elements, pool, convert."""


@click.group(cls=LazyGroup, sections=RUNS)
def runs() -> None:
    """Work with run files: convert them, make ideal runs, correlate measures over them."""


@click.group(cls=LazyGroup, sections=CHUNKS)
def chunks() -> None:
    """Score the chunks of any splitter on the same judgements as foxir's answers."""


# Every command that does something, by the words that call it.
COMMANDS: Mapping[str, Entry] = {
    **{name: entry for name, entry in foxir.entries.items() if name not in GROUPS},
    **{f"judgements {name}": entry for name, entry in judgements.entries.items()},
    **{f"runs {name}": entry for name, entry in runs.entries.items()},
    **{f"chunks {name}": entry for name, entry in chunks.entries.items()},
}
