"""The command `foxir`: its commands, help and errors; each command is a module, imported when it is called."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence

import click

from engine.errors import FoxirError, IndexFormatError
from engine.index.file_names import MANIFEST
from engine.system.process import interrupt, record_interrupts
from foxir.terminal.commands import drop_output, foxir
from foxir.terminal.control_characters import say, sentence_of
from foxir.terminal.exit_status import DONE, INTERRUPTED, REFUSED


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one line on stderr and exit status 2. Output is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if arguments is not None:
        sys.exit(_run(arguments, was_interrupted=lambda: False))
    sys.unraisablehook = _interrupt_again  # the process is the command's
    # C functions replace a KeyboardInterrupt by errors of their own: NumPy's `tofile` by a TypeError.
    sys.exit(_run(arguments, record_interrupts()))


def _interrupt_again(failure: sys.UnraisableHookArgs) -> None:
    """Interrupt again where Python ignored it, as in the callback of a weak reference; report what else it ignores."""
    if not issubclass(failure.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(failure)
        return
    from threading import Timer  # noqa: PLC0415  (hardly ever needed)

    Timer(0.01, interrupt).start()


def _run(arguments: Sequence[str] | None, was_interrupted: Callable[[], bool]) -> int:
    """Return the exit status of a command, also after an error or an interrupt."""
    try:
        status = foxir.main(arguments, prog_name="foxir", standalone_mode=False)
        if arguments is None:  # the process is the command's: an interrupt of Python's end would print a traceback
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return status if isinstance(status, int) else DONE
    except BaseException as error:
        # A second interrupt, while Click says Abort, is a KeyboardInterrupt.
        if not isinstance(error, click.exceptions.Abort | KeyboardInterrupt) and not was_interrupted():
            return _refused(error, sys.argv[1:] if arguments is None else arguments)
        if arguments is None:  # the process is the command's: a further interrupt must not break off the message
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("foxir: interrupted; nothing that was there before is lost.", err=True)
        return INTERRUPTED


def _refused(error: BaseException, arguments: Sequence[str]) -> int:
    """Report a mistake of the user or a lack of the machine in one line, and return the exit status.

    Raises: any other error, as it is.
    """
    match error:
        case click.exceptions.NoArgsIsHelpError():
            error.show()
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "foxir"
            say(f"{command}: {_one_line(error)} Try: {command} --help", err=True)
        case IndexFormatError():
            say(f"foxir: {_index_among(arguments, error)}{sentence_of(error)}", err=True)
        case click.ClickException() | FoxirError():
            say(f"foxir: {sentence_of(error)}", err=True)
        case MemoryError():
            say("foxir: this needs more memory than there is; nothing that was there before is lost.", err=True)
        case OSError():
            if error.filename is None:  # an error of stdout
                drop_output()
            say(f"foxir: {error.filename or 'the output'}: {error.strerror}.", err=True)
        case _:
            raise error
    return REFUSED


# Commands that take several indexes.
TAKE_SEVERAL = ("serve", "mcp")


def _index_among(arguments: Sequence[str], error: IndexFormatError) -> str:
    """Return a sentence about the index among arguments in whose place another was read; "" if there is none."""
    # pathlib raises for what may not be read
    are_indexes = {place: os.path.isfile(os.path.join(place, MANIFEST)) for place in map(str, arguments)}
    was_read = [place for place in are_indexes if str(error).startswith(place)]
    if not was_read or any(map(are_indexes.__getitem__, was_read)):
        return ""
    places = [*are_indexes]
    after = places[places.index(was_read[0]) :] if arguments[0] not in TAKE_SEVERAL else []
    return next((f"INDEX comes first: {place} is one. " for place in after if are_indexes[place]), "")


def _one_line(error: click.UsageError) -> str:
    """Return a message as a sentence: that click says of a missing choice has a line for each value."""
    message = error.format_message()
    return f"{' '.join(message.split())}." if isinstance(error, click.MissingParameter) and "\n" in message else message


if __name__ == "__main__":
    main()
