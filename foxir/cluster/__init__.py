"""How do the machines of a Ray cluster answer a query over the shards of one index?

For collections that one machine is too slow for: answers equal those of one index, bit for bit. Building an index takes
`engine.indexing`, one process on one machine `foxir.searching`.
"""
