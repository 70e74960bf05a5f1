"""How good are runs? The public functions that score, compare and convert them, and work on judgements.

Each checks its arguments and calls the package `eval`, which has the measures; searching is in `foxir.searching`.
"""
