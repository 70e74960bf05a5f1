"""What do the documents of a collection say of themselves?

Fields such as author, year and type: how profiles define them (`definitions.py`), how their values are read and
compared (`values.py`), and conditions on them (`conditions.py`, `box.py`). No index is known.
"""
