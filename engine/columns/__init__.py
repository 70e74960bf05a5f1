"""How do arrays and strings lie on disk?

Columns with checksums, narrow numbers, spilling; nothing of XML or retrieval.
"""
