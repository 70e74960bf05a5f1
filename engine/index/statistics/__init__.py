"""What does a collection look like in numbers?

Document and collection frequencies, lengths, counts by tag, vector norms: sums over the live documents, in whole
numbers where they can be. Useful for every score. Not for numbers of single elements, which are columns
(`engine.index.elements`).
"""
