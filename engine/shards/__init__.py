"""How do several indexes answer as one?

The reader of a shard has its own documents and the statistics of all shards, which are sums (`shard_counts`). Useful
for a search over shards in different processes. Not for one process, whose reader opens the segments of all shards as
one index; merging the results is `engine.sharded_search`.
"""
