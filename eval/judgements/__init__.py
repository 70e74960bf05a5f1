"""What did assessors judge, and how do two of them agree?

Judgements of all generations of INEX as columns, their recall bases and quantisations. Scores are computed from them in
`eval/measures`.
"""
