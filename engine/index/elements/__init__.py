"""What is the element in a row, and what contains it?

Columns of the elements of an open index, across its segments: tags, parents, ends, words, titles, headings, header
rows. An element is a row, and its subtree an interval of rows, so that `containment` is a binary search. Useful for
every question on the tree. Not for texts, which are in `engine.index.texts`, nor for paths of queries
(`engine.structure`).
"""
