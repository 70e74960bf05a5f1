"""The programs that foxir adapts to: their distributions, and the versions that the adapters were tested with."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import FoxirError


class MissingHostError(FoxirError, ImportError):
    """The program of an adapter is not installed, or in a version that the adapter was not made for."""


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

        advice = f"install it with: pip install 'foxir[{self.extra}]'"
        try:
            found = version(self.distribution)
        except PackageNotFoundError:
            raise MissingHostError(f"{self.name} is not installed ({self.distribution}): {advice}") from None
        if not self.first <= _numbers(found) < self.last:
            raise MissingHostError(
                f"{self.name} {found} is installed ({self.distribution}), foxir needs {_text(self.first)} or later, "
                f"before {_text(self.last)}: {advice}"
            )


HOSTS = {
    host.extra: host
    for host in (
        Host("pandas", "pandas", "pandas", (2, 2), (4,)),
        Host("LangChain", "langchain-core", "langchain", (1,), (2,)),
        Host("LlamaIndex", "llama-index-core", "llamaindex", (0, 14), (0, 15)),
        Host("Haystack", "haystack-ai", "haystack", (3,), (4,)),
        Host("PyTerrier", "pyterrier", "pyterrier", (1, 1), (2,)),
        Host("ir_datasets", "ir-datasets", "ir-datasets", (0, 5, 11), (1,)),
        Host("bm25s", "bm25s", "chunks", (0, 2, 14), (1,)),
    )
}
HOSTS["langchain-text-splitters"] = Host("LangChain's splitters", "langchain-text-splitters", "langchain", (1,), (2,))


def require(name: str) -> None:
    """Raise MissingHostError unless a program is installed in a version that its adapter was made for.

    Args:
        name: its extra; its distribution where an extra installs several.
    """
    HOSTS[name].require()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text.partition("+")[0])[:3])


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers if len(numbers) > 1 else (*numbers, 0)))
