"""What does a query ask for?

From text to words, phrases and signs, or to a path query; nothing of it depends on a collection.
"""
