"""Chunk retrieval, scored: plain text is cut into chunks, which are ranked, and their scores compared with foxir's."""
