"""How are values and names written in sentences?

Plurals, quotes, shortened and printable values, suggestions for misspelt names, small tables. Useful for every
message. Not for the sentences themselves.
"""
