"""How are values and names written in sentences? Plurals, quotes, suggestions, small tables."""
