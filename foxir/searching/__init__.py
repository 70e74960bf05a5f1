"""How does a program search an open index? The public search, with what falls back and what explains an empty list."""
