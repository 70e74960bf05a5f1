"""How do several indexes answer as one? Statistics are sums over shards; results are merged at a few points."""
