"""Scores of elements and of windows of sentences, in the context of their parents and articles."""
