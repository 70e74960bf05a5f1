"""The command `foxir`: names, help and errors; each command lives in a module of its own, loaded when it is called."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from engine.cli.visible import say
from engine.errors import FoxirError

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # foxir multiplies no matrices: threads for that only cost time

DONE, PARTLY, REFUSED, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {  # in the order of the help: where each lives, and its line
    "demo": ("engine.cli.demo:command", "Index the sample collection, run and score the sample topics."),
    "index": ("engine.cli.index:command", "Index XML files, or bring an index up to date."),
    "info": ("engine.cli.info:command", "Say what is in an index."),
    "compact": ("engine.cli.compact:command", "Merge the segments of an index."),
    "search": ("engine.cli.search:command", "Answer a query."),
    "explain": ("engine.cli.explain:command", "Say why an element is returned, or why not."),
    "run": ("engine.cli.run:command", "Answer all topics of a file and write a run."),
    "similarity": ("engine.cli.similarity:command", "List scoring approaches, and say what each computes."),
    "eval": ("engine.cli.evaluate:command", "Score runs against judgements."),
    "measures": ("engine.cli.measures:command", "List measures, and say how each is defined."),
    "compare": ("engine.cli.compare:command", "Test whether runs really differ."),
    "tune": ("engine.cli.tune:command", "Find the best settings on judged topics."),
    "correlate": ("engine.cli.correlate:command", "Say how alike measures order runs."),
    "expand": ("engine.cli.expand:command", "Turn highlighted passages into judged elements."),
    "relevance": ("engine.cli.judgements:relevance_command", "Describe the relevant elements of judgements."),
    "agreement": ("engine.cli.judgements:agreement_command", "Say how far two sets of judgements agree."),
    "simulate": ("engine.cli.judgements:simulate_command", "Make the run of a perfect system from judgements."),
    "pool": ("engine.cli.transfer:pool_command", "Collect the first results of runs for judging."),
    "convert": ("engine.cli.transfer:convert_command", "Write a run or judgements in another format."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called: `foxir search` need not load the measures."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is asked for; an unknown one gets the nearest known."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib  # noqa: PLC0415  (only for mistakes)

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(COMMANDS)}."
            raise click.UsageError(f"'{args[0]}' is no command: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for; whoever reads its output may have enough of it at any time."""
        try:
            status = super().invoke(ctx)
            if sys.stdout:
                sys.stdout.flush()
            return status
        except BrokenPipeError:
            _drop_output()
            return DONE

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="First steps:  foxir index my-xml/ --into my.foxir;  foxir search my.foxir 'tide prediction'",
)
@click.version_option(package_name="foxir", prog_name="foxir")
def foxir() -> None:
    """Find the right-sized elements of XML documents, and measure how well they were found."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one line on stderr and exit status 2. Output is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    """Return the exit status of a command, whatever happens to it."""
    try:
        status = foxir.main(arguments, prog_name="foxir", standalone_mode=False)
        return status if isinstance(status, int) else DONE
    except click.exceptions.Abort:
        click.echo("foxir: interrupted; nothing that was there before is lost.", err=True)
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "foxir"
        say(f"{command}: {error.format_message()} Try: {command} --help", err=True)
    except (click.ClickException, FoxirError) as error:
        say(f"foxir: {error}", err=True)
    except MemoryError:
        say("foxir: this needs more memory than there is; nothing that was there before is lost.", err=True)
    except OSError as error:
        if error.filename is None:  # it was our own output
            _drop_output()
        say(f"foxir: {error.filename or 'the output'}: {error.strerror}.", err=True)
    return REFUSED


def _drop_output() -> None:
    """Let what is still to be written to stdout vanish, so that nothing complains of it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
