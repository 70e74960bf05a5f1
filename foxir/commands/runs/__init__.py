"""The commands `foxir runs ...`, a module each."""
