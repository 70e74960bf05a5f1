"""The entry point of the command `foxir` and of `python -m foxir`; an interrupt ends it quietly at any time."""

from __future__ import annotations

import errno
import gc
import mmap
import os
import sys

# Objects that are made before garbage is looked for: what a start makes is not garbage, and Python looks after 700.
MADE = 100_000
# Bytes of addresses that an import of NumPy takes, whose OpenBLAS ends the process where there are fewer.
NUMPY = 96 << 20
# Bytes of addresses without which Python raises a SystemError now and then in the place of a MemoryError.
SPARE = 16 << 20


def main() -> None:
    """Import the commands, which takes a while, and run one."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read once, by the import of NumPy; threads cost more than that
    gc.set_threshold(MADE)
    _open_standard_streams()
    _use_utf_8()
    try:
        if not _is_free(NUMPY):
            raise MemoryError
        from foxir.terminal.main import main as run  # noqa: PLC0415  (may be interrupted, too)

        gc.freeze()  # what is imported stays: it is neither counted nor looked at
        run()
    except ModuleNotFoundError as error:
        from foxir.hidden_packages import why_hidden  # noqa: PLC0415  (only for the message)

        if reason := why_hidden(error):
            sys.exit(f"foxir: {reason}")
        raise
    except Exception as error:
        if not _lacks_memory(error):
            raise
        os.write(
            sys.stderr.fileno(),
            b"foxir: this needs more memory than there is; nothing that was there before is lost.\n",
        )
        sys.exit(2)
    except KeyboardInterrupt:
        os.write(sys.stderr.fileno(), b"foxir: interrupted; nothing that was there before is lost.\n")
        sys.exit(130)
    finally:
        gc.freeze()  # else Python looks through all objects for garbage, several times, before it ends


def _open_standard_streams() -> None:
    """Open the null device in place of closed standard streams; else the next file has the number of one."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def _use_utf_8() -> None:
    """Start again where arguments and names of files would not be read as UTF-8, as under some locales."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _is_free(size: int) -> bool:
    """Return whether the process may have so many bytes more."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        return False
    return True


def _lacks_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that it follows from, is that there was no memory, also for a library."""
    return error is not None and (
        isinstance(error, MemoryError)
        or (isinstance(error, SystemError) and not _is_free(SPARE))
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or any(words in str(error) for words in ("failed to map segment", "cannot allocate memory", "cannot map"))
        or _lacks_memory(error.__cause__ or error.__context__)
    )


if __name__ == "__main__":
    main()
