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
