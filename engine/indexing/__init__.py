"""How do files become an index?

`build.update_index` goes from sources over changed documents, batches and parts to a segment a shard, and publishes
them as a generation; `compact_index` merges the segments. Useful wherever an index is written, with one shard or
many, on the disk (`engine.object_store` publishes elsewhere). Not for reading one: that is `engine.index`.
"""
