"""Which commands are there of `foxir chunks`?"""
