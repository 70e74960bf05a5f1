"""What does a path query (NEXI) select, and what is wrong with one that cannot be read?

A parser from text to a typed tree, which prints as the query, and errors with the position and a hint. What the tree
selects from a collection is computed in `engine/structure`.
"""
