"""Which commands are there of `foxir judgements`?"""
