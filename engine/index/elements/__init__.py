"""What is the element in a row, and what contains it? The columns of the elements of an open index."""
