"""What does a program do with answers? Columns and rows, tables, texts, the elements around them.

All of it reads an index that was searched; nothing here searches.
"""
