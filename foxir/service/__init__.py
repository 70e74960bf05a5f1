"""How does a browser or another program search, read and judge over HTTP? The service of `foxir serve`.

It asks `foxir.Index` in threads, within limits of time and load; a program on the same machine calls `foxir` itself.
"""
