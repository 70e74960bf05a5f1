"""Which settings and weights are best on judged topics? Grids and learning, with an estimate for other topics.

The search over the grid is in `eval.tuning`; here it meets an index.
"""
