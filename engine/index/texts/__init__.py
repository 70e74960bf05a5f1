"""What does an element say?

Texts of documents in compressed frames, with the offsets of elements and sentences; the own text of an element,
openings, passages. Useful for snippets, explanations and values. Not for the original markup, which is read from the
source (`engine.presentation`), nor for readable text.
"""
