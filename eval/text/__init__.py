"""Which highlighted text does a result return?

Intervals of characters, offsets and sizes of results, and what earlier results returned already.
"""
