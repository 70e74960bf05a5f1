"""The commands `foxir chunks ...`, a module each."""
