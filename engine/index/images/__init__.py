"""Which images do elements refer to, and what features do these have?

Columns from the batch to the open segment, and postings of features. Useful for queries with example images. Not for
decoding images or computing features and scores: that is `engine.images`.
"""
