"""An index whose shards are searched by actors on a Ray cluster, with answers equal to those of one index."""
