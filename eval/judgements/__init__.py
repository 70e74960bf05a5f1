"""Which text did people find relevant?

Judgements of every INEX generation as columns, what follows from them (recall bases, grades, pools), and how far
assessors agree.
"""
