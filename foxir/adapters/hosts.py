"""The programs that foxir adapts to: their distributions, and the versions that the adapters were tested with."""

from __future__ import annotations

from engine.errors import MissingHostError
from engine.system.host_programs import PANDAS, Host

__all__ = ["HOSTS", "Host", "MissingHostError", "require"]


HOSTS = {
    host.extra: host
    for host in (
        PANDAS,
        Host("LangChain", "langchain-core", "langchain", (1,), (2,)),
        Host("LlamaIndex", "llama-index-core", "llamaindex", (0, 14), (0, 15)),
        Host("Haystack", "haystack-ai", "haystack", (3,), (4,)),
        Host("PyTerrier", "pyterrier", "pyterrier", (1, 1), (2,)),
        Host("ir_datasets", "ir-datasets", "ir-datasets", (0, 5, 11), (1,)),
        Host("bm25s", "bm25s", "chunks", (0, 2, 14), (1,)),
    )
}
HOSTS["langchain-text-splitters"] = Host("LangChain's splitter", "langchain-text-splitters", "langchain", (1,), (2,))


def require(name: str) -> None:
    """Raise MissingHostError unless a program is installed in a version that its adapter was made for.

    Args:
        name: its extra; its distribution where an extra installs several.
    """
    HOSTS[name].require()
