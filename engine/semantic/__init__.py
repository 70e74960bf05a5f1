"""Texts as vectors of their meaning: encoders, and the vectors of answers."""
