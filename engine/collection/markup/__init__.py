"""What are the elements, texts and attributes of a document? Markup as columns."""
