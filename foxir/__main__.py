"""`python -m foxir`: the same as the command `foxir`."""

from __future__ import annotations

from foxir.cli.main import main

if __name__ == "__main__":
    main()
