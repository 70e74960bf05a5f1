"""Removes deleted documents from postings, texts and columns when segments are merged.

Until then searches skip them: `IndexReader.live`.
"""
