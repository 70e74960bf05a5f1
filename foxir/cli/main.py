"""The command `foxir`: its commands, help and errors; each command is a module, imported when it is called."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence

import click

from engine.errors import FoxirError
from foxir.cli.commands import foxir
from foxir.cli.control_characters import say
from foxir.cli.exit_status import DONE, INTERRUPTED, REFUSED
from foxir.cli.lazy_group import drop_output


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one line on stderr and exit status 2. Output is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if arguments is None:  # the process is the command's
        sys.unraisablehook = _interrupt_again
    sys.exit(_run(arguments))


def _interrupt_again(failure: sys.UnraisableHookArgs) -> None:
    """Interrupt again where Python ignored it, as in the callback of a weak reference; report what else it ignores."""
    if not issubclass(failure.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(failure)
        return
    from threading import Timer  # noqa: PLC0415  (hardly ever needed)

    Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


def _run(arguments: Sequence[str] | None) -> int:
    """Return the exit status of a command, also after an error or an interrupt."""
    try:
        status = foxir.main(arguments, prog_name="foxir", standalone_mode=False)
        if arguments is None:  # the process is the command's: an interrupt of Python's end would print a traceback
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return status if isinstance(status, int) else DONE
    except (click.exceptions.Abort, KeyboardInterrupt, SystemError) as error:
        # A second interrupt, while Click says Abort, is a KeyboardInterrupt, and one inside a C function a SystemError.
        if isinstance(error, SystemError) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        if arguments is None:  # the process is the command's: a further interrupt must not break off the message
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("foxir: interrupted; nothing that was there before is lost.", err=True)
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "foxir"
        say(f"{command}: {_one_line(error)} Try: {command} --help", err=True)
    except (click.ClickException, FoxirError) as error:
        say(f"foxir: {error}", err=True)
    except MemoryError:
        say("foxir: this needs more memory than there is; nothing that was there before is lost.", err=True)
    except OSError as error:
        if error.filename is None:  # an error of stdout
            drop_output()
        say(f"foxir: {error.filename or 'the output'}: {error.strerror}.", err=True)
    return REFUSED


def _one_line(error: click.UsageError) -> str:
    """Return a message as a sentence: that click says of a missing choice has a line for each value."""
    message = error.format_message()
    return f"{' '.join(message.split())}." if isinstance(error, click.MissingParameter) and "\n" in message else message


if __name__ == "__main__":
    main()
