"""How does a program search an open index? The index, its settings, topics and example images as callers give them.

This is the one place that joins a search with what it falls back to, and with what explains an empty list; commands,
service and adapters call it. How answers are found is in `engine.ranking`.
"""
