"""Parts of an index without deleted documents: postings, texts, and all columns of a segment."""
