"""How does a run or a judgement get into another format?

Between the file formats of INEX and TREC, and between paths and offsets where an index is given.
"""
