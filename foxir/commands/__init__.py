"""Which commands are there? One file each, or one for a group, which reads options, asks the public API, and prints.

Not for programs, which call `foxir`; what commands share is in `foxir.terminal`.
"""
