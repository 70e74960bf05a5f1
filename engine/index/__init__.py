"""What lies on disk, and how is it read?

A manifest names the segments of a generation; a segment has articles (a Whoosh index), columns of elements, postings
of leaves, texts, attributes and images. `reader.open_reader` opens a generation, read-only. Useful for everything
that needs documents, postings or statistics. Not for ranking, nor for writing: `engine.indexing` does that.
"""
