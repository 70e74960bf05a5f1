"""How do arrays and strings lie on disk?

Columns of numbers and byte strings, memory-mapped, in as few bytes as their values need, with a checksum for each
block; columns that are spilled while an index is made. Useful for all files of a segment. Not for the meaning of
columns: this package knows neither documents nor terms.
"""
