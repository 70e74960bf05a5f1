"""What does a search return? Answers as columns, joined with the index on first use; runs over topics."""
