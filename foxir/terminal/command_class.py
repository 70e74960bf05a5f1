"""Commands and options of foxir: options listed under headings, other programs' names answered with foxir's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from foxir.foreign_names import foreign_names

USUAL, GENERAL = "Usual options", "Other options"
HELP_OPTIONS = ["-h", "--help"]
HELP_ALL = "--help-all"


class WholeNumber(click.IntRange):
    """A whole number in a range, which messages state."""

    def __init__(self, lowest: int, highest: int | None = None) -> None:
        super().__init__(lowest, highest)
        self.name = f"whole number from {lowest}" + ("" if highest is None else f" to {highest}")


class HeadedOption(click.Option):
    """An option listed under a heading of the help."""

    def __init__(self, *arguments: Any, heading: str = GENERAL, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return click's text after the help; textual defaults have no parentheses."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        if self.metavar == "N":
            extra.pop("range", None)
        return extra


def headed_option(heading: str, *names: str, **attributes: Any) -> Callable[[Any], Any]:
    """Return the decorator that gives a command an option under a heading; the help shows its default."""
    attributes.setdefault("show_default", attributes.get("default") is not None)
    return click.option(*names, cls=HeadedOption, heading=heading, **attributes)


def count_option(heading: str, *names: str, minimum: int = 1, **attributes: Any) -> Callable[[Any], Any]:
    """Return the decorator for an option whose value is a whole number, at least the minimum."""
    number = WholeNumber(minimum)
    return headed_option(heading, *names, **{"type": number, "metavar": "N", **attributes})


class LeadingArgument(click.Argument):
    """An argument that looks at all arguments before they are parsed."""

    def prepared(self, args: list[str], *, has_query: bool) -> list[str]:
        """Return the arguments to parse in the place of those that are given."""
        return args


class FoxirCommand(click.Command):
    """A command whose help lists its options by heading, in the order of their definition.

    usual: the options that most people need, in their order, with blanks between: those of `--help`; `--help-all` lists
        the others too.
    """

    def __init__(self, name: str | None, *, usual: str = "", **attributes: Any) -> None:
        self.usual = usual.split()
        attributes.setdefault("context_settings", {"help_option_names": HELP_OPTIONS})
        super().__init__(name, **attributes)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with the options of the help."""
        return [*super().get_params(ctx), help_all("Show all options, and exit.", hidden=not self.usual)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usual options first, then, where all are asked for, others; those without a heading last."""
        usual: dict[str, tuple[str, str]] = {}
        sections: dict[str, list[tuple[str, str]]] = {}
        general: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            if named := [name for name in self.usual if name in parameter.opts]:
                usual[named[0]] = record
                continue
            heading = parameter.heading if isinstance(parameter, HeadedOption) else GENERAL
            if self.usual and HELP_ALL not in ctx.meta and not {HELP_ALL, *HELP_OPTIONS} & {*parameter.opts}:
                continue
            (general if heading == GENERAL else sections.setdefault(heading, [])).append(record)
        first = [(USUAL, [usual[name] for name in self.usual])] if usual else []
        for heading, records in [*first, *sections.items(), (GENERAL, general)]:
            with formatter.section(heading):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; errors name this command, and what to use for an option of other programs.

        Raises: click.UsageError.
        """
        arguments = [each for each in self.get_params(ctx) if isinstance(each, click.Argument)]
        has_query = any("QUERY" in each.make_metavar(ctx) for each in arguments)
        for each in arguments:
            args = each.prepared(args, has_query=has_query) if isinstance(each, LeadingArgument) else args
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            error.ctx = error.ctx or ctx
            tables = [f"options_of.{_path_below_foxir(ctx)}"]
            if "--answers" in (known for each in self.get_params(ctx) for known in each.opts):
                tables.append("options")
            for table in tables:
                if instead := foreign_names(table).get(error.option_name):
                    raise click.UsageError(f"No such option: {error.option_name}: use {instead}.", ctx) from None
            if has_query:
                hint = "Words that begin with a hyphen follow two hyphens: INDEX -- fog -20 degrees."
                raise click.UsageError(f"{error.format_message()} {hint}", ctx) from None
            raise
        except click.MissingParameter as error:
            if isinstance(error.param, click.Option) and isinstance(error.param.type, click.types.StringParamType):
                raise click.UsageError(f"{error.format_message()} {error.param.help}", ctx) from None
            error.ctx = error.ctx or ctx
            raise
        except click.UsageError as error:  # click leaves the command out of some, and then names the wrong help
            error.ctx = error.ctx or ctx
            raise


def help_all(line: str, *, hidden: bool) -> click.Option:
    """Return the option `--help-all`, which shows the help with what `--help` leaves out.

    Args:
        hidden: whether it is left out of the help, as there is no more.
    """
    return HeadedOption(
        [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, hidden=hidden, callback=_show_all, help=line
    )


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def _path_below_foxir(ctx: click.Context) -> str:
    """Return the command without the program's name: `judgements check`."""
    names = []
    while ctx.parent is not None:
        names.append(ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(reversed(names)) or (ctx.info_name or "")
