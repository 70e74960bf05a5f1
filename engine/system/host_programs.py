"""Installed programs for which foxir has adapters, and the versions these were tested with; columns as a data frame."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import MissingHostError, how_to_install

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Host:
    """A program: its name, its distribution, the extra that installs it, and versions (first included, last not)."""

    name: str
    distribution: str
    extra: str
    first: tuple[int, ...]
    last: tuple[int, ...]

    def require(self) -> None:
        """Raise MissingHostError unless the program is installed in a version from `first` up to before `last`."""
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (slow to import)

        advice = f"install it with: {how_to_install(self.extra)}"
        try:
            found = version(self.distribution)
        except PackageNotFoundError:
            raise MissingHostError(f"{self.name} is not installed ({self.distribution}): {advice}") from None
        if not self.first <= _numbers(found) < self.last:
            raise MissingHostError(
                f"{self.name} {found} is installed ({self.distribution}), foxir needs {_text(self.first)} or later, "
                f"before {_text(self.last)}: {advice}"
            )


PANDAS = Host("pandas", "pandas", "pandas", (2, 2), (4,))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text.partition("+")[0])[:3])


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers if len(numbers) > 1 else (*numbers, 0)))


def data_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return columns of equal length as a frame; raises MissingHostError without pandas."""
    PANDAS.require()
    import pandas as pd  # noqa: PLC0415  (optional)

    return pd.DataFrame(columns)
