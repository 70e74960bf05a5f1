"""What are the words, terms and sentences of a text?

The analyser is the same for documents and queries; it works on the bytes of a whole batch. Useful for everything that
compares words. Not for counting terms, nor for markup: inline elements and borders are given to it as offsets.
"""
