"""Where does a term occur?

Postings of articles, which Whoosh can read, and of leaves; the terms that a word stands for; frequencies in stretches
of text, for bounds. Useful for counting and matching terms. Not for weights of terms, which are
`engine.similarity`'s.
"""
