"""What do assessors judge, and what has been judged? Highlights, stored durably, moved only where the text is found.

For collecting judgements in a browser; `foxir.evaluation` scores by them.
"""
