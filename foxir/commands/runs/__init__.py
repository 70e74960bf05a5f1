"""Which commands are there of `foxir runs`?"""
