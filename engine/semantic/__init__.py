"""How alike are two texts in meaning?

Encoders by name, and the vectors of answers; what is made of them is in `engine.ranking.selection`.
"""
