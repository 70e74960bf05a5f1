"""Which images do elements refer to, and what features have these?"""
