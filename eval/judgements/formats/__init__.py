"""How are files of judgements read?

One reader for each generation of INEX, and TREC's; all build the same columns.
"""
