"""Which commands are there? One file each; `foxir.terminal` has what they share."""
