"""Which node has which copy of a shard: rendezvous hashing, so that a node more or less moves few copies.

Source: Thaler and Ravishankar, Using name-based mappings to increase hit rates, IEEE/ACM ToN 1998.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def nodes_of(shard: int, nodes: Sequence[str], n_replicas: int) -> list[str]:
    """Return the nodes of the copies of a shard: those with the largest hashes; some twice where there are too few.

    >>> nodes_of(3, ["a", "b"], 3) == [*nodes_of(3, ["b", "a"], 2), nodes_of(3, ["a", "b"], 1)[0]]
    True
    """
    ranked = sorted(nodes, key=lambda node: hashlib.sha256(f"{node} {shard}".encode()).digest(), reverse=True)
    return [ranked[copy % len(ranked)] for copy in range(n_replicas)]


def better_node(shard: int, copy: int, placed: Sequence[str], alive: Sequence[str]) -> str | None:
    """Return the node that a copy is to move to: if its own is gone, or has another copy while one is free; else None.

    Args:
        placed: the nodes of all copies of the shard.

    >>> better_node(3, 1, ["a", "b"], ["a", "b", "c"]), better_node(3, 1, ["a", "b"], ["a", "c"])
    (None, 'c')
    >>> better_node(3, 1, ["a", "a"], ["a"]), better_node(3, 1, ["a", "a"], ["a", "b"])
    (None, 'b')
    """
    is_gone = placed[copy] not in alive
    if not alive or (not is_gone and placed[copy] not in placed[:copy]):
        return None
    ranked = nodes_of(shard, alive, len(alive))
    free = [node for node in ranked if node not in placed]
    return free[0] if free else ranked[0] if is_gone else None
