"""Data files beside a module, wherever the package is: in a folder, or in a zip archive that Python runs.

`importlib.resources` does the same, but its import takes longer than a search.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def package_data(module: str, name: str) -> bytes:
    """Return the content of a file beside an imported module.

    >>> package_data(__name__, "files.py").isascii()
    True
    """
    loader: Any = sys.modules[module].__loader__
    data: bytes = loader.get_data(os.path.join(os.path.dirname(str(sys.modules[module].__file__)), name))
    return data


def package_text(module: str, name: str) -> str:
    """Return the text of a file beside an imported module, with line ends as Python reads them."""
    return package_data(module, name).decode("utf-8").replace("\r\n", "\n")
