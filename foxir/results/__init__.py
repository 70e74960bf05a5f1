"""What does a program do with answers? Rows, tables, elements around them."""
