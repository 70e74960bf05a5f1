"""How are the hot steps of builds and searches fast?

In C, where they were compiled; NumPy computes the same, bit by bit, where not. `table.py` decides between the two.
"""
