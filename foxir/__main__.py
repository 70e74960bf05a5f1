"""The entry point of the command `foxir` and of `python -m foxir`; an interrupt ends it quietly at any time."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Import the commands, which takes a while, and run one."""
    try:
        from foxir.cli.main import main as run  # noqa: PLC0415  (may be interrupted, too)

        run()
    except KeyboardInterrupt:
        os.write(sys.stderr.fileno(), b"foxir: interrupted; nothing that was there before is lost.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
