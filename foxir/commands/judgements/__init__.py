"""The commands `foxir judgements ...`, a module each."""
