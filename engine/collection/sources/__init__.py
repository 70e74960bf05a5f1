"""Sources: where documents come from and how their bytes are read."""
