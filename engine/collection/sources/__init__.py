"""Where do documents come from, and how are their bytes read?

Files, folders, patterns, lists and archives, with exclusions; each document gets an id, and its bytes are read within
limits from any process. Useful for builds. Not for the content of documents.
"""
