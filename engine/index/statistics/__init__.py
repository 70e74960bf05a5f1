"""Collection statistics of an open index: document and collection frequencies, lengths, counts, vector norms."""
