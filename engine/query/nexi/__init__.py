"""What does a path query say?

NEXI, the query language of INEX, from text to a typed tree and back; errors point at a place in the text.
"""
