"""What is the score of an element or of a window of sentences?

Its similarity to the query, with what the text around it adds, and the most that each part can be.
"""
